package hist

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestBuckets: every bucket begins where the one before ended, holds its own
// bounds, and is narrow enough for three significant digits.
func TestBucketLayout(t *testing.T) {
	next := int64(0)
	for i := range buckets {
		low, high := bounds(i)
		if low != next || index(low) != i || index(high) != i {
			t.Fatalf("bucket %d: %d..%d, want it to begin at %d; indices %d, %d", i, low, high, next, index(low), index(high))
		}
		if width := high - low + 1; width > 1 && width*1024 > low {
			t.Fatalf("bucket %d: %d ns wide at %d", i, width, low)
		}
		next = high + 1
	}
	if next != int64(Range) || Range < time.Hour {
		t.Errorf("buckets end at %d, range %v", next, Range)
	}
}

func TestExactTotals(t *testing.T) {
	tests := []struct {
		name     string
		values   []int64
		min, max time.Duration
		above    int64
		mean     float64
	}{
		{"one", []int64{1234567}, 1234567, 1234567, 0, 1234567e-9},
		{"zero", []int64{0, 0}, 0, 0, 0, 0},
		{"negative counts as zero", []int64{-5, 10}, 0, 10, 0, 5e-9},
		{"94 s", []int64{94e9, 1e6}, 1e6, 94e9, 0, 47.0005},
		{"last in range", []int64{int64(Range) - 1}, Range - 1, Range - 1, 0, (Range - 1).Seconds()},
		{"above", []int64{int64(Range), 5 * int64(time.Hour), 1000}, 1000, 5 * time.Hour, 2, (Range + 5*time.Hour + 1000).Seconds() / 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := New()
			for _, v := range tt.values {
				h.Record(v)
			}
			if h.Count() != int64(len(tt.values)) || h.Min() != tt.min || h.Max() != tt.max || h.Above() != tt.above {
				t.Errorf("count %d min %v max %v above %d, want %d %v %v %d", h.Count(), h.Min(), h.Max(), h.Above(), len(tt.values), tt.min, tt.max, tt.above)
			}
			if mean, ok := h.MeanSeconds(); !ok || math.Abs(mean-tt.mean) > 1e-12*tt.mean {
				t.Errorf("mean %v, %v, want %v", mean, ok, tt.mean)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	for name, h := range map[string]*Hist{"nil": nil, "new": New()} {
		if h.Count() != 0 || h.Above() != 0 || h.Min() != 0 || h.Max() != 0 {
			t.Errorf("%s: not empty", name)
		}
		if _, ok := h.MeanSeconds(); ok {
			t.Errorf("%s: has a mean", name)
		}
		if _, ok := h.QuantileSeconds(0.5); ok {
			t.Errorf("%s: has a median", name)
		}
		h.Buckets(func(_, _, _ int64) bool {
			t.Errorf("%s: has a bucket", name)
			return true
		})
		var into Hist
		into.Merge(h)
		if into.Count() != 0 {
			t.Errorf("%s: merging it counts", name)
		}
	}
}

// samples draws log-uniform times from 1 us to 1 h.
func samples(seed uint64, n int) []int64 {
	r := rand.New(rand.NewPCG(seed, 1))
	vs := make([]int64, n)
	for i := range vs {
		vs[i] = int64(math.Exp(math.Log(1e3) + r.Float64()*math.Log(3.6e9)))
	}
	return vs
}

func record(vs []int64) *Hist {
	h := New()
	for _, v := range vs {
		h.Record(v)
	}
	return h
}

func TestQuantilesAgainstSorting(t *testing.T) {
	vs := samples(1, 200_000)
	h := record(vs)
	slices.Sort(vs)
	for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 1} {
		got, ok := h.QuantileSeconds(q)
		want := seconds(vs[max(int(math.Ceil(q*float64(len(vs))-1e-6)), 1)-1])
		if !ok || math.Abs(got-want) > 0.0005*want {
			t.Errorf("q %v: %v %v, sorted gives %v", q, got, ok, want)
		}
	}
}

func TestQuantileNeedsSamples(t *testing.T) {
	tests := []struct {
		n  int
		q  float64
		ok bool
	}{
		{1, 0, true}, {1, 1, true}, {1, 0.5, false}, {2, 0.5, true},
		{99, 0.99, false}, {100, 0.99, true}, {999, 0.999, false}, {1000, 0.999, true},
		{99_999, 0.99999, false}, {100_000, 0.99999, true},
		{100, -0.1, false}, {100, 1.1, false}, {100, math.NaN(), false},
	}
	for _, tt := range tests {
		if _, ok := record(samples(2, tt.n)).QuantileSeconds(tt.q); ok != tt.ok {
			t.Errorf("%d samples, q %v: %v, want %v", tt.n, tt.q, ok, tt.ok)
		}
	}
}

func TestQuantileStaysWithinTheExactEnds(t *testing.T) {
	h := record([]int64{1_000_001, 1_000_001, 1_000_001, 1_000_001})
	if got, _ := h.QuantileSeconds(0.5); got != 1_000_001e-9 {
		t.Errorf("median of equal values is %v", got)
	}
	h = record([]int64{1000, int64(Range) + 7, int64(Range) + 9})
	if got, _ := h.QuantileSeconds(0.6); got != seconds(int64(Range)+9) {
		t.Errorf("a quantile above the range is %v, want the true maximum", got)
	}
}

func TestMergeIsExact(t *testing.T) {
	vs := append(samples(3, 5000), 0, 1, int64(Range), 2*int64(Range))
	whole := record(vs)
	for _, cut := range []int{0, 1, 2500, len(vs)} {
		a, b := record(vs[:cut]), record(vs[cut:])
		a.Merge(b)
		a.Merge(nil)
		got, want := marshal(t, a), marshal(t, whole)
		if got != want {
			t.Errorf("cut at %d: merged differs from whole:\n%s\n%s", cut, got, want)
		}
	}
}

func TestBucketsCountEverything(t *testing.T) {
	vs := append(samples(4, 3000), 3*int64(Range))
	h := record(vs)
	var total, last int64
	h.Buckets(func(low, high, n int64) bool {
		if low < last || high < low || n <= 0 {
			t.Fatalf("bucket %d..%d: %d after %d", low, high, n, last)
		}
		last, total = high, total+n
		return true
	})
	if total != h.Count() || last != 3*int64(Range) {
		t.Errorf("buckets hold %d of %d and end at %d", total, h.Count(), last)
	}
	calls := 0
	h.Buckets(func(_, _, _ int64) bool { calls++; return false })
	if calls != 1 {
		t.Errorf("Buckets went on %d times after it was stopped", calls-1)
	}
}

func TestRecordAllocatesNothing(t *testing.T) {
	vs := samples(5, 20_000)
	h := record(vs)
	if n := testing.AllocsPerRun(10, func() {
		for _, v := range vs {
			h.Record(v)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func marshal(t *testing.T, h *Hist) string {
	t.Helper()
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func BenchmarkRecord(b *testing.B) {
	vs := samples(6, 4096)
	h := record(vs)
	for i := 0; b.Loop(); i++ {
		h.Record(vs[i&4095])
	}
}

func TestEqual(t *testing.T) {
	of := func(ns ...int64) *Hist {
		h := New()
		for _, n := range ns {
			h.Record(n)
		}
		return h
	}
	same := [][2]*Hist{{nil, New()}, {of(5, 1e6), of(1e6, 5)}, {of(1 << 50), of(1 << 50)}}
	for i, p := range same {
		if !p[0].Equal(p[1]) || !p[1].Equal(p[0]) {
			t.Errorf("pair %d differs", i)
		}
	}
	other := [][2]*Hist{{nil, of(0)}, {of(5), of(6)}, {of(1, 5, 9), of(1, 6, 8)}, {of(1, 100, 1e6, 1e6+99e3), of(1, 50e3, 1e6-49.9e3, 1e6+99e3)}}
	for i, p := range other {
		if p[0].Equal(p[1]) || p[1].Equal(p[0]) {
			t.Errorf("pair %d is the same", i)
		}
	}
}
