package workloads

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// significance of every test below. The seeds are fixed, so a test that passes
// keeps passing; one in ten thousand choices of a seed would fail a sound
// stream.
const significance = 1e-4

// chiSquared fails the test when counts do not follow the expected shares.
func chiSquared(t *testing.T, counts []int, shares []float64) {
	t.Helper()
	total, sum := 0, 0.0
	for _, n := range counts {
		total += n
	}
	for i, n := range counts {
		want := float64(total) * shares[i]
		if want < 5 {
			t.Fatalf("cell %d expects %.1f: too few for the test", i, want)
		}
		sum += (float64(n) - want) * (float64(n) - want) / want
	}
	if limit := (distuv.ChiSquared{K: float64(len(counts) - 1)}).Quantile(1 - significance); sum > limit {
		t.Errorf("chi-squared %.1f above %.1f for counts %v", sum, limit, counts)
	}
}

// kolmogorov fails the test when the values do not follow the distribution.
func kolmogorov(t *testing.T, values []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(values)
	n := float64(len(values))
	worst := 0.0
	for i, v := range values {
		f := cdf(v)
		worst = max(worst, float64(i+1)/n-f, f-float64(i)/n)
	}
	if limit := math.Sqrt(-math.Log(significance/2) / 2 / n); worst > limit {
		t.Errorf("distance %.5f from the distribution, above %.5f", worst, limit)
	}
}

func equalShares(n int) []float64 {
	shares := make([]float64, n)
	for i := range shares {
		shares[i] = 1 / float64(n)
	}
	return shares
}

// On a pebibyte more than 32 bits of a draw decide the slot: its lowest digits
// show whether the draw has any more.
func TestRandomOffsetsUniformBeyond32BitBlocks(t *testing.T) {
	const cells, size = 256, 1024 * tib // 2^41 blocks of 512 bytes
	for _, s := range []Spec{
		{Name: "fast", Access: Access{Random: 1}},
		{Name: "general", Access: Access{Random: 1}, Sizes: []SizeShare{{512, 1}, {4 * kib, 1}}},
	} {
		t.Run(s.Name, func(t *testing.T) {
			high, low := make([]int, cells), make([]int, cells)
			for _, op := range take(stream(t, s, Geometry{size, 512}, 7), 200_000) {
				high[op.Off/(size/cells)]++
				low[op.Off/s.alignment(512)%cells]++
			}
			chiSquared(t, high, equalShares(cells))
			chiSquared(t, low, equalShares(cells))
		})
	}
}

func TestEveryAddressIsReached(t *testing.T) {
	region := Region{Offset: 8 * kib, Length: 40 * kib}
	for name, s := range map[string]Spec{
		"fast":    {Access: Access{Random: 1}, Region: region},
		"general": {Access: Access{Random: 1}, Region: region, Mix: Mix{Read: 1, Write: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			counts := make([]int, 10)
			for _, op := range take(stream(t, s, Geometry{mib, 512}, 7), 10_000) {
				counts[op.Off/(4*kib)-2]++
			}
			chiSquared(t, counts, equalShares(10))
		})
	}
}

// vdbench's seekpct at 20 gave 0.80 sequential and runs of 4.98 operations in
// the mean.
func TestSequentialShareAndRunLength(t *testing.T) {
	for _, p := range []float64{0.05, 0.2, 0.5, 0.9} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			const n = 200_000
			sequential, runs, next := 0, 0, int64(-1)
			for _, op := range take(stream(t, Spec{Access: Access{Random: p}}, Geometry{16 * tib, 512}, 11), n) {
				if op.Off == next {
					sequential++
				} else {
					runs++
				}
				next = op.Off + op.Len
			}
			if share := float64(sequential) / n; math.Abs(share-(1-p)) > 0.005 {
				t.Errorf("sequential share %.4f, want %.2f", share, 1-p)
			}
			if mean := n / float64(runs); math.Abs(mean*p-1) > 0.02 {
				t.Errorf("mean run %.3f, want %.2f", mean, 1/p)
			}
			if p == 0.2 && math.Abs(n/float64(runs)-4.98) > 0.05 {
				t.Errorf("mean run %.3f, vdbench has 4.98", n/float64(runs))
			}
		})
	}
}

func TestSizeMixToThePercent(t *testing.T) {
	list := []SizeShare{{4 * kib, 50}, {8 * kib, 30}, {64 * kib, 15}, {mib, 5}}
	index := map[int64]int{4 * kib: 0, 8 * kib: 1, 64 * kib: 2, mib: 3}
	counts := make([]int, 4)
	for _, op := range take(stream(t, Spec{Sizes: list, Access: Access{Random: 1}}, Geometry{tib, 512}, 3), 200_000) {
		counts[index[op.Len]]++
	}
	chiSquared(t, counts, []float64{0.5, 0.3, 0.15, 0.05})
	for i, n := range counts {
		if got := float64(n) / 2000; math.Abs(got-list[i].Share) > 0.5 {
			t.Errorf("%d bytes: %.2f %%, want %v %%", list[i].Bytes, got, list[i].Share)
		}
	}
}

func TestUniformSizes(t *testing.T) {
	counts := make([]int, 16)
	s := Spec{Uniform: SizeRange{4 * kib, 64 * kib, 4 * kib}}
	for _, op := range take(stream(t, s, Geometry{tib, 512}, 3), 50_000) {
		counts[op.Len/(4*kib)-1]++
	}
	chiSquared(t, counts, equalShares(16))
}

