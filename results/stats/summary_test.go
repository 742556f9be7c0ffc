package stats

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// With six figures the range is the first interval of 95 %: all fall on one
// side of the median with probability 2/64.
func TestSummarise(t *testing.T) {
	tests := []struct {
		values     []float64
		confidence float64
		want       Summary
		warning    string
	}{
		{nil, 0, Summary{}, "no figures"},
		{[]float64{math.NaN(), math.Inf(1)}, 0, Summary{}, "2 of 2 figures are no numbers"},
		{[]float64{7}, 0, Summary{N: 1, Center: 7, Lo: 7, Hi: 7, Range: true, Mean: 7, Min: 7, Max: 7}, "1 of the 6 trials that an interval of 95% confidence needs: the range has 0%"},
		{[]float64{3, 1, 2}, 0, Summary{N: 3, Center: 2, Lo: 1, Hi: 3, Confidence: 0.75, Range: true, Mean: 2, Min: 1, Max: 3}, "3 of the 6 trials that an interval of 95% confidence needs: the range has 75%"},
		{[]float64{3, 1, 2}, 0.75, Summary{N: 3, Center: 2, Lo: 1, Hi: 3, Confidence: 0.75, Mean: 2, Min: 1, Max: 3}, ""},
		{[]float64{5, 1, 2, 3, 4}, 0.95, Summary{N: 5, Center: 3, Lo: 1, Hi: 5, Confidence: 0.9375, Range: true, Mean: 3, Min: 1, Max: 5}, "5 of the 6"},
		{[]float64{6, 5, 1, 2, 3, 4}, 0.95, Summary{N: 6, Center: 3.5, Lo: 1, Hi: 6, Confidence: 0.96875, Mean: 3.5, Min: 1, Max: 6}, ""},
		{[]float64{4, 4, 4, 4, 4, 4}, 0.95, Summary{N: 6, Center: 4, Lo: 4, Hi: 4, Confidence: 0.96875, Mean: 4, Min: 4, Max: 4}, "all 6 figures are the same"},
		{[]float64{6, 5, 1, 2, 3, 4}, 0.99, Summary{N: 6, Center: 3.5, Lo: 1, Hi: 6, Confidence: 0.96875, Range: true, Mean: 3.5, Min: 1, Max: 6}, "6 of the 8"},
	}
	for _, test := range tests {
		before := slices.Clone(test.values)
		got := Summarise(test.values, test.confidence)
		told := strings.Join(got.Warnings, "\n")
		got.Warnings = nil
		if !equal(got, test.want) || !strings.Contains(told, test.warning) || test.warning == "" && told != "" {
			t.Errorf("%v at %v: %+v, %q\nwant %+v, %q", test.values, test.confidence, got, told, test.want, test.warning)
		}
		if !slices.Equal(test.values, before) && !math.IsNaN(before[0]) {
			t.Errorf("%v became %v", before, test.values)
		}
	}
}

func equal(a, b Summary) bool {
	return a.N == b.N && a.Center == b.Center && a.Lo == b.Lo && a.Hi == b.Hi && near(a.Confidence, b.Confidence) &&
		a.Range == b.Range && near(a.Mean, b.Mean) && a.Min == b.Min && a.Max == b.Max
}

// No summary may claim more than the order statistics of its sample have.
func TestSummariseClaimsNoMoreThanItHas(t *testing.T) {
	for n := 1; n <= 40; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		s := Summarise(values, 0.95)
		most := rangeConfidence(n)
		if s.Confidence > most+1e-12 || !s.Range && s.Confidence < 0.95 || s.Range != (n < 6) {
			t.Errorf("%d figures: confidence %v of at most %v, range %v", n, s.Confidence, most, s.Range)
		}
		if s.Lo > s.Center || s.Hi < s.Center || s.Lo < s.Min || s.Hi > s.Max {
			t.Errorf("%d figures: %+v is out of order", n, s)
		}
	}
}

func TestHugeFiguresDoNotOverflow(t *testing.T) {
	huge := math.MaxFloat64
	s := Summarise([]float64{huge, huge, huge}, 0)
	if s.Mean != huge || s.Center != huge {
		t.Errorf("%+v", s)
	}
}
