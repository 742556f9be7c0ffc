package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// R's documentation of wilcox.test has these samples, from Hollander and Wolfe,
// "Nonparametric Statistical Methods" (1973). The figures are what R prints for
//
//	wilcox.test(first, second, paired = TRUE, conf.int = TRUE)
//	wilcox.test(long, short, conf.int = TRUE)
func depression() (first, second []float64) {
	return []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
		[]float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
}

func permeability() (long, short []float64) {
	return []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46},
		[]float64{1.15, 0.88, 0.90, 0.74, 1.21}
}

func TestAgreesWithR(t *testing.T) {
	first, second := depression()
	var d []float64
	for i := range first {
		d = append(d, first[i]-second[i])
	}
	if p := signedRank(d); math.Abs(p-0.03906) > 5e-6 {
		t.Errorf("signed-rank p %v, want 0.03906", p)
	}
	s := pairedShift(d, 0.95)
	if math.Abs(s.center-0.46) > 5e-4 || math.Abs(s.lo-0.010) > 5e-4 || math.Abs(s.hi-0.786) > 5e-4 {
		t.Errorf("paired shift %+v, want 0.46 in 0.010..0.786", s)
	}
	long, short := permeability()
	if p := mannWhitney(long, short); math.Abs(p-0.2544) > 5e-5 {
		t.Errorf("Mann-Whitney p %v, want 0.2544", p)
	}
	s = freeShift(short, long, 0.95)
	if math.Abs(s.center-0.305) > 5e-4 || math.Abs(s.lo+0.15) > 5e-4 || math.Abs(s.hi-0.76) > 5e-4 {
		t.Errorf("shift %+v, want 0.305 in -0.15..0.76", s)
	}
}

// allSigns is the exact two-sided p from every one of the 2^n ways to give the
// differences' ranks a sign.
func allSigns(d []float64) float64 {
	d = slices.DeleteFunc(slices.Clone(d), func(v float64) bool { return v == 0 })
	ranks := make([]float64, len(d))
	observed, total := 0.0, 0.0
	for i, v := range d {
		for _, w := range d {
			switch {
			case math.Abs(w) < math.Abs(v):
				ranks[i]++
			case math.Abs(w) == math.Abs(v):
				ranks[i] += 0.5
			}
		}
		ranks[i] += 0.5
		total += ranks[i]
		if v > 0 {
			observed += ranks[i]
		}
	}
	low, high := 0, 0
	for signs := range 1 << len(d) {
		sum := 0.0
		for rest := uint(signs); rest != 0; rest &= rest - 1 {
			sum += ranks[bits.TrailingZeros(rest)]
		}
		if sum <= observed {
			low++
		}
		if sum >= observed {
			high++
		}
	}
	return min(1, 2*float64(min(low, high))/float64(int(1)<<len(d)))
}

func TestSignedRankIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 12; n++ {
		for range 8 {
			d := make([]float64, n)
			for i := range d {
				d[i] = float64(random.IntN(9) - 3) // ties and zeros
			}
			if got, want := signedRank(d), allSigns(d); !near(got, want) {
				t.Errorf("%v: p %v, enumeration has %v", d, got, want)
			}
		}
	}
}

// allSplits is the exact two-sided Mann-Whitney p from every way to split the
// figures. R's and SciPy's exact p for figures without ties is the same.
func allSplits(a, b []float64) float64 {
	all := append(slices.Clone(a), b...)
	u := func(first uint) (twice int) {
		for i := range all {
			for j := range all {
				if first>>i&1 == 1 && first>>j&1 == 0 {
					switch {
					case all[i] > all[j]:
						twice += 2
					case all[i] == all[j]:
						twice++
					}
				}
			}
		}
		return twice
	}
	observed := u(1<<len(a) - 1)
	low, high, n := 0, 0, 0
	for split := range uint(1) << len(all) {
		if bits.OnesCount(split) != len(a) {
			continue
		}
		n++
		if v := u(split); v <= observed {
			low++
		}
		if u(split) >= observed {
			high++
		}
	}
	return min(1, 2*float64(min(low, high))/float64(n))
}

func TestMannWhitneyIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range [][2]int{{1, 1}, {2, 3}, {3, 3}, {4, 4}, {5, 4}, {6, 6}} {
		for range 4 {
			a, b := make([]float64, n[0]), make([]float64, n[1])
			for i, v := range random.Perm(n[0] + n[1]) {
				if i < n[0] {
					a[i] = float64(v)
				} else {
					b[i-n[0]] = float64(v)
				}
			}
			if got, want := mannWhitney(a, b), allSplits(a, b); !near(got, want) {
				t.Errorf("%v against %v: p %v, enumeration has %v", a, b, got, want)
			}
		}
	}
}

