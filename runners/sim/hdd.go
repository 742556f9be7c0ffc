package sim

import (
	"math"
	"slices"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// hdd is a disk with one arm. A request that starts where the last one ended
// costs its transfer only; any other costs a seek and a rotational wait first.
type hdd struct {
	p HDD
	// nsPerByte is the media's time for a byte.
	nsPerByte, capacity float64
	turn                time.Duration
	end                 int64 // where the last request ended
	served              uint64
}

func newHDD(m *Model) *hdd {
	return &hdd{p: *m.HDD, nsPerByte: 1e9 / m.HDD.MediaBytesPerSecond, capacity: float64(m.CapacityBytes), turn: time.Duration(60e9 / m.HDD.RPM), end: -1}
}

// pick is first in, first out without command queuing. With it, the nearest
// run of requests is next, unless the oldest has waited longer than the disk's
// limit.
func (h *hdd) pick(waiting []request, now time.Duration) int {
	if !h.p.Queuing || len(waiting) == 1 || now-waiting[0].issued > h.p.MaxWait {
		return 0
	}
	seen := waiting[:min(len(waiting), h.p.QueueDepth)]
	best, least := 0, math.MaxFloat64
	for i := range seen {
		if cost := h.positioning(&seen[i].op); cost < least {
			best, least = i, cost
		}
	}
	if least == 0 {
		return best
	}
	return first(seen, best)
}

// first goes back from a request to the beginning of the contiguous ones that
// it belongs to: served from there they cost one positioning.
func first(seen []request, i int) int {
	for back := 0; back < len(seen); back++ {
		before := slices.IndexFunc(seen, func(r request) bool { return r.op.Off+r.op.Len == seen[i].op.Off })
		if before < 0 {
			break
		}
		i = before
	}
	return i
}

// positioning is the expected cost of reaching a request, in nanoseconds.
func (h *hdd) positioning(op *workloads.Op) float64 {
	if op.Off == h.end {
		return 0
	}
	return h.seek(op.Off) + float64(h.turn)/2
}

// seek is the time to move the arm from where it is, in nanoseconds.
func (h *hdd) seek(to int64) float64 {
	distance := float64(to - max(h.end, 0))
	return float64(h.p.SeekBase) + float64(float64(h.p.SeekSpan)*math.Sqrt(math.Abs(distance)/h.capacity))
}

func (h *hdd) serve(op *workloads.Op, _ time.Duration) (time.Duration, int) {
	if op.Kind == workloads.Flush || op.Kind == workloads.Delete {
		return h.p.PerRequest, 1
	}
	ns := float64(h.p.PerRequest) + float64(float64(op.Len)*h.nsPerByte)
	if op.Off != h.end {
		h.served++
		ns += h.seek(op.Off) + float64(float64(h.turn)*unit(uint64(op.Off)^h.served*0x9e3779b97f4a7c15))
	}
	h.end = op.Off + op.Len
	return time.Duration(ns), 1
}

// unit turns a request's address and ordinal into a number uniform in [0, 1):
// where the platter happens to stand (the finaliser of SplitMix64).
func unit(x uint64) float64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}
