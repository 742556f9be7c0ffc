package hist

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// format names the layout of the buckets in stored histograms: base-2 octaves
// of 1024 buckets over nanoseconds.
const format = "log2/1024ns"

// ErrCorrupt means that a stored histogram contradicts itself.
var ErrCorrupt = errors.New("corrupt histogram")

// stored is the JSON form. Buckets holds pairs: how many buckets lie between
// this one and the one before (the first: its index), and its count. Empty
// buckets are not stored.
type stored struct {
	Format  string  `json:"format"`
	Count   int64   `json:"count"`
	Above   int64   `json:"above,omitempty"`
	MinNs   int64   `json:"min_ns"`
	MaxNs   int64   `json:"max_ns"`
	SumNs   int64   `json:"sum_ns"`
	Buckets []int64 `json:"buckets"`
}

// MarshalJSON writes the sparse form, from which UnmarshalJSON restores the
// same histogram exactly.
func (h *Hist) MarshalJSON() ([]byte, error) {
	b := fmt.Appendf(nil, `{"format":%q,"count":%d,`, format, h.count)
	if h.above > 0 {
		b = fmt.Appendf(b, `"above":%d,`, h.above)
	}
	b = fmt.Appendf(b, `"min_ns":%d,"max_ns":%d,"sum_ns":%d,"buckets":[`, h.min, h.max, h.sum)
	next := 0
	for i, n := range h.all {
		if next > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(i-next), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, n, 10)
		next = i + 1
	}
	return append(b, "]}"...), nil
}

// UnmarshalJSON replaces h with the stored histogram. It refuses one that
// contradicts itself with an error that wraps ErrCorrupt, and leaves h as it
// was then.
func (h *Hist) UnmarshalJSON(text []byte) error {
	var buckets packer
	s, ok := canonical(text, &buckets)
	if !ok {
		s, buckets = stored{}, packer{}
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("read histogram: %w", err)
		}
	}
	read, err := s.hist(&buckets)
	if err != nil {
		return fmt.Errorf("read histogram: %w: %w", err, ErrCorrupt)
	}
	*h = *read
	return nil
}

// hist makes the histogram of what is stored; buckets may hold some already.
func (s *stored) hist(buckets *packer) (*Hist, error) {
	if s.Format != format {
		return nil, fmt.Errorf("format %q, this version reads %q", s.Format, format)
	}
	if err := buckets.addAll(s.Buckets); err != nil {
		return nil, err
	}
	h := &Hist{above: s.Above, count: s.Count, sum: s.SumNs, min: s.MinNs, max: s.MaxNs, packed: buckets.packed()}
	return h, h.check()
}

// check compares the totals with the buckets.
func (h *Hist) check() error {
	total, first, last := h.above, -1, -1
	for i, n := range h.all {
		total = addCapped(total, n)
		if first < 0 {
			first = i
		}
		last = i
	}
	switch {
	case h.above < 0 || h.count < 0 || h.sum < 0 || h.min < 0 || h.max < h.min:
		return errors.New("a negative total, or a maximum below the minimum")
	case total != h.count:
		return fmt.Errorf("count %d, but the buckets hold %d", h.count, total)
	case h.count == 0 && (h.sum != 0 || h.max != 0):
		return errors.New("an empty histogram with a sum or a maximum")
	case h.count > 0 && !inBucket(h.min, first):
		return fmt.Errorf("minimum %d ns is not in the first bucket", h.min)
	case h.above > 0 && h.max < int64(Range), h.above == 0 && h.count > 0 && !inBucket(h.max, last):
		return fmt.Errorf("maximum %d ns is not in the last bucket", h.max)
	case h.sum < times(h.count, h.min) || h.sum > times(h.count, h.max):
		return fmt.Errorf("sum %d ns is impossible for %d values", h.sum, h.count)
	}
	return nil
}

// inBucket says whether ns belongs in bucket i; -1 stands for above the range.
func inBucket(ns int64, i int) bool {
	if i < 0 || ns >= int64(Range) {
		return i < 0 && ns >= int64(Range)
	}
	return index(ns) == i
}

// times multiplies two numbers that are not negative, capped like addCapped.
func times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
