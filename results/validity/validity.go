// Package validity judges from the data alone whether a trial can be believed.
// It says; whoever measured decides what becomes of the trial.
package validity

import (
	"fmt"
	"math"

	"github.com/iosweep/iosweep/results"
)

// The limits are those of SNIA's Performance Test Specification, which looks at
// five rounds: the most that they may range over and that the fitted line may
// move, as shares of their mean.
const (
	rounds     = 5
	maxRange   = 0.20
	maxSlope   = 0.10
	cliffShare = 0.70 // what is left after a cliff
	growth     = 1.5  // by which latency grows when a load is more than can be done
	sureness   = 4    // standard errors that a difference must exceed
	minPoints  = 2 * rounds
	minOps     = 30 // a round
)

// The codes of the findings here.
const (
	Cliff     = "cliff"
	Warmup    = "warmup_short"
	NotSteady = "not_steady"
	Grows     = "latency_grows"
)

// Series judges the progress of a job over the window: in a closed loop its
// rate, in an open loop its latency. A cliff is fatal: a burst was measured, not
// what lasts. There is at most one finding, and none where the series is too
// short or has too few operations to tell. finite says that the job ends by
// itself, so that its rate means nothing.
func Series(j *results.JobResult, finite bool) (results.Finding, bool) {
	if finite || !Enough(j) {
		return results.Finding{}, false
	}
	if j.Rate > 0 {
		return latency(j)
	}
	values := make([]float64, len(j.Series.Ops))
	for i, n := range j.Series.Ops {
		values[i] = float64(n)
	}
	return rate(j.Name, inRounds(values))
}

// Enough says that a job's series is long enough and has enough operations to be
// judged.
func Enough(j *results.JobResult) bool {
	return j.Series != nil && len(j.Series.Ops) >= minPoints && sum(j.Series.Ops) >= rounds*minOps
}

func sum(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// round is one of the parts of a window.
type round struct {
	mean float64
	// variance is of the mean.
	variance float64
}

// inRounds parts values into rounds, as equal as can be.
func inRounds(values []float64) []round {
	parts := make([]round, rounds)
	for i := range parts {
		part := values[i*len(values)/rounds : (i+1)*len(values)/rounds]
		n := float64(len(part))
		for _, v := range part {
			parts[i].mean += v / n
		}
		for _, v := range part {
			parts[i].variance += (v - parts[i].mean) * (v - parts[i].mean) / (n - 1) / n
		}
	}
	return parts
}

// pool is several rounds as one.
func pool(parts []round) (p round) {
	n := float64(len(parts))
	for _, r := range parts {
		p.mean += r.mean / n
		p.variance += r.variance / n / n
	}
	return p
}

// spread is how far the rounds' means range.
func spread(parts []round) (low, high round) {
	low, high = parts[0], parts[0]
	for _, r := range parts[1:] {
		if r.mean < low.mean {
			low = r
		}
		if r.mean > high.mean {
			high = r
		}
	}
	return low, high
}

func even(parts []round) bool {
	low, high := spread(parts)
	return high.mean-low.mean <= maxRange*pool(parts).mean
}

// apart says that two rounds differ by more than the scatter within them.
func apart(a, b round) bool {
	return math.Abs(a.mean-b.mean) > sureness*math.Sqrt(a.variance+b.variance)
}

// slope is what the line fitted to the rounds' means moves over them.
func slope(parts []round) float64 {
	middle := float64(len(parts)-1) / 2
	xy, xx := 0.0, 0.0
	for i, r := range parts {
		x := float64(i) - middle
		xy, xx = xy+x*r.mean, xx+x*x
	}
	return xy / xx * float64(len(parts)-1)
}

// rate looks for a cliff, then for a warm-up that is not over, then for any
// other unsteadiness.
func rate(job string, parts []round) (results.Finding, bool) {
	for k := 1; k < rounds; k++ {
		before, after := pool(parts[:k]), pool(parts[k:])
		if after.mean < cliffShare*before.mean && even(parts[:k]) && even(parts[k:]) && apart(before, after) {
			return results.Finding{Code: Cliff, Fatal: true, Text: fmt.Sprintf("%s fell from %.4g to %.4g operations an interval after %d %% of the window and stayed there: a burst was measured; warm up for longer, or prepare until steady", job, before.mean, after.mean, 100*k/rounds)}, true
		}
	}
	all, rest := pool(parts), pool(parts[1:])
	low, high := spread(parts)
	moved := slope(parts)
	switch {
	case math.Abs(parts[0].mean-rest.mean) > maxRange*rest.mean && even(parts[1:]) && apart(parts[0], rest):
		return results.Finding{Code: Warmup, Text: fmt.Sprintf("%s did %.4g operations an interval in the first fifth of the window and %.4g after it: the warm-up was too short", job, parts[0].mean, rest.mean)}, true
	case high.mean-low.mean > maxRange*all.mean && apart(low, high), math.Abs(moved) > maxSlope*all.mean && apart(parts[0], parts[rounds-1]):
		return results.Finding{Code: NotSteady, Text: fmt.Sprintf("%s was not steady: fifths of the window range over %.0f %% of their mean (at most %.0f), and their line moves by %.0f %% (at most %.0f)", job, 100*(high.mean-low.mean)/all.mean, 100*maxRange, 100*moved/all.mean, 100*maxSlope)}, true
	}
	return results.Finding{}, false
}

// latency looks for a queue that grows: more was offered than the target does.
func latency(j *results.JobResult) (results.Finding, bool) {
	if len(j.Series.MeanSeconds) < minPoints {
		return results.Finding{}, false
	}
	parts := inRounds(j.Series.MeanSeconds)
	for i := 1; i < rounds; i++ {
		if parts[i].mean <= parts[i-1].mean {
			return results.Finding{}, false
		}
	}
	first, last := parts[0], parts[rounds-1]
	if last.mean < growth*first.mean || !apart(first, last) {
		return results.Finding{}, false
	}
	return results.Finding{Code: Grows, Text: fmt.Sprintf("the latency of %s grew through the window, from %.3g s to %.3g s: the rate offered is more than the target can do", j.Name, first.mean, last.mean)}, true
}
