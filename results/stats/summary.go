// Package stats says what figures of several trials amount to: medians with
// intervals that claim no more confidence than they have, comparisons, and
// whether an objective is met.
//
// The sampling unit is the trial. The latencies of a trial's operations are
// autocorrelated and never enter here one by one.
//
// 1. Summarise describes one sample.
// 2. Compare sets two samples against each other, by block where it can.
// 3. Decide corrects the p of many comparisons and gives each its outcome.
// 4. Judge does all three for the objective of a run.
package stats

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// DefaultConfidence is what an Options or a Summarise of confidence 0 asks for.
const DefaultConfidence = 0.95

// Summary describes a sample in its own unit.
type Summary struct {
	// N is how many figures there are. Nothing else means anything when it is 0.
	N int `json:"n"`
	// Center is the median.
	Center float64 `json:"median"`
	// Lo and Hi bound the median with Confidence, by order statistics. When the
	// sample is too small for the confidence asked they are its range, and
	// Confidence is what the range has, which is less. Of one figure it is 0.
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Confidence float64 `json:"confidence"`
	// Range says that Lo and Hi are the range and fall short of what was asked.
	Range bool    `json:"range,omitempty"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Warnings say what to know and what to do.
	Warnings []string `json:"warnings,omitempty"`
}

// Summarise describes values, which it leaves as they are, with an interval of
// at least the given confidence (0 to 1, exclusive; 0 means DefaultConfidence)
// where there are enough of them. A value that is Inf or NaN is left out with a
// warning.
func Summarise(values []float64, confidence float64) Summary {
	confidence = orDefault(confidence)
	sorted := finite(values)
	s := Summary{N: len(sorted)}
	if s.N < len(values) {
		s.warn("%d of %d figures are no numbers and left out", len(values)-s.N, len(values))
	}
	if s.N == 0 {
		s.warn("no figures")
		return s
	}
	slices.Sort(sorted)
	s.Min, s.Max, s.Mean = sorted[0], sorted[s.N-1], mean(sorted)
	s.interval(sorted, confidence)
	if s.N > 1 && s.Min == s.Max {
		s.warn("all %d figures are the same", s.N)
	}
	return s
}

func (s *Summary) interval(sorted []float64, confidence float64) {
	sample := benchmath.NewSample(sorted, &benchmath.DefaultThresholds)
	got := benchmath.AssumeNothing.Summary(sample, confidence)
	s.Center, s.Lo, s.Hi, s.Confidence = got.Center, got.Lo, got.Hi, got.Confidence
	if need := needed(confidence); s.N < need {
		s.Lo, s.Hi, s.Range = s.Min, s.Max, true
		s.Confidence = rangeConfidence(s.N)
		s.warn("%d of the %d trials that an interval of %g%% confidence needs: the range has %.3g%%",
			s.N, need, 100*confidence, 100*s.Confidence)
	}
}

func (s *Summary) warn(format string, a ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, a...))
}

// rangeConfidence is how surely the range of n independent figures has the
// median of their distribution in it: unless all fall on one side of it.
func rangeConfidence(n int) float64 {
	if n < 2 {
		return 0
	}
	return 1 - math.Exp2(float64(1-n))
}

// needed is the least number of figures whose range has the confidence. The
// same holds of pairs and the signed-rank interval.
func needed(confidence float64) int {
	n := 2
	for n < 64 && rangeConfidence(n) < confidence {
		n++
	}
	return n
}

func orDefault(confidence float64) float64 {
	if confidence <= 0 || confidence >= 1 {
		return DefaultConfidence
	}
	return confidence
}

func finite(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
}

// mean cannot overflow, nor stray outside the range by rounding.
func mean(sorted []float64) float64 {
	sum := 0.0
	for _, v := range sorted {
		sum += v / float64(len(sorted))
	}
	return min(max(sum, sorted[0]), sorted[len(sorted)-1])
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}
