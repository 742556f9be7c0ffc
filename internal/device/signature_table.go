package device

// known lists what is looked for, with the document or source that defines each
// pattern. More exist; a device with none of these may still hold data, which
// is why an operator also types its id.
func known() []signature {
	table := append(volumes(), fileSystems()...)
	table = append(table, partitionTables()...)
	for _, page := range []int64{4096, 8192, 16384, 65536} { // Linux mm/swapfile.c: the last 10 bytes of the first page
		table = append(table, signature{"swap", page - 10, "SWAPSPACE2", nil}, signature{"swap", page - 10, "SWAP-SPACE", nil})
	}
	for sector := int64(0); sector < 4; sector++ { // LVM2 format_text: label in one of the first four sectors
		table = append(table, signature{"an LVM physical volume", sector * 512, "LABELONE", lvm})
	}
	return table
}

// volumes are layers that other devices are made of.
func volumes() []signature {
	return []signature{
		{"a LUKS1 or LUKS2 header", 0, "LUKS\xba\xbe", nil},                     // LUKS on-disk format 1.2.3, 2.0
		{"a LUKS2 second header", 0x4000, "SKUL\xba\xbe", nil},                  // LUKS2 2.1
		{"bcache", 4096 + 24, bcacheMagic, nil},                                 // Linux bcache: SB_SECTOR 8
		{"BitLocker", 3, "-FVE-FS-", nil},                                       // OEM id of its boot sector
		{"an MD RAID member (1.1)", 0, mdMagic, mdVersion},                      // Linux uapi/linux/raid/md_p.h
		{"an MD RAID member (1.2)", 4096, mdMagic, mdVersion},                   //
		{"an MD RAID member of DDF", -512, "\xde\x11\xde\x11", nil},             // SNIA DDF 2.0: anchor in the last block
		{"an Intel RAID member", -1024, "Intel Raid ISM Cfg Sig. ", nil},        // mdadm super-intel.c
		{"a DRBD member", -4096 + 60, "\x83\x74\x02\x6b", nil},                  // DRBD 8.4 meta-data, at the end
		{"a VDO volume", 0, "dmvdo001", nil},                                    // Linux drivers/md/dm-vdo
		{"a dm-integrity device", 0, "integrt\x00", nil},                        // Linux drivers/md/dm-integrity.c
		{"a dm-verity device", 0, "verity\x00\x00", nil},                        // Linux verity on-disk format
		{"a dm-cache or snapshot header", 0, "SnAp", nil},                       // Linux drivers/md/dm-snap-persistent.c
		{"a Ceph BlueStore device", 0, "bluestore block device\n", nil},         // Ceph, bluestore label
		{"a GEOM provider", -512, "GEOM::", nil},                                // FreeBSD: mirror, label, eli keep their metadata in the last sector
		{"a swap area being used by suspend", 4096 - 10, "S1SUSPEND", nil},      // Linux kernel/power/swap.c
		{"a suspended swap area", 4096 - 10, "LINHIB0001", nil},                 //
		{"a Stratis pool member", 512 + 4, "!Stra0tis\x86\xff\x02^\x41rh", nil}, // Stratis static header
	}
}

