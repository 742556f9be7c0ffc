package stats

import (
	"math"
	"testing"
)

// SciPy 1.10:
//
//	from math import log
//	from scipy.special import betaln
//	ln = lambda k, n: n*log(2) + betaln(k + .5, n - k + .5) - betaln(.5, .5)
//	[ln(k, n) for k, n in [(0, 7), (1, 9), (3, 20), (10, 40), (50, 100)]]
//	[next(n for n in range(1, 99) if ln(0, n) >= -log(.05/f)) for f in [1, 2, 10, 100, 1000]]
func TestSequentialBoundariesAgreeWithSciPy(t *testing.T) {
	for at, want := range map[[2]int]float64{
		{0, 7}: 3.2888681966882354, {1, 9}: 1.7202522787743906, {3, 20}: 3.6646857628904455,
		{10, 40}: 3.154614025364187, {50, 100}: -2.5308764039771026,
	} {
		if got := logCapital(at[0], at[1]); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%d of %d: %v, want %v", at[0], at[1], got, want)
		}
	}
	for family, want := range map[int]int{1: 7, 2: 8, 10: 11, 100: 14, 1000: 18} {
		if got := SequentialBlocks(0.95, family); got != want {
			t.Errorf("family of %d: %d blocks, want %d", family, got, want)
		}
	}
}
