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

// wholeBlocks reads in whole blocks, the only way in which FreeBSD and Windows
// let a disk be read.
type wholeBlocks struct {
	r     io.ReaderAt
	block int64
}

// ReadAt implements io.ReaderAt.
func (w wholeBlocks) ReadAt(p []byte, off int64) (int, error) {
	begin := off / w.block * w.block
	end := (off + int64(len(p)) + w.block - 1) / w.block * w.block
	// The allocator puts whole pages at the start of one, as drivers like it.
	const page = 4096
	buf := make([]byte, end-begin, (end-begin+page-1)/page*page)
	n, err := w.r.ReadAt(buf, begin)
	n = copy(p, buf[min(int64(n), off-begin):n])
	if n == len(p) {
		err = nil
	}
	return n, err
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
