package device

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// sparse is a target of any size of which only some places are not zero.
type sparse struct {
	size   int64
	places map[int64][]byte
}

func (s sparse) ReadAt(b []byte, off int64) (int, error) {
	clear(b)
	if off >= s.size {
		return 0, io.EOF
	}
	for at, text := range s.places {
		for k, c := range text {
			if p := at + int64(k) - off; p >= 0 && p < int64(len(b)) {
				b[p] = c
			}
		}
	}
	if off+int64(len(b)) > s.size {
		return int(s.size - off), io.EOF
	}
	return len(b), nil
}

func le(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		binary.Write(&b, binary.LittleEndian, v)
	}
	return b.Bytes()
}

const probeSize = 200 << 20

// Each pattern of the table is found where its document puts it, alone.
func TestEachKnownSignature(t *testing.T) {
	rest := map[string][]byte{ // what a check wants after the magic
		"an ext2, ext3 or ext4 file system": append(le(uint16(1)), make([]byte, 20)...),
		"NILFS2":                            le(uint16(280)),
		"an MD RAID member (1.1)":           le(uint32(1)),
		"an MD RAID member (1.2)":           le(uint32(1)),
		"an LVM physical volume":            append(make([]byte, 16), "LVM2 001"...),
		"a Minix file system":               le(uint16(1)),
	}
	for _, s := range known() {
		at := s.offset
		if at < 0 {
			at += probeSize
		}
		target := sparse{probeSize, map[int64][]byte{at: append([]byte(s.magic), rest[s.name]...)}}
		if s.name == "FAT" {
			target.places[510] = []byte{0x55, 0xaa}
		}
		found, err := probe(target, probeSize)
		if err != nil || !slices.Contains(found, s.name) {
			t.Errorf("%s at %d: found %v, err %v", s.name, s.offset, found, err)
		}
	}
}

func TestMovingSignatures(t *testing.T) {
	uberblock := le(uint64(0x00bab10c))
	for _, tc := range []struct {
		name string
		at   int64
		data []byte
	}{
		{"an MD RAID member (0.90)", probeSize - 64<<10, []byte(mdMagic)},
		{"an MD RAID member (1.0)", probeSize - 8<<10, []byte(mdMagic)},
		{"a ZFS member", 128<<10 + 5<<10, uberblock},
		{"a ZFS member", probeSize - 256<<10 + 128<<10, uberblock},
		{"a ZFS member", 256<<10 + 128<<10, []byte{0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c}},
	} {
		found, err := probe(sparse{probeSize, map[int64][]byte{tc.at: tc.data}}, probeSize)
		if err != nil || !slices.Contains(found, tc.name) {
			t.Errorf("%s at %d: found %v, err %v", tc.name, tc.at, found, err)
		}
	}
}

func TestNothingIsFoundInNothing(t *testing.T) {
	for _, size := range []int64{0, 1, 511, 512, 4096, 65537, 1 << 20, probeSize, 3 << 40} {
		found, err := probe(sparse{size: size}, size)
		if err != nil || len(found) > 0 {
			t.Errorf("%d bytes of zeros: found %v, err %v", size, found, err)
		}
	}
}

// A magic without what must follow it is data that happens to look so.
func TestWeakMagicsAreChecked(t *testing.T) {
	for name, place := range map[string]map[int64][]byte{
		"ext":  {1024 + 56: le(uint16(0xef53), uint16(0xffff))},
		"lvm":  {512: []byte("LABELONE")},
		"fat":  {54: []byte("FAT16   ")},
		"md":   {4096: le(uint32(0xa92b4efc), uint32(77))},
		"nilf": {1030: le(uint16(0x3434), uint16(0))},
	} {
		if found, _ := probe(sparse{probeSize, place}, probeSize); len(found) > 0 {
			t.Errorf("%s: found %v", name, found)
		}
	}
}

func TestBootSectorOfFileSystemIsNoPartitionTable(t *testing.T) {
	found, err := probe(sparse{probeSize, map[int64][]byte{3: []byte("NTFS    "), 510: {0x55, 0xaa}}}, probeSize)
	if err != nil || !slices.Equal(found, []string{"NTFS"}) {
		t.Errorf("found %v, err %v", found, err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("input/output error") }

// A target that cannot be read is not known to be empty.
func TestUnreadableTargetIsNotEmpty(t *testing.T) {
	_, err := probe(failing{}, probeSize)
	if err == nil || !strings.Contains(err.Error(), "look for a signature at byte 0") {
		t.Errorf("err = %v", err)
	}
}

func FuzzProbe(f *testing.F) {
	f.Add([]byte("LUKS\xba\xbe"), int64(4096))
	f.Add(append(make([]byte, 510), 0x55, 0xaa), int64(1<<20))
	f.Add(bytes.Repeat([]byte("EFI PART"), 200), int64(700))
	f.Fuzz(func(t *testing.T, head []byte, size int64) {
		if size < 0 || size > 1<<50 {
			return
		}
		if _, err := probe(sparse{size, map[int64][]byte{0: head}}, size); err != nil {
			t.Error(err)
		}
	})
}

// rawDisk reads as FreeBSD and Windows read a disk: in whole blocks or not at
// all.
type rawDisk struct {
	sparse
	block int64
}

func (d rawDisk) ReadAt(b []byte, off int64) (int, error) {
	if off%d.block != 0 || int64(len(b))%d.block != 0 || off+int64(len(b)) > d.size {
		return 0, syscall.EINVAL
	}
	return d.sparse.ReadAt(b, off)
}

// Every place is looked at in whole blocks, so that a raw disk can be probed.
func TestProbeInWholeBlocks(t *testing.T) {
	for _, block := range []int64{512, 4096} {
		for _, s := range known() {
			at := s.offset
			if at < 0 {
				at += probeSize
			}
			disk := rawDisk{sparse{probeSize, map[int64][]byte{at: []byte(s.magic)}}, block}
			want, err := probe(disk.sparse, probeSize)
			if err != nil {
				t.Fatal(err)
			}
			got, err := probe(wholeBlocks{disk, block}, probeSize)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, blocks of %d: %q, %v; want %q", s.name, block, got, err, want)
			}
		}
	}
	odd := sparse{1000, map[int64][]byte{990: []byte("end")}} // a file need not end with a block
	b := make([]byte, 20)
	if n, err := (wholeBlocks{odd, 512}).ReadAt(b, 990); n != 10 || err != io.EOF || string(b[:3]) != "end" {
		t.Errorf("%d bytes %q, %v", n, b, err)
	}
}
