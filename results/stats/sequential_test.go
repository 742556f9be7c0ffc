package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// betCapital is what betting each fixed share on the signs makes in the mean
// over Beta(1/2, 1/2), by numbers: with share = sin^2(x) that weight is even in x.
func betCapital(k, n int) float64 {
	const steps = 20000
	sum := 0.0
	for i := range steps {
		x := (float64(i) + 0.5) / steps * math.Pi / 2
		share := math.Sin(x) * math.Sin(x)
		sum += math.Pow(2*share, float64(k)) * math.Pow(2*(1-share), float64(n-k))
	}
	return sum / steps
}

func TestCapitalIsTheMixtureOfBets(t *testing.T) {
	for n := range 15 {
		for k := range n + 1 {
			if got, want := math.Exp(logCapital(k, n)), betCapital(k, n); math.Abs(got-want) > 1e-6*want {
				t.Errorf("%d of %d: %v, want %v", k, n, got, want)
			}
		}
	}
}

// The bets are fair: over every one of the 2^n sequences of signs the capital is
// 1 in the mean, and it reaches 20 at any time in at most 1 of 20.
func TestCapitalIsFair(t *testing.T) {
	const n = 16
	mean, reached := 0.0, 0
	for signs := range 1 << n {
		k, high := 0, false
		for i := range n {
			k += signs >> i & 1
			high = high || logCapital(k, i+1) >= math.Log(20)
		}
		mean += math.Exp(logCapital(k, n))
		if high {
			reached++
		}
	}
	if mean /= 1 << n; !near(mean, 1) {
		t.Errorf("capital %v in the mean, want 1", mean)
	}
	if share := float64(reached) / (1 << n); share > 0.05 || share == 0 {
		t.Errorf("20 is reached in %v of all sequences, want at most 0.05", share)
	}
}

func TestSequentialBlocks(t *testing.T) {
	for family, want := range map[int]int{0: 7, 1: 7, 2: 8, 10: 11, 100: 14} {
		got := SequentialBlocks(0.95, family)
		alpha := 0.05 / float64(max(1, family))
		if got != want || betCapital(0, got) < 1/alpha || betCapital(0, got-1) >= 1/alpha {
			t.Errorf("family of %d: %d blocks, want %d", family, got, want)
		}
	}
}

// The interval is the shifts that its test does not reject.
func TestSequentialIntervalInvertsItsTest(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for n := 7; n < 40; n += 3 {
		d := make([]float64, n)
		for i := range d {
			d[i] = random.NormFloat64()
		}
		moved := func(by float64) float64 {
			m := make([]float64, n)
			for i := range d {
				m[i] = d[i] - by
			}
			return sequentialP(m)
		}
		s := sequentialShift(d, 0.95)
		const step = 1e-9
		if moved(s.lo+step) <= 0.05 || moved(s.lo-step) > 0.05 || moved(s.hi-step) <= 0.05 || moved(s.hi+step) > 0.05 || s.confidence != 0.95 {
			t.Errorf("n %d: %+v: p %v %v at the low bound, %v %v at the high", n, s, moved(s.lo-step), moved(s.lo+step), moved(s.hi-step), moved(s.hi+step))
		}
	}
	if s := sequentialShift([]float64{1, 2, 3}, 0.95); s.lo != 1 || s.hi != 3 || !near(s.confidence, 1-1/betCapital(0, 3)) {
		t.Errorf("three values: %+v", s)
	}
}

func TestCompareSequentially(t *testing.T) {
	base := blocks(100, 110, 125, 140, 160, 180, 200, 190)
	o := Options{Margin: 0.03, Sequential: true, HigherIsBetter: true}
	for name, test := range map[string]struct {
		base, next []Value
		want       Outcome
	}{
		"better":      {base, scaled(base, 1.2), Better},
		"worse":       {base, scaled(base, 0.8), Worse},
		"same":        {base, scaled(base, 1.01), Same},
		"too few":     {base[:5], scaled(base[:5], 1.2), Undecided},
		"no pairs":    {base, loose(1, 2, 3), Undecided},
		"mixed":       {base, blocks(101, 100, 130, 130, 170, 170, 210, 180), Undecided},
		"one outlier": {base, append(blocks(120, 132, 150, 168, 192, 216, 240), Value{"7", 1}), Undecided},
	} {
		c := Compare(test.base, test.next, o)
		if c.Outcome != test.want || c.Test != Sequential && c.Test != "" {
			t.Errorf("%s: %s by %s, want %s: %+v", name, c.Outcome, c.Test, test.want, c)
		}
	}
}
