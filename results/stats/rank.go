package stats

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// exactLimit is the number of pairs, or of figures on either side, up to which
// null distributions are exact. Beyond it they are taken as normal, which is
// within a tenth of a small p.
const exactLimit = 50

// signedRank is the two-sided p of Wilcoxon's signed-rank test. Differences of
// zero say nothing and are dropped, as Wilcoxon did. It is exact, conditional
// on the ties, up to exactLimit differences, and without any it is 1.
func signedRank(differences []float64) float64 {
	d := slices.DeleteFunc(slices.Clone(differences), func(v float64) bool { return v == 0 })
	if len(d) == 0 {
		return 1
	}
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks := doubledRanks(d)
	positive := 0
	for i, v := range d {
		if v > 0 {
			positive += ranks[i]
		}
	}
	if len(d) > exactLimit {
		return normalSignedRank(ranks, positive)
	}
	null := subsetSums(ranks)
	least := min(positive, len(null)-1-positive)
	return min(1, 2*cumulative(null, least))
}

// doubledRanks are twice the mid-ranks of d's magnitudes, in which d is sorted:
// whole numbers even where there are ties.
func doubledRanks(d []float64) []int {
	ranks := make([]int, len(d))
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
		}
		i = j
	}
	return ranks
}

// normalSignedRank has the variance that ties leave, and half a rank of
// correction for continuity.
func normalSignedRank(doubled []int, positive int) float64 {
	mean, variance := 0.0, 0.0
	for _, r := range doubled {
		rank := float64(r) / 2
		mean += rank / 2
		variance += rank * rank / 4
	}
	z := max(0, math.Abs(float64(positive)/2-mean)-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// subsetSums is the probability of each sum when each weight is in it with
// probability one half.
func subsetSums(weights []int) []float64 {
	total := 0
	for _, w := range weights {
		total += w
	}
	p := make([]float64, total+1)
	p[0] = 1
	top := 0
	for _, w := range weights {
		top += w
		for s := top; s >= 0; s-- {
			without := p[s] / 2
			if s >= w {
				without += p[s-w] / 2
			}
			p[s] = without
		}
	}
	return p
}

func cumulative(p []float64, last int) float64 {
	sum := 0.0
	for _, v := range p[:last+1] {
		sum += v
	}
	return sum
}

// shift is an estimate of a difference with its interval.
type shift struct{ center, lo, hi, confidence float64 }

// pairedShift is Hodges and Lehmann's estimate from differences by pair: the
// median of all their pairwise means. The interval goes with the signed-rank
// test; with too few pairs it is as wide as can be and says its confidence.
func pairedShift(d []float64, confidence float64) shift {
	n := len(d)
	means := make([]float64, 0, n*(n+1)/2)
	for i, a := range d {
		for _, b := range d[i:] {
			means = append(means, a/2+b/2)
		}
	}
	if n > exactLimit {
		m := float64(n)
		return normalShift(means, m*(m+1)/4, math.Sqrt(m*(m+1)*(2*m+1)/24), confidence)
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	null := subsetSums(ranks)
	return orderShift(means, func(w int) float64 { return cumulative(null, w) }, confidence)
}

// freeShift is the same from two independent samples: the median of all
// differences b-a, with the interval of the Mann-Whitney test.
func freeShift(a, b []float64, confidence float64) shift {
	differences := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			differences = append(differences, y-x)
		}
	}
	if max(len(a), len(b)) > exactLimit {
		m, n := float64(len(a)), float64(len(b))
		return normalShift(differences, m*n/2, math.Sqrt(m*n*(m+n+1)/12), confidence)
	}
	null := stats.UDist{N1: len(a), N2: len(b)}
	return orderShift(differences, func(u int) float64 { return null.CDF(float64(u)) }, confidence)
}

// orderShift takes the k-th lowest and k-th highest of the candidates, k as
// large as the confidence allows but at least 1. cdf is the null distribution
// of the statistic that counts how many candidates lie on one side.
func orderShift(candidates []float64, cdf func(int) float64, confidence float64) shift {
	slices.Sort(candidates)
	k := 1 + sort.Search(len(candidates)/2, func(i int) bool { return 2*cdf(i+1) > 1-confidence })
	k = min(k, (len(candidates)+1)/2)
	return shift{median(candidates), candidates[k-1], candidates[len(candidates)-k], max(0, 1-2*cdf(k-1))}
}

func normalShift(candidates []float64, mean, deviation, confidence float64) shift {
	slices.Sort(candidates)
	z := math.Sqrt2 * math.Erfinv(confidence)
	k := max(1, int(math.Floor(mean-0.5-z*deviation)))
	return shift{median(candidates), candidates[k-1], candidates[len(candidates)-k], confidence}
}

// mannWhitney is the two-sided p of the Mann-Whitney test.
func mannWhitney(a, b []float64) float64 {
	sample := func(v []float64) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds)
	}
	return benchmath.AssumeNothing.Compare(sample(a), sample(b)).P
}

// leastP is the least p that the Mann-Whitney test can have of m and n figures:
// 2 / (m+n choose m).
func leastP(m, n int) float64 {
	p := 2.0
	for i := 1; i <= m; i++ {
		p *= float64(i) / float64(n+i)
	}
	return min(p, 1)
}