// An interval is the shifts that its test does not reject: just inside a bound
// p must exceed 1-confidence, just outside it must not.
func TestIntervalsInvertTheirTests(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for n := 6; n <= 11; n++ {
		d := make([]float64, n)
		for i := range d {
			d[i] = random.NormFloat64()
		}
		s := pairedShift(d, 0.95)
		for _, at := range []struct{ bound, in float64 }{{s.lo, 1e-7}, {s.hi, -1e-7}} {
			moved := func(by float64) float64 {
				m := slices.Clone(d)
				for i := range m {
					m[i] -= at.bound + by
				}
				return allSigns(m)
			}
			if moved(at.in) <= 0.05 || moved(-at.in) > 0.05 {
				t.Errorf("n %d: p is %v inside and %v outside the bound %v", n, moved(at.in), moved(-at.in), at.bound)
			}
		}
		if s.confidence < 0.95 || !(s.lo < s.center && s.center < s.hi) {
			t.Errorf("n %d: %+v", n, s)
		}
	}
	a, b := []float64{1, 2.1, 3.3, 4.6}, []float64{1.5, 2.2, 5.9, 6.1, 7.7}
	s := freeShift(a, b, 0.95)
	for _, at := range []struct{ bound, in float64 }{{s.lo, 1e-7}, {s.hi, -1e-7}} {
		moved := func(by float64) float64 {
			m := slices.Clone(b)
			for i := range m {
				m[i] -= at.bound + by
			}
			return allSplits(a, m)
		}
		if moved(at.in) <= 0.05 || moved(-at.in) > 0.05 {
			t.Errorf("p is %v inside and %v outside the bound %v", moved(at.in), moved(-at.in), at.bound)
		}
	}
}

// The least p that a few figures can have, from counting the arrangements.
func TestAttainableConfidence(t *testing.T) {
	for n, want := range map[int]float64{1: 0, 2: 0.5, 3: 0.75, 4: 0.875, 5: 0.9375, 6: 0.96875} {
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(i + 1)
		}
		if s := pairedShift(d, 0.95); !near(s.confidence, want) || s.lo != 1 || s.hi != float64(n) {
			t.Errorf("%d pairs: %+v, want the range with confidence %v", n, s, want)
		}
	}
	for _, test := range []struct {
		m, n int
		p    float64
	}{{1, 1, 1}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {5, 5, 2.0 / 252}, {2, 8, 2.0 / 45}} {
		if got := leastP(test.m, test.n); !near(got, test.p) {
			t.Errorf("%d and %d: least p %v, want %v", test.m, test.n, got, test.p)
		}
	}
	if s := freeShift([]float64{1, 2, 3}, []float64{11, 12, 13}, 0.95); !near(s.confidence, 0.9) || s.lo != 8 || s.hi != 12 {
		t.Errorf("3 and 3: %+v, want 8..12 with confidence 0.9", s)
	}
}

// Exact and normal must agree where one takes over from the other.
func TestNormalTakesOverSmoothly(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	d := make([]float64, exactLimit+1)
	for i := range d {
		d[i] = random.NormFloat64() + 0.3
	}
	ranked := slices.Clone(d)
	slices.SortFunc(ranked, func(a, b float64) int {
		if math.Abs(a) < math.Abs(b) {
			return -1
		}
		return 1
	})
	ranks, positive := doubledRanks(ranked), 0
	for i, v := range ranked {
		if v > 0 {
			positive += ranks[i]
		}
	}
	null := subsetSums(ranks)
	exact := 2 * cumulative(null, min(positive, len(null)-1-positive))
	if p := signedRank(d); math.Abs(p-exact) > 0.1*exact {
		t.Errorf("p %v, exactly %v", p, exact)
	}
	wide, narrow := pairedShift(d, 0.95), pairedShift(d[:exactLimit], 0.95)
	if math.Abs(wide.lo-narrow.lo) > 0.1 || math.Abs(wide.hi-narrow.hi) > 0.1 {
		t.Errorf("%d pairs: %+v, one fewer: %+v", len(d), wide, narrow)
	}
	if s := freeShift(d, d, 0.95); s.lo > 0 || s.hi < 0 || s.center != 0 {
		t.Errorf("a sample against itself: %+v", s)
	}
}
