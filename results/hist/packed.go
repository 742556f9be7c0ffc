package hist

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// packed is the buckets in use, in rising order: of each how many empty ones lie
// before it and its count, as varints. A report holds thousands of histograms, of
// which chunks would take ten times the room.
type packed []byte

// all calls yield with the index and the count of each bucket.
func (p packed) all(yield func(i int, n int64) bool) {
	for next := 0; len(p) > 0; next++ {
		gap, a := binary.Uvarint(p)
		n, b := binary.Uvarint(p[a:])
		p = p[a+b:]
		next += int(gap)
		if !yield(next, int64(n)) {
			return
		}
	}
}

// unpack moves the packed buckets to chunks, so that they can be added to.
func (h *Hist) unpack() {
	from := h.packed
	h.packed = nil
	for i, n := range from.all {
		h.chunk(i >> chunkBits)[i&(chunkLen-1)] = n
	}
}

// packer makes a packed of pairs of gap and count.
type packer struct {
	out packed
	// next is the bucket behind the last.
	next int
}

// add appends a bucket; the error says that there is none so far up, or that it
// would be empty.
func (p *packer) add(gap, n int64) error {
	if gap < 0 || gap >= int64(buckets-p.next) {
		return errors.New("bucket outside the range")
	}
	if n <= 0 {
		return fmt.Errorf("count %d", n)
	}
	if p.out == nil {
		p.out = make(packed, 0, 1<<12)
	}
	p.out = binary.AppendUvarint(p.out, uint64(gap))
	p.out = binary.AppendUvarint(p.out, uint64(n))
	p.next += int(gap) + 1
	return nil
}

// addAll appends buckets from a list of gaps and counts by turns.
func (p *packer) addAll(pairs []int64) error {
	if len(pairs)%2 != 0 {
		return errors.New("a bucket without a count")
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := p.add(pairs[i], pairs[i+1]); err != nil {
			return fmt.Errorf("pair %d: %w", i/2, err)
		}
	}
	return nil
}

// packed returns what was added, in no more room than it takes.
func (p *packer) packed() packed {
	if len(p.out) == 0 {
		return nil
	}
	return append(make(packed, 0, len(p.out)), p.out...)
}