// fileSystems are file systems at their fixed places.
func fileSystems() []signature {
	return []signature{
		{"XFS", 0, "XFSB", nil},                                           // Linux fs/xfs/libxfs/xfs_format.h
		{"btrfs", 0x10040, "_BHRfS_M", nil},                               // Linux uapi/linux/btrfs_tree.h
		{"btrfs (second copy)", 0x4000040, "_BHRfS_M", nil},               //
		{"bcachefs", 4096 + 24, bcachefsMagic, nil},                       // Linux fs/bcachefs/bcachefs_format.h
		{"F2FS", 1024, "\x10\x20\xf5\xf2", nil},                           // Linux uapi/linux/magic.h
		{"ISO 9660", 0x8001, "CD001", nil},                                // ECMA-119 8.4
		{"UDF", 0x8001, "BEA01", nil},                                     // ECMA-167 2/9.1
		{"NTFS", 3, "NTFS    ", nil},                                      // OEM id of its boot sector
		{"exFAT", 3, "EXFAT   ", nil},                                     // exFAT specification 3.1.2
		{"ReFS", 3, "ReFS\x00\x00\x00\x00", nil},                          // OEM id of its boot sector
		{"FAT", 54, "FAT12   ", bootMark(54)},                             // FAT specification 1.03, BS_FilSysType
		{"FAT", 54, "FAT16   ", bootMark(54)},                             //
		{"FAT", 54, "FAT     ", bootMark(54)},                             //
		{"FAT", 82, "FAT32   ", bootMark(82)},                             //
		{"JFS", 0x8000, "JFS1", nil},                                      // Linux fs/jfs/jfs_superblock.h
		{"ReiserFS", 0x10034, "ReIsEr", nil},                              // reiserfs_fs.h
		{"NILFS2", 1024 + 6, "\x34\x34", nilfs},                           // Linux uapi/linux/nilfs2_ondisk.h
		{"SquashFS", 0, "hsqs", nil},                                      // Linux fs/squashfs/squashfs_fs.h
		{"EROFS", 1024, "\xe2\xe1\xf5\xe0", nil},                          // Linux fs/erofs/erofs_fs.h
		{"HFS+", 1024, "H+\x00\x04", nil},                                 // Apple TN1150
		{"HFSX", 1024, "HX\x00\x05", nil},                                 //
		{"APFS", 32, "NXSB", nil},                                         // Apple File System Reference, nx_magic
		{"GFS2", 0x10000, "\x01\x16\x19\x70", nil},                        // Linux uapi/linux/gfs2_ondisk.h
		{"OCFS2", 0x2000, "OCFSV2", nil},                                  // Linux fs/ocfs2/ocfs2_fs.h, 4 KiB blocks
		{"VMFS", 0x100000, "\x0d\xd0\x01\xc0", nil},                       // libblkid's description of VMFS volumes
		{"UFS2", 0x10000 + 1372, "\x19\x01\x54\x19", nil},                 // FreeBSD sys/ufs/ffs/fs.h, SBLOCK_UFS2
		{"UFS1", 0x2000 + 1372, "\x54\x19\x01\x00", nil},                  // SBLOCK_UFS1
		{"a Minix file system", 1024 + 16, "\x7f\x13", minix},             // Linux uapi/linux/minix_fs.h
		{"a Minix file system", 1024 + 16, "\x8f\x13", minix},             //
		{"a Minix file system", 1024 + 16, "\x68\x24", minix},             //
		{"a Minix file system", 1024 + 16, "\x78\x24", minix},             //
		{"an ext2, ext3 or ext4 file system", 1024 + 56, "\x53\xef", ext}, // Linux fs/ext4/ext4.h: s_magic
		{"a VxFS file system", 1024, "\xf5\xfc\x01\xa5", nil},             // Linux fs/freevxfs/vxfs.h
		{"a CRAMFS file system", 0, "\x45\x3d\xcd\x28", nil},              // Linux uapi/linux/cramfs_fs.h
	}
}

// partitionTables are what divides a disk.
func partitionTables() []signature {
	return []signature{
		{"a GPT partition table", 512, "EFI PART", nil},                 // UEFI 5.3.2, 512-byte sectors
		{"a GPT partition table", 4096, "EFI PART", nil},                // 4096-byte sectors
		{"a GPT backup partition table", -512, "EFI PART", nil},         // UEFI 5.3.1: the last sector
		{"a GPT backup partition table", -4096, "EFI PART", nil},        //
		{"a BSD disk label", 512, "\x57\x45\x56\x82", nil},              // FreeBSD sys/disklabel.h
		{"an APM partition table", 512, "PM\x00\x00", nil},              // Inside Macintosh: Devices
		{"an MBR partition table or boot sector", 510, "\x55\xaa", nil}, // UEFI 5.2.1; a FAT volume has it too
	}
}

const (
	bcacheMagic   = "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"
	bcachefsMagic = "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"
	mdMagic       = "\xfc\x4e\x2b\xa9"
)
