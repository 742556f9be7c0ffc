package curves

import (
	"cmp"
	"math"
	"slices"
)

// Step is a load point that was measured while a curve's points are still being
// chosen.
type Step struct {
	// Percent is the offered rate as a share of the maximum; 100 is the maximum.
	Percent float64
	// Seconds is the mean latency; +Inf where the target did not keep up, or
	// nothing came of the trial.
	Seconds float64
}

// Points are chosen in whole percents, none above the greatest share that a
// target keeps up with for sure; the first is the one that shows what latency is
// without any load to speak of.
const (
	lightest = 10
	heaviest = 97
)

// Next returns the percentage at which another load point tells most about where
// the curves bend, which all of them are then measured at; false when there is
// none left. It depends on nothing but the steps.
//
// A curve's knee is the point farthest below the straight line between its ends.
// As throughput grows with the offered rate and latency grows ever faster, the
// true knee lies between the neighbours of the best step so far. The curve whose
// neighbours are farthest apart is looked at, and the middle of one of its two
// gaps is next: of the upper one, where queues build up, unless the lower is more
// than half as wide again.
func Next(curves [][]Step) (percent float64, ok bool) {
	free := candidates(curves)
	if len(free) == 0 || free[0] == lightest {
		return lightest, len(free) > 0
	}
	widest := gap{}
	for _, steps := range curves {
		if g := bend(steps); g.high-g.low > widest.high-widest.low {
			widest = g
		}
	}
	middle := math.Floor((widest.low+widest.high)/2 + 0.5)
	return nearest(free, middle), true
}

// candidates are the percentages at which nothing was measured yet.
func candidates(curves [][]Step) (free []float64) {
	for p := float64(lightest); p <= heaviest; p++ {
		taken := func(steps []Step) bool {
			return slices.ContainsFunc(steps, func(s Step) bool { return s.Percent == p })
		}
		if !slices.ContainsFunc(curves, taken) {
			free = append(free, p)
		}
	}
	return free
}

// gap is a range of percentages in which nothing was measured.
type gap struct{ low, high float64 }

// bend is the gap beside a curve's knee that is looked into next.
func bend(steps []Step) gap {
	steps = slices.Clone(steps)
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.Percent, b.Percent) })
	if len(steps) == 0 {
		return gap{lightest, heaviest}
	}
	at := sharpest(steps)
	lower, upper := gap{steps[at].Percent, steps[at].Percent}, gap{steps[at].Percent, heaviest}
	if at > 0 {
		lower.low = steps[at-1].Percent
	}
	if at+1 < len(steps) {
		upper.high = steps[at+1].Percent
	}
	if lower.high-lower.low > 1.5*(upper.high-upper.low) {
		return lower
	}
	return upper
}

// sharpest is the step at the knee of sorted steps. One without a latency counts
// as being where the curve goes up.
func sharpest(steps []Step) int {
	most := 0.0
	for _, s := range steps {
		if !math.IsInf(s.Seconds, 1) {
			most = max(most, s.Seconds)
		}
	}
	curve := make([]sample, len(steps))
	for i, s := range steps {
		curve[i] = sample{throughput: s.Percent, latency: min(s.Seconds, most)}
	}
	return slices.Index(curve, knee(curve))
}

// nearest is the value of a sorted list that is nearest to another; of two as
// near the lower.
func nearest(sorted []float64, to float64) float64 {
	return slices.MinFunc(sorted, func(a, b float64) int { return cmp.Compare(math.Abs(a-to), math.Abs(b-to)) })
}
