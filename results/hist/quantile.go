package hist

import "math"

// QuantileSeconds returns the time that the share q (0 to 1) of the recorded
// ones does not exceed, by nearest rank and within 0.05 %, never outside the
// exact minimum and maximum. It returns false when the histogram is empty, q is
// not in 0..1, or there are too few times for the quantile to mean anything: at
// least one must be expected beyond it, so p99.9 needs 1000 of them. The ends,
// q = 0 and q = 1, are the exact minimum and maximum and need only one.
//
// A quantile that falls among the times above Range is given as the exact
// maximum, which is then an upper bound.
func (h *Hist) QuantileSeconds(q float64) (float64, bool) {
	n := h.Count()
	if n == 0 || !(q >= 0 && q <= 1) {
		return 0, false
	}
	switch {
	case q == 0:
		return seconds(h.min), true
	case q == 1:
		return seconds(h.max), true
	case float64(n)*(1-q) < 1-1e-9:
		return 0, false
	}
	return h.atRank(rank(q, n)), true
}

// rank is the nearest rank of q among n, from 1. A product that is a whole
// number but for rounding must not be pushed to the next rank.
func rank(q float64, n int64) int64 {
	r := int64(math.Ceil(q*float64(n) - 1e-9*float64(n)*q))
	return min(max(r, 1), n)
}

// atRank returns the middle of the bucket that holds the rank-th time, capped
// at the exact ends.
func (h *Hist) atRank(rank int64) float64 {
	var seen int64
	for i, n := range h.all {
		seen = addCapped(seen, n)
		if seen < rank {
			continue
		}
		low, high := bounds(i)
		low, high = max(low, h.min), min(high, h.max)
		return (seconds(low) + seconds(high)) / 2
	}
	return seconds(h.max)
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
