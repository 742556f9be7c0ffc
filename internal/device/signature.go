package device

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// signature is a pattern by which a file system, RAID member or partition table
// is known. Offset counts from the start, or from the end where it is negative.
type signature struct {
	name   string
	offset int64
	magic  string
	// check looks further where the magic alone is too weak; block begins at
	// offset. Nil: the magic is enough.
	check func(block []byte) bool
}

// known lists what is looked for, with the document or source that defines each
// pattern. More exist; a device with none of these may still hold data, which
// is why an operator also types its id.
func known() []signature {
	table := []signature{
		{"a LUKS1 or LUKS2 header", 0, "LUKS\xba\xbe", nil},                     // LUKS on-disk format 1.2.3, 2.0
		{"a LUKS2 second header", 0x4000, "SKUL\xba\xbe", nil},                  // LUKS2 2.1
		{"XFS", 0, "XFSB", nil},                                                 // Linux fs/xfs/libxfs/xfs_format.h
		{"a GPT partition table", 512, "EFI PART", nil},                         // UEFI 5.3.2, 512-byte sectors
		{"a GPT partition table", 4096, "EFI PART", nil},                        // 4096-byte sectors
		{"a GPT backup partition table", -512, "EFI PART", nil},                 // UEFI 5.3.1: the last sector
		{"a GPT backup partition table", -4096, "EFI PART", nil},                //
		{"btrfs", 0x10040, "_BHRfS_M", nil},                                     // Linux uapi/linux/btrfs_tree.h
		{"btrfs (second copy)", 0x4000040, "_BHRfS_M", nil},                     //
		{"bcache", 4096 + 24, bcacheMagic, nil},                                 // Linux bcache: SB_SECTOR 8
		{"bcachefs", 4096 + 24, bcachefsMagic, nil},                             // Linux fs/bcachefs/bcachefs_format.h
		{"F2FS", 1024, "\x10\x20\xf5\xf2", nil},                                 // Linux uapi/linux/magic.h
		{"ISO 9660", 0x8001, "CD001", nil},                                      // ECMA-119 8.4
		{"UDF", 0x8001, "BEA01", nil},                                           // ECMA-167 2/9.1
		{"NTFS", 3, "NTFS    ", nil},                                            // OEM id of its boot sector
		{"exFAT", 3, "EXFAT   ", nil},                                           // exFAT specification 3.1.2
		{"ReFS", 3, "ReFS\x00\x00\x00\x00", nil},                                // OEM id of its boot sector
		{"BitLocker", 3, "-FVE-FS-", nil},                                       // OEM id of its boot sector
		{"FAT", 54, "FAT12   ", bootMark(54)},                                   // FAT specification 1.03, BS_FilSysType
		{"FAT", 54, "FAT16   ", bootMark(54)},                                   //
		{"FAT", 54, "FAT     ", bootMark(54)},                                   //
		{"FAT", 82, "FAT32   ", bootMark(82)},                                   //
		{"JFS", 0x8000, "JFS1", nil},                                            // Linux fs/jfs/jfs_superblock.h
		{"ReiserFS", 0x10034, "ReIsEr", nil},                                    // reiserfs_fs.h
		{"NILFS2", 1024 + 6, "\x34\x34", nilfs},                                 // Linux uapi/linux/nilfs2_ondisk.h
		{"SquashFS", 0, "hsqs", nil},                                            // Linux fs/squashfs/squashfs_fs.h
		{"EROFS", 1024, "\xe2\xe1\xf5\xe0", nil},                                // Linux fs/erofs/erofs_fs.h
		{"HFS+", 1024, "H+\x00\x04", nil},                                       // Apple TN1150
		{"HFSX", 1024, "HX\x00\x05", nil},                                       //
		{"APFS", 32, "NXSB", nil},                                               // Apple File System Reference, nx_magic
		{"GFS2", 0x10000, "\x01\x16\x19\x70", nil},                              // Linux uapi/linux/gfs2_ondisk.h
		{"OCFS2", 0x2000, "OCFSV2", nil},                                        // Linux fs/ocfs2/ocfs2_fs.h, 4 KiB blocks
		{"VMFS", 0x100000, "\x0d\xd0\x01\xc0", nil},                             // libblkid's description of VMFS volumes
		{"UFS2", 0x10000 + 1372, "\x19\x01\x54\x19", nil},                       // FreeBSD sys/ufs/ffs/fs.h, SBLOCK_UFS2
		{"UFS1", 0x2000 + 1372, "\x54\x19\x01\x00", nil},                        // SBLOCK_UFS1
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
		{"a BSD disk label", 512, "\x57\x45\x56\x82", nil},                      // FreeBSD sys/disklabel.h
		{"an APM partition table", 512, "PM\x00\x00", nil},                      // Inside Macintosh: Devices
		{"a Minix file system", 1024 + 16, "\x7f\x13", minix},                   // Linux uapi/linux/minix_fs.h
		{"a Minix file system", 1024 + 16, "\x8f\x13", minix},                   //
		{"a Minix file system", 1024 + 16, "\x68\x24", minix},                   //
		{"a Minix file system", 1024 + 16, "\x78\x24", minix},                   //
		{"an ext2, ext3 or ext4 file system", 1024 + 56, "\x53\xef", ext},       // Linux fs/ext4/ext4.h: s_magic
		{"an MBR partition table or boot sector", 510, "\x55\xaa", nil},         // UEFI 5.2.1; a FAT volume has it too
		{"a VxFS file system", 1024, "\xf5\xfc\x01\xa5", nil},                   // Linux fs/freevxfs/vxfs.h
		{"a swap area being used by suspend", 4096 - 10, "S1SUSPEND", nil},      // Linux kernel/power/swap.c
		{"a suspended swap area", 4096 - 10, "LINHIB0001", nil},                 //
		{"a CRAMFS file system", 0, "\x45\x3d\xcd\x28", nil},                    // Linux uapi/linux/cramfs_fs.h
		{"a Stratis pool member", 512 + 4, "!Stra0tis\x86\xff\x02^\x41rh", nil}, // Stratis static header
	}
	for _, page := range []int64{4096, 8192, 16384, 65536} { // Linux mm/swapfile.c: the last 10 bytes of the first page
		table = append(table, signature{"swap", page - 10, "SWAPSPACE2", nil}, signature{"swap", page - 10, "SWAP-SPACE", nil})
	}
	for sector := int64(0); sector < 4; sector++ { // LVM2 format_text: label in one of the first four sectors
		table = append(table, signature{"an LVM physical volume", sector * 512, "LABELONE", lvm})
	}
	return table
}

