package profiles

import (
	"math"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/workloads"
)

// EstimateBytesPerSecond is the speed assumed of a target where nothing in the
// profile bounds how much a trial does.
const EstimateBytesPerSecond = 1e9

// estimateOpSeconds is the time assumed of one operation besides its bytes.
const estimateOpSeconds = 100e-6

// Estimate says what the plan will take of targets of sizeBytes each. A trial that
// ends with an amount is counted with the time for that at the assumed speed,
// its duration at most; one that can end early otherwise is counted in full.
func (plan *Plan) Estimate(sizeBytes int64) Cost {
	total := Cost{Bounded: true}
	prepared := map[int]bool{}
	for _, t := range plan.Trials {
		w := plan.Profile.Workloads[t.Workload]
		one := w.cost(t.Load, sizeBytes, !w.Prepare.Once || !prepared[t.Workload])
		prepared[t.Workload] = true
		total.Time = addTime(total.Time, one.Time)
		total.WriteBytes = addBytes(total.WriteBytes, one.WriteBytes)
		total.DeleteBytes = addBytes(total.DeleteBytes, one.DeleteBytes)
		total.Bounded = total.Bounded && one.Bounded
	}
	return total
}

// cost is what one trial takes, with what prepares it where it is prepared.
func (w Workload) cost(l results.Load, sizeBytes int64, prepared bool) Cost {
	window := w.window(l, sizeBytes)
	cost := Cost{Time: addTime(w.Measure.Settle, min(window, w.amountTime(l, sizeBytes))), Bounded: true}
	if prepared {
		for _, name := range w.Targets() {
			for _, e := range w.Extents(name, sizeBytes) {
				w.Prepare.addTo(&cost, e.Length)
			}
		}
		w.Prepare.addSteady(&cost)
	}
	for _, j := range w.JobsAt(l) {
		w.addJob(&cost, j, window, sizeBytes)
	}
	return cost
}

// addTo adds what preparing so many bytes takes.
func (p Prepare) addTo(cost *Cost, bytes int64) {
	if p.Delete {
		cost.DeleteBytes = addBytes(cost.DeleteBytes, bytes)
	}
	filled := float64(bytes) * float64(p.Fills)
	cost.WriteBytes = addBytes(cost.WriteBytes, bytesOf(filled))
	cost.Time = addTime(cost.Time, secondsOf(filled/EstimateBytesPerSecond))
}

// addSteady adds what all rounds take at the assumed speed.
func (p Prepare) addSteady(cost *Cost) {
	if p.Steady == nil {
		return
	}
	seconds := p.Steady.Round.Seconds() * float64(p.Steady.Rounds)
	cost.Time = addTime(cost.Time, secondsOf(seconds))
	cost.WriteBytes = addBytes(cost.WriteBytes, bytesOf(seconds*EstimateBytesPerSecond))
	cost.Bounded = false
}

// addJob adds what a job writes and deletes in its window.
func (w Workload) addJob(cost *Cost, j Job, window time.Duration, sizeBytes int64) {
	if !j.Spec.Writes() && !j.Spec.Deletes() {
		return
	}
	moved, bounded := w.jobBytes(j, window, sizeBytes)
	moved *= float64(max(1, j.Copies))
	cost.WriteBytes = addBytes(cost.WriteBytes, bytesOf(moved*kindShare(j.Spec, workloads.Write, bounded)))
	cost.DeleteBytes = addBytes(cost.DeleteBytes, bytesOf(moved*kindShare(j.Spec, workloads.Delete, bounded)))
	cost.Bounded = cost.Bounded && bounded
}

// kindShare is the share of a job's bytes that can be of one kind: of a bound
// all of it, since a mix is drawn, of an estimate its share.
func kindShare(s workloads.Spec, k workloads.Kind, bounded bool) float64 {
	share := mixShare(s.Mix, k)
	if bounded && share > 0 {
		return 1
	}
	return share
}

// jobBytes is the least of the job's bounds in bytes, or, when there is none,
// what it would move at the assumed speed.
func (w Workload) jobBytes(j Job, window time.Duration, sizeBytes int64) (moved float64, bounded bool) {
	region := float64(ExtentOf(j.Region, sizeBytes).Length)
	size := float64(largestOp(j.Spec))
	if j.Whole {
		size = region
	}
	moved = math.Inf(1)
	if j.Access.StopAtEnd && j.Stride.Max == 0 {
		moved = region
	}
	if j.Rate > 0 && j.Arrivals == workloads.Deterministic {
		moved = min(moved, (math.Ceil(j.Rate*window.Seconds())+1)*size)
	}
	if w.Measure.Warmup == 0 && w.Measure.Bytes > 0 {
		moved = min(moved, float64(w.Measure.Bytes)+float64(max(1, j.Depth))*size)
	}
	if w.Measure.Warmup == 0 && w.Measure.Ops > 0 {
		moved = min(moved, float64(w.Measure.Ops+int64(max(1, j.Depth)))*size)
	}
	if !math.IsInf(moved, 1) {
		return moved, true
	}
	if j.Rate > 0 {
		return j.Rate * window.Seconds() * size, false
	}
	return EstimateBytesPerSecond * window.Seconds(), false
}

// window is the longest that the warm-up and the measured window can be: the
// bound, or, without one, the time for the amount at the assumed speed.
func (w Workload) window(l results.Load, sizeBytes int64) time.Duration {
	m := w.Measure
	if m.Duration > 0 {
		return m.Warmup + m.Duration
	}
	return w.amountTime(l, sizeBytes)
}

// amountTime is the warm-up and the time for the amount at the assumed speed:
// without an amount the longest there is.
func (w Workload) amountTime(l results.Load, sizeBytes int64) time.Duration {
	m := w.Measure
	var largest int64
	for _, j := range w.JobsAt(l) {
		size := largestOp(j.Spec)
		if j.Whole {
			size = ExtentOf(j.Region, sizeBytes).Length
		}
		largest = max(largest, size)
	}
	each := float64(largest)/EstimateBytesPerSecond + estimateOpSeconds
	seconds := math.Inf(1)
	if m.Ops > 0 {
		seconds = float64(m.Ops) * each
	}
	if m.Bytes > 0 {
		seconds = min(seconds, float64(m.Bytes)/float64(max(1, largest))*each)
	}
	return addTime(m.Warmup, secondsOf(seconds))
}

// secondsOf and bytesOf convert, and stop at the largest value there is.
func secondsOf(s float64) time.Duration {
	if s >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(s * float64(time.Second))
}

func bytesOf(v float64) int64 {
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Ceil(v))
}

func addTime(a, b time.Duration) time.Duration {
	return time.Duration(addBytes(int64(a), int64(b)))
}

func addBytes(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
