package workloads

import (
	"errors"
	"fmt"
)

// ErrMisfit means that a Spec is sound but does not fit the target: its
// transfers are no multiple of the logical block, or its region does not hold
// one. The cell is to be skipped, not the run.
var ErrMisfit = errors.New("workload does not fit the target")

// Transfers of a spec that names none.
const defaultBytes = 4096

// leastBlock is the alignment that every target needs at least.
const leastBlock = 512

// area is a part of the target, in bytes; end is excluded.
type area struct{ begin, end int64 }

func (a area) len() int64 { return a.end - a.begin }

// slots returns how many addresses an operation of size bytes may take.
func (a area) slots(size, align int64) uint64 {
	return uint64((a.end-a.begin-size)/align) + 1
}

func alignDown(n, to int64) int64 { return n - n%to }

// alignUp returns the least multiple of to that is not below n, or n itself
// where that would overflow.
func alignUp(n, to int64) int64 {
	if r := n % to; r > 0 && n <= maxBytes-to {
		return n - r + to
	}
	return n
}

// maxBytes bounds every size and offset, so that sums of two cannot overflow.
const maxBytes = 1 << 61

// layout is a Spec placed on a target.
type layout struct {
	region          area
	least, greatest int64 // sizes of transfers
	align           int64 // of addresses, relative to the region's start
	block           int64
}

func (s Spec) sizes() []SizeShare {
	if len(s.Sizes) == 0 {
		return []SizeShare{{Bytes: defaultBytes, Share: 1}}
	}
	return s.Sizes
}

func (s Spec) extremes() (least, greatest int64) {
	if s.Uniform.Max > 0 {
		return s.Uniform.Min, s.Uniform.Max
	}
	list := s.sizes()
	least, greatest = list[0].Bytes, list[0].Bytes
	for _, size := range list[1:] {
		least, greatest = min(least, size.Bytes), max(greatest, size.Bytes)
	}
	return least, greatest
}

// alignment returns how addresses are aligned on a target of that block.
func (s Spec) alignment(block int64) int64 {
	least, greatest := s.extremes()
	switch {
	case s.Whole:
		return block
	case s.AlignBytes > 0:
		return s.AlignBytes
	case least == greatest:
		return least
	}
	return block
}

// place lays a checked spec out on a target.
func (s Spec) place(g Geometry) (layout, error) {
	l := layout{block: max(g.BlockBytes, 1)}
	l.least, l.greatest = s.extremes()
	l.align = s.alignment(l.block)
	if g.SizeBytes <= 0 || g.SizeBytes > maxBytes {
		return l, fmt.Errorf("place workload %s: target size %d bytes: %w", s.Name, g.SizeBytes, ErrMisfit)
	}
	if err := s.fitBlock(l.block); err != nil {
		return l, err
	}
	l.region = s.Region.on(g.SizeBytes, l.align, l.block)
	return l, s.fitRegion(l, g)
}

// on resolves the region on a target of size bytes. Shares are rounded inwards
// to the alignment; a region given in bytes is taken as it is.
func (r Region) on(size, align, block int64) area {
	switch {
	case r.Length > 0:
		return area{r.Offset, r.Offset + r.Length}
	case r.Offset > 0:
		return area{r.Offset, alignDown(size, block)}
	case r.To > 0:
		from := alignUp(shareOf(size, r.From), align)
		return area{from, max(from, alignDown(shareOf(size, r.To), block))}
	}
	return area{0, alignDown(size, block)}
}

// shareOf returns a share of n bytes. One multiplication rounds alike on every
// machine.
func shareOf(n int64, share float64) int64 {
	if share >= 1 {
		return n
	}
	return int64(float64(n) * share)
}

// Bytes returns the size of the region on the target, 0 where the spec does
// not fit it.
func (s Spec) Bytes(g Geometry) int64 {
	l, err := s.place(g)
	if err != nil {
		return 0
	}
	return l.region.len()
}

// MaxLen returns the largest read or write in bytes, 0 where the spec has
// neither: what a queue's buffers must hold.
func (s Spec) MaxLen(Geometry) int64 {
	if s.Whole || (s.Mix.Delete > 0 && s.Mix.Read == 0 && s.Mix.Write == 0) {
		return 0
	}
	_, greatest := s.extremes()
	return greatest
}

// Writes says whether the spec has writes.
func (s Spec) Writes() bool { return !s.Whole && s.Mix.Write > 0 }

// Deletes says whether the spec has deletes.
func (s Spec) Deletes() bool { return s.Whole || s.Mix.Delete > 0 }

// Granule returns the largest number of bytes of which every operation's
// length, and its distance from the region's start, is a multiple; 0 where the
// spec does not fit the target. Stamps are kept per granule.
func (s Spec) Granule(g Geometry) int64 {
	l, err := s.place(g)
	if err != nil {
		return 0
	}
	if s.Whole {
		return l.region.len()
	}
	granule := l.align
	if s.Uniform.Max > 0 {
		return gcd(gcd(granule, s.Uniform.Min), newSteps(s.Uniform, l.block).step)
	}
	for _, size := range s.sizes() {
		granule = gcd(granule, size.Bytes)
	}
	return granule
}

func gcd(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