func TestKindMix(t *testing.T) {
	counts := make([]int, 3)
	s := Spec{Mix: Mix{70, 20, 10}}
	for _, op := range take(stream(t, s, Geometry{tib, 512}, 3), 100_000) {
		counts[op.Kind]++
	}
	chiSquared(t, counts, []float64{0.7, 0.2, 0.1})
}

func TestKindWithoutShareNeverComes(t *testing.T) {
	for _, op := range take(stream(t, Spec{Mix: Mix{Read: 1, Write: 2}}, Geometry{tib, 512}, 3), 100_000) {
		if op.Kind == Delete {
			t.Fatal("a delete without a share of deletes")
		}
	}
}

func TestHotBandIsTriangular(t *testing.T) {
	const cells = 20
	s := Spec{Access: Access{Random: 1}, HotBand: Band{0.4, 0.6}}
	counts, shares := make([]int, cells), make([]float64, cells)
	low, width := tib*4/10, tib*2/10
	for _, op := range take(stream(t, s, Geometry{tib, 512}, 5), 100_000) {
		counts[(op.Off-low)*cells/width]++
	}
	for i := range shares {
		shares[i] = float64(min(2*i+1, 2*(cells-i)-1)) / (cells * cells / 2)
	}
	chiSquared(t, counts, shares)
}

func TestPoissonAddresses(t *testing.T) {
	s := Spec{Access: Access{PoissonMid: 0.3}}
	want := distuv.Poisson{Lambda: 30}
	const first, last = 15, 48 // the outer bins together make the end cells
	counts, shares := make([]int, last-first+1), make([]float64, last-first+1)
	next := int64(-1)
	for _, op := range take(stream(t, s, Geometry{tib, 512}, 5), 100_000) {
		if op.Off == next {
			t.Fatalf("the operation at %d goes on where the one before ended: each is to be drawn", op.Off)
		}
		next = op.Off + op.Len
		bin := int(float64(op.Off) / float64(tib) * 100)
		counts[min(max(bin, first), last)-first]++
	}
	for i := range shares {
		shares[i] = want.Prob(float64(first + i))
	}
	shares[0] = want.CDF(first)
	shares[last-first] = 1 - want.CDF(last-1)
	chiSquared(t, counts, shares)
}

func TestHitShares(t *testing.T) {
	s := Spec{Access: Access{Random: 1}, Mix: Mix{50, 50, 0}, Hit: Hit{mib, 0.8, 0.3}}
	var hits, misses [2]int
	for _, op := range take(stream(t, s, Geometry{tib, 512}, 5), 100_000) {
		if op.Off < mib {
			hits[op.Kind]++
		} else {
			misses[op.Kind]++
		}
	}
	chiSquared(t, []int{hits[Read], misses[Read]}, []float64{0.8, 0.2})
	chiSquared(t, []int{hits[Write], misses[Write]}, []float64{0.3, 0.7})
}

func TestStrideIsUniform(t *testing.T) {
	counts := make([]int, 16)
	s := Spec{Stride: SizeRange{4 * kib, 64 * kib, 4 * kib}}
	ops := take(stream(t, s, Geometry{16 * tib, 512}, 5), 50_001)
	for i := range ops[1:] {
		counts[(ops[i+1].Off-ops[i].Off)/(4*kib)-1]++
	}
	chiSquared(t, counts, equalShares(16))
}

func TestArrivalGaps(t *testing.T) {
	const mean = 1e-3
	for _, c := range []struct {
		kind Arrivals
		cdf  func(float64) float64
	}{
		{Exponential, distuv.Exponential{Rate: 1 / mean}.CDF},
		{UniformSpaced, distuv.Uniform{Min: 0, Max: 2 * mean}.CDF},
	} {
		gaps, last := []float64{}, time.Duration(0)
		for _, op := range take(stream(t, Spec{Rate: 1 / mean, Arrivals: c.kind}, Geometry{gib, 512}, 5), 50_000) {
			gaps = append(gaps, (op.At - last).Seconds())
			last = op.At
		}
		kolmogorov(t, gaps, c.cdf)
		if rate := 50_000 / last.Seconds(); math.Abs(rate*mean-1) > 0.02 {
			t.Errorf("arrivals %d: %.1f/s, want %g/s", c.kind, rate, 1/mean)
		}
	}
}

func TestThinkTimesAreExponential(t *testing.T) {
	st := stream(t, Spec{Think: time.Second}, Geometry{gib, 512}, 5)
	var pauses []float64
	var op Op
	for st.Next(&op); len(pauses) < 20_000; {
		done := op.At + time.Millisecond
		st.(Feedback).Completed(op, done)
		st.Next(&op)
		pauses = append(pauses, (op.At - done).Seconds())
	}
	kolmogorov(t, pauses, distuv.Exponential{Rate: 1}.CDF)
}

func TestLn(t *testing.T) {
	d := newDraw(1, 1)
	for range 100_000 {
		x := d.unit()
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 1e-15*math.Abs(want)+1e-16 {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
	}
	if ln(1) != 0 {
		t.Errorf("ln(1) = %v", ln(1))
	}
	if least := ln(1.0 / (1 << 53)); math.Abs(least+36.7368) > 1e-4 {
		t.Errorf("ln(2^-53) = %v", least)
	}
}

// below must not favour some values where n is no power of two: of four draws,
// three numbers come, and without rejection the first of each three twice.
func TestBelowIsUnbiased(t *testing.T) {
	d := newDraw(1, 1)
	const n = uint64(3) << 62 // a quarter of all draws must be rejected
	counts := make([]int, 3)
	for range 30_000 {
		counts[d.below(n)%3]++
	}
	chiSquared(t, counts, equalShares(3))
}
