// Package hist keeps latencies in mergeable log-linear histograms.
//
// A bucket is at most 1/1024 of its value wide, so any figure read back is
// within 0.05 % of the recorded one (three significant digits) from 1 ns to
// Range, a little over an hour. Below 2048 ns every nanosecond has its own
// bucket. The smallest and largest value, their sum and their number are exact.
// What lies above Range is counted apart, so that no time is ever lost.
package hist

import (
	"iter"
	"math"
	"math/bits"
	"time"
)

const (
	// subBits is the logarithm of the buckets per octave.
	subBits = 10
	sub     = 1 << subBits
	// topBits is the number of bits of the largest value that has a bucket.
	topBits = 42
	buckets = (topBits - subBits + 1) * sub

	// Buckets are allocated in chunks, since a job's latencies occupy a few of
	// the octaves only and a report may hold thousands of histograms.
	chunkBits = 6
	chunkLen  = 1 << chunkBits
	chunks    = buckets / chunkLen
)

// Range is the first time that is above the histogram's buckets: 2^42 ns, or
// 73 minutes.
const Range = time.Duration(1) << topBits

type chunk [chunkLen]int64

// Hist counts times. Its zero value is ready for use, and the methods that only
// read are safe on a nil Hist, which is empty. It is not safe for concurrent
// use, but for reading.
type Hist struct {
	// chunks is nil, or has a place for each chunk.
	chunks []*chunk
	// packed holds the buckets instead of chunks in a histogram that was read and
	// to which nothing was added since.
	packed   packed
	above    int64
	count    int64
	sum      int64 // ns; good for 292 years of waiting, then it sticks
	min, max int64
}

// New returns an empty histogram.
func New() *Hist { return &Hist{} }

// index returns the bucket of ns, which must be in [0, Range).
func index(ns int64) int {
	shift := max(bits.Len64(uint64(ns)), subBits+1) - (subBits + 1)
	return shift<<subBits + int(ns>>shift)
}

// bounds returns the first and the last value of bucket i, in ns.
func bounds(i int) (low, high int64) {
	shift := max(i>>subBits, 1) - 1
	low = int64(i-shift<<subBits) << shift
	return low, low + 1<<shift - 1
}

// Record counts one time in ns. A negative time counts as zero. It allocates
// only when a value falls in a part of the range not seen before.
func (h *Hist) Record(ns int64) {
	ns = max(ns, 0)
	if ns >= int64(Range) {
		h.above++
	} else {
		i := index(ns)
		h.chunk(i >> chunkBits)[i&(chunkLen-1)]++
	}
	if h.count == 0 || ns < h.min {
		h.min = ns
	}
	h.max = max(h.max, ns)
	h.count++
	h.sum = addCapped(h.sum, ns)
}

// chunk is the n-th chunk, made when it is not there.
func (h *Hist) chunk(n int) *chunk {
	if n < len(h.chunks) && h.chunks[n] != nil {
		return h.chunks[n]
	}
	return h.grow(n)
}

func (h *Hist) grow(n int) *chunk {
	if h.chunks == nil {
		h.chunks = make([]*chunk, chunks)
		h.unpack()
	}
	if h.chunks[n] == nil { // it may have been packed
		h.chunks[n] = new(chunk)
	}
	return h.chunks[n]
}

// addCapped adds two numbers that are not negative; a sum too large sticks at
// the largest number instead of turning negative.
func addCapped(a, b int64) int64 {
	if s := a + b; s >= 0 {
		return s
	}
	return math.MaxInt64
}

// Merge adds what o counted. The result is the one that recording all values in
// one histogram would have given. A nil o adds nothing.
func (h *Hist) Merge(o *Hist) {
	if o.Count() == 0 {
		return
	}
	for i, n := range o.all {
		c := h.chunk(i >> chunkBits)
		c[i&(chunkLen-1)] = addCapped(c[i&(chunkLen-1)], n)
	}
	if h.count == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.above = addCapped(h.above, o.above)
	h.count = addCapped(h.count, o.count)
	h.sum = addCapped(h.sum, o.sum)
}

// Equal says that both hold the same times, as far as a Hist tells them apart.
func (h *Hist) Equal(o *Hist) bool {
	if h.Count() != o.Count() || h.Count() == 0 {
		return h.Count() == o.Count()
	}
	if h.above != o.above || h.sum != o.sum || h.min != o.min || h.max != o.max {
		return false
	}
	next, stop := iter.Pull2(o.all)
	defer stop()
	for i, n := range h.all {
		if k, m, ok := next(); !ok || k != i || m != n {
			return false
		}
	}
	_, _, more := next()
	return !more
}

// Count is how many times were recorded, those above the range included.
func (h *Hist) Count() int64 {
	if h == nil {
		return 0
	}
	return h.count
}

// Above is how many of them were at or above Range.
func (h *Hist) Above() int64 {
	if h == nil {
		return 0
	}
	return h.above
}

// Min is the smallest recorded time, exactly; 0 when there is none.
func (h *Hist) Min() time.Duration {
	if h == nil {
		return 0
	}
	return time.Duration(h.min)
}

// Max is the largest recorded time, exactly, above the range too; 0 when there
// is none.
func (h *Hist) Max() time.Duration {
	if h == nil {
		return 0
	}
	return time.Duration(h.max)
}

// MeanSeconds is the mean of the recorded times, exact but for rounding; false
// when there is none.
func (h *Hist) MeanSeconds() (float64, bool) {
	if h.Count() == 0 {
		return 0, false
	}
	return float64(h.sum) / float64(h.count) / 1e9, true
}

// Buckets calls yield with each bucket that counted something, in rising order:
// its first and last value in ns, both included, and its count. Counts above
// the range come last, as one bucket from Range to the exact maximum.
func (h *Hist) Buckets(yield func(lowNs, highNs, count int64) bool) {
	if h == nil {
		return
	}
	for i, n := range h.all {
		low, high := bounds(i)
		if !yield(low, high, n) {
			return
		}
	}
	if h.above > 0 {
		yield(int64(Range), h.max, h.above)
	}
}

// all calls yield with the index and the count of each bucket in use.
func (h *Hist) all(yield func(i int, n int64) bool) {
	if h.packed != nil {
		h.packed.all(yield)
		return
	}
	for k, c := range h.chunks {
		if c == nil {
			continue
		}
		for j, n := range c {
			if n != 0 && !yield(k<<chunkBits+j, n) {
				return
			}
		}
	}
}
