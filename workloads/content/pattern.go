// Package content makes what is written and judges what is read.
//
// A Pattern fills buffers with data that compresses and deduplicates as asked.
// Stamps adds to each sector where and when it was written, and so finds reads
// that bring something else; its journal lets a later run find it too.
//
// Both fit the engines' content hook: Fill before a write is issued, Check
// after a read. All content is a pure function of the seed, the offset and the
// generation.
package content

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/iosweep/iosweep/workloads"
)

const (
	// grain is the piece that is compressible as a whole: its first part is
	// random, the rest zeros. 4 KiB is the smallest block that a compressing
	// target is likely to look at.
	grain = 4096
	// defaultDedupUnit applies where Data has none.
	defaultDedupUnit = 128 << 10
)

// Pattern is data of a compression and a deduplication ratio.
type Pattern struct {
	seed   uint64
	random int64 // bytes of each grain that do not compress
	unit   int64 // of deduplication
	dedup  float64
}

// NewPattern returns the content that a job's Data asks for.
func NewPattern(d workloads.Data, seed uint64) *Pattern {
	p := &Pattern{seed: seed, random: grain, unit: d.DedupUnit, dedup: max(d.DedupRatio, 1)}
	if d.CompressRatio > 1 {
		p.random = max(8, int64(math.Round(grain/8/d.CompressRatio))*8)
	}
	if p.unit == 0 {
		p.unit = defaultDedupUnit
	}
	return p
}

// Fill implements the engines' hook.
func (p *Pattern) Fill(op workloads.Op, buf []byte) { p.fill(op.Off, 0, buf) }

// Check accepts everything: a pattern cannot tell what a block should hold.
func (p *Pattern) Check(workloads.Op, []byte) error { return nil }

// fill writes the content of a generation of the bytes from off.
func (p *Pattern) fill(off int64, generation uint32, buf []byte) {
	for len(buf) > 0 {
		n := min(int64(len(buf)), grain-off%grain)
		p.fillGrain(off, generation, buf[:n])
		off, buf = off+n, buf[n:]
	}
}

// fillGrain fills bytes that lie within one grain.
func (p *Pattern) fillGrain(off int64, generation uint32, buf []byte) {
	within := off % grain
	n := min(max(p.random-within, 0), int64(len(buf)))
	p.randomise(p.key(off-within, generation), within, buf[:n])
	clear(buf[n:])
}

// key identifies a grain's content. Of each run of dedup units in a row all
// have the same; then a rewrite does not change it, or the ratio would decay.
func (p *Pattern) key(off int64, generation uint32) uint64 {
	if p.dedup == 1 {
		return mix(p.seed ^ mix(uint64(off)^uint64(generation)<<48))
	}
	set := uint64(float64(off/p.unit) / p.dedup)
	return mix(p.seed ^ mix(set) ^ mix(uint64(off%p.unit)+1)<<1)
}

// randomise writes the bytes from within of the sequence that key begins.
func (p *Pattern) randomise(key uint64, within int64, buf []byte) {
	word := uint64(within / 8)
	if skip := within % 8; skip > 0 {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], draw(key, word))
		buf = buf[copy(buf, w[skip:]):]
		word++
	}
	for ; len(buf) >= 8; buf = buf[8:] {
		binary.LittleEndian.PutUint64(buf, draw(key, word))
		word++
	}
	if len(buf) > 0 {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], draw(key, word))
		copy(buf, w[:])
	}
}

// draw returns a word of the sequence that key begins: both halves of a
// product of the key and the word's number, each spread by an odd constant.
func draw(key, word uint64) uint64 {
	x := key + (word+1)*0x9e3779b97f4a7c15
	hi, lo := bits.Mul64(x, x^0xe7037ed1a0b428db)
	return hi ^ lo
}

// mix spreads x over the whole word (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
