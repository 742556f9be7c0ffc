package curves

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// queue is the mean latency of a queue with one server of exponential times
// (M/M/1) at a share of its rate, at most that of depth operations outstanding.
func queue(percent, depth float64) float64 {
	return min(1/(1-percent/100), depth)
}

// trueKnee is where the curve from 10 % to the maximum lies farthest below the
// line between its ends.
func trueKnee(depth float64) float64 {
	var curve []sample
	for p := 10.0; p <= 100; p += 0.01 {
		curve = append(curve, sample{throughput: p, latency: queue(p, depth)})
	}
	return knee(curve).throughput
}

// adapt chooses n points on curves of such queues, after the maximum of each.
func adapt(n int, depths ...float64) (all [][]Step) {
	for _, d := range depths {
		all = append(all, []Step{{100, d}})
	}
	for range n {
		p, ok := Next(all)
		if !ok {
			return all
		}
		for i, d := range depths {
			all[i] = append(all[i], Step{p, queue(p, d)})
		}
	}
	return all
}

func kneeOf(steps []Step) float64 {
	slices.SortFunc(steps, func(a, b Step) int { return int(a.Percent - b.Percent) })
	return steps[sharpest(steps)].Percent
}

// Five points that are chosen find the knee of a queue better than the seven of
// load: curve.
func TestNextFindsTheKneeWithFewerPoints(t *testing.T) {
	var chosen, fixed float64
	depths := []float64{3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256}
	for _, d := range depths {
		list := []Step{{100, d}}
		for _, p := range []float64{10, 30, 50, 70, 80, 90, 95} {
			list = append(list, Step{p, queue(p, d)})
		}
		truth, byList, byChoice := trueKnee(d), kneeOf(list), kneeOf(adapt(5, d)[0])
		t.Logf("depth %v: knee at %.1f %%, by the list %v, chosen %v", d, truth, byList, byChoice)
		fixed += math.Abs(byList-truth) / float64(len(depths))
		chosen += math.Abs(byChoice-truth) / float64(len(depths))
	}
	t.Logf("mean error: %.2f points of a hundred with 7 fixed ones, %.2f with 5 chosen", fixed, chosen)
	if chosen > fixed {
		t.Errorf("mean error %.2f with 5 chosen points, %.2f with 7 fixed ones", chosen, fixed)
	}
}

// Curves that bend at different places share their points, and each gets some at
// its own bend.
func TestNextServesAllCurves(t *testing.T) {
	depths := []float64{3, 256}
	for i, steps := range adapt(7, depths...) {
		if got, want := kneeOf(steps), trueKnee(depths[i]); math.Abs(got-want) > 6 {
			t.Errorf("curve %d: knee at %v, want %.1f", i, got, want)
		}
	}
}

func TestNextGoesWithoutFigures(t *testing.T) {
	gone := math.Inf(1)
	for name, c := range map[string]struct {
		curves [][]Step
		want   float64
	}{
		"no curve":             {nil, 10},
		"no maximum":           {[][]Step{{}}, 10},
		"a maximum":            {[][]Step{{{100, 64}}}, 10},
		"ends":                 {[][]Step{{{100, 64}, {10, 1}}}, 55},
		"missed at 90":         {[][]Step{{{100, 64}, {10, 1}, {55, 2}, {90, gone}}}, 73},
		"nothing but failures": {[][]Step{{{100, gone}, {10, gone}}}, 55},
		"one curve failed":     {[][]Step{{}, {{100, 64}, {10, 1}, {55, 2.2}}}, 54},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := Next(c.curves); got != c.want || !ok {
				t.Errorf("%v %v, want %v", got, ok, c.want)
			}
		})
	}
}

// Points go on to be new ones until there is none left.
func TestNextEnds(t *testing.T) {
	steps := adapt(1000, 64)[0]
	seen := map[float64]bool{}
	for _, s := range steps {
		if seen[s.Percent] || s.Percent != math.Trunc(s.Percent) {
			t.Fatalf("%v is no new point: %v", s.Percent, steps)
		}
		seen[s.Percent] = true
	}
	if want := heaviest - lightest + 2; len(steps) != want {
		t.Errorf("%d points, want %d", len(steps), want)
	}
}

func ExampleNext() {
	curve := []Step{{Percent: 100, Seconds: 0.064}}
	for range 5 {
		percent, _ := Next([][]Step{curve})
		curve = append(curve, Step{percent, 0.001 / (1 - percent/100)})
		fmt.Print(percent, " ")
	}
	// Output: 10 55 78 89 95
}