const (
	bcacheMagic   = "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"
	bcachefsMagic = "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"
	mdMagic       = "\xfc\x4e\x2b\xa9"
)

// probeBytes is how much of a block a check may look at.
const probeBytes = 1024

// probe looks for every known signature on a target of sizeBytes and returns
// the names of those found. A part that cannot be read is an error: a target
// that cannot be looked at is not known to be empty.
func probe(r io.ReaderAt, sizeBytes int64) ([]string, error) {
	var found []string
	for _, s := range known() {
		block, err := window(r, s.offset, sizeBytes)
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(block, []byte(s.magic)) && (s.check == nil || s.check(block)) {
			found = append(found, s.name)
		}
	}
	more, err := probeMoving(r, sizeBytes)
	found = append(found, more...)
	return unlessBoot(slices.Compact(found)), err
}

// unlessBoot drops the boot sector's own mark where a file system that has one
// was found.
func unlessBoot(found []string) []string {
	const boot = "an MBR partition table or boot sector"
	for _, fs := range []string{"NTFS", "exFAT", "FAT", "ReFS", "BitLocker"} {
		if slices.Contains(found, fs) {
			return slices.DeleteFunc(found, func(s string) bool { return s == boot })
		}
	}
	return found
}

// window reads up to probeBytes at an offset from the start or, negative, from
// the end. What lies outside the target is empty.
func window(r io.ReaderAt, offset, sizeBytes int64) ([]byte, error) {
	if offset < 0 {
		offset += sizeBytes
	}
	if offset < 0 || offset >= sizeBytes {
		return nil, nil
	}
	buf := make([]byte, min(probeBytes*2, sizeBytes-offset))
	n, err := r.ReadAt(buf, offset)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("look for a signature at byte %d: %w", offset, err)
	}
	return buf[:n], nil
}

