package content

import (
	"encoding/binary"
	"hash/crc32"
)

// Every sector begins with a stamp, little-endian:
//
//	0  magic "iosw"
//	4  CRC-32C of the rest of the sector
//	8  device, a hash of its identity
//	16 offset in bytes
//	24 generation, from 1
//	28 run
const (
	sector    = 512
	stampSize = 32
	magic     = 0x77736f69
)

// identity is what all stamps of a run share.
type identity struct {
	device uint64
	run    uint32
	table  *crc32.Table
}

func newIdentity(device string, seed uint64) identity {
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte(device) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return identity{h, uint32(mix(seed) >> 32), crc32.MakeTable(crc32.Castagnoli)}
}

// stamp marks each sector of a block.
func (id *identity) stamp(off int64, generation uint32, block []byte) {
	for ; len(block) > 0; off, block = off+sector, block[sector:] {
		s := block[:sector]
		binary.LittleEndian.PutUint32(s, magic)
		binary.LittleEndian.PutUint64(s[8:], id.device)
		binary.LittleEndian.PutUint64(s[16:], uint64(off))
		binary.LittleEndian.PutUint32(s[24:], generation)
		binary.LittleEndian.PutUint32(s[28:], id.run)
		binary.LittleEndian.PutUint32(s[4:], crc32.Checksum(s[8:], id.table))
	}
}

// bounds are the generations that a block may hold.
type bounds struct{ least, most uint32 }

// inspect returns what is wrong with a block, or nil. Each sector must hold a
// generation within bounds; only a block in which an unfinished write is
// expected may mix them.
func (id *identity) inspect(off int64, block []byte, b bounds) *Fault {
	if b.most == 0 {
		return nil // never written: whatever was there before
	}
	fault := Fault{Off: off, Least: b.least, Most: b.most}
	sound, mixed := 0, false
	for at := 0; at < len(block); at += sector {
		place := off + int64(at)
		got, ok := id.read(&fault, place, block[at:at+sector])
		switch {
		case !ok:
			return fault.copy()
		case got >= b.least && got <= b.most:
			sound++
		case fault.Kind == 0:
			fault.Kind, fault.Sector, fault.Got = b.judge(got), place, got
		case got != fault.Got:
			mixed = true
		}
	}
	switch {
	case fault.Kind == 0:
		return nil
	case sound > 0 || mixed:
		fault.Kind = Torn
	}
	return fault.copy()
}

// copy moves a fault to the heap, which only blocks that have one should cost.
func (f Fault) copy() *Fault { return &f }

func (b bounds) judge(got uint32) Kind {
	switch {
	case got > b.most:
		return Ahead
	case got == 0:
		return Lost
	}
	return Stale
}

// read returns a sector's generation, 0 where it is not of this run. It is
// false, and fault tells why, where no generation can make the sector right.
func (id *identity) read(fault *Fault, place int64, s []byte) (uint32, bool) {
	if binary.LittleEndian.Uint32(s) != magic || binary.LittleEndian.Uint32(s[28:]) != id.run {
		return 0, true
	}
	fault.From = int64(binary.LittleEndian.Uint64(s[16:]))
	fault.Foreign = binary.LittleEndian.Uint64(s[8:]) != id.device
	generation := binary.LittleEndian.Uint32(s[24:])
	switch {
	case crc32.Checksum(s[8:], id.table) != binary.LittleEndian.Uint32(s[4:]):
		fault.Kind, fault.Foreign = Corrupt, false
	case fault.Foreign || fault.From != place:
		fault.Kind = Misplaced
	default:
		return generation, true
	}
	fault.Sector, fault.Got = place, generation
	return 0, false
}