// probeMoving looks for those whose place depends on the target's size: MD 0.90
// and 1.0, and ZFS.
func probeMoving(r io.ReaderAt, sizeBytes int64) ([]string, error) {
	var found []string
	// Linux md_p.h: MD_NEW_SIZE_SECTORS puts 0.90 in the last whole 64 KiB, and
	// md.c puts 1.0 at 8 KiB from the end, down to 4 KiB.
	places := []struct {
		name   string
		offset int64
	}{
		{"an MD RAID member (0.90)", sizeBytes&^0xffff - 0x10000},
		{"an MD RAID member (1.0)", (sizeBytes - 0x2000) &^ 0xfff},
	}
	for _, p := range places {
		if p.offset < 0 {
			continue
		}
		block, err := window(r, p.offset, sizeBytes)
		if err != nil {
			return found, err
		}
		if bytes.HasPrefix(block, []byte(mdMagic)) || bytes.HasPrefix(block, []byte("\xa9\x2b\x4e\xfc")) {
			found = append(found, p.name)
		}
	}
	zfs, err := probeZFS(r, sizeBytes)
	if zfs {
		found = append(found, "a ZFS member")
	}
	return found, err
}

// probeZFS looks at the four labels: two at the start, two at the end of the
// space rounded down to 256 KiB. Each has uberblocks from its second 128 KiB
// on, at a step of 1 KiB to 8 KiB (OpenZFS vdev_impl.h, uberblock_impl.h).
func probeZFS(r io.ReaderAt, sizeBytes int64) (bool, error) {
	const label, ring, slot = 256 << 10, 128 << 10, 1 << 10
	end := sizeBytes &^ (label - 1)
	buf := make([]byte, ring)
	for _, start := range []int64{0, label, end - 2*label, end - label} {
		if start < 0 || start+label > sizeBytes {
			continue
		}
		if _, err := r.ReadAt(buf, start+ring); err != nil && err != io.EOF {
			return false, fmt.Errorf("look for a ZFS label at byte %d: %w", start, err)
		}
		for at := 0; at < ring; at += slot {
			if binary.LittleEndian.Uint64(buf[at:]) == 0x00bab10c || binary.BigEndian.Uint64(buf[at:]) == 0x00bab10c {
				return true, nil
			}
		}
	}
	return false, nil
}

// bootMark asks for the boot sector's 55 AA, as "FAT" alone could be text.
func bootMark(at int) func([]byte) bool {
	return func(block []byte) bool { return len(block) >= 512-at && block[510-at] == 0x55 && block[511-at] == 0xaa }
}

// ext asks for a state and a revision that exist, 2 and 20 bytes after the
// magic: two bytes of magic alone come up in data by chance.
func ext(block []byte) bool {
	return len(block) >= 24 && binary.LittleEndian.Uint16(block[2:]) < 0x40 && binary.LittleEndian.Uint32(block[20:]) < 2
}

// minix asks for a file system state of clean or with errors.
func minix(block []byte) bool { return len(block) >= 4 && binary.LittleEndian.Uint16(block[2:]) < 4 }

// nilfs asks for a plausible superblock size, which follows the magic.
func nilfs(block []byte) bool {
	return len(block) >= 4 && binary.LittleEndian.Uint16(block[2:]) <= 1024 && binary.LittleEndian.Uint16(block[2:]) > 0
}

// mdVersion asks for major version 1, which follows the magic.
func mdVersion(block []byte) bool {
	return len(block) >= 8 && binary.LittleEndian.Uint32(block[4:]) == 1
}

// lvm asks for the label's type, at 24 of its sector.
func lvm(block []byte) bool {
	return len(block) >= 32 && string(block[24:32]) == "LVM2 001"
}
