package profiles

import (
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// TestDraw pins the generator: the numbers are PCG-DXSM's, the reduction ours.
func TestDraw(t *testing.T) {
	d := newDraw(1)
	var got []uint64
	for range 8 {
		got = append(got, d.below(1000))
	}
	order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	newDraw(1).shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if want := []uint64{883, 934, 531, 942, 763, 488, 515, 517}; !slices.Equal(got, want) {
		t.Errorf("drew %v, want %v", got, want)
	}
	if want := []int{3, 0, 1, 5, 2, 7, 6, 4, 9, 8}; !slices.Equal(order, want) {
		t.Errorf("shuffled to %v, want %v", order, want)
	}
}

// TestBelowIsUniform counts 70,000 draws of 7: each expects 10,000 with a
// standard deviation of 93, and the seed is fixed, so the test cannot flicker.
func TestBelowIsUniform(t *testing.T) {
	d := newDraw(7)
	var counts [7]int
	for range 70_000 {
		counts[d.below(7)]++
	}
	for value, n := range counts {
		if n < 9_600 || n > 10_400 {
			t.Errorf("%d came %d times", value, n)
		}
	}
}

func TestParseFigure(t *testing.T) {
	for _, c := range []struct {
		text string
		unit results.Unit
		want float64
		err  string
	}{
		{"100MB/s", results.BytesPerSecond, 1e8, ""},
		{"4 KiB/s", results.BytesPerSecond, 4096, ""},
		{"1152.4/s", results.OpsPerSecond, 1152.4, ""},
		{"65ms", results.Seconds, 0.065, ""},
		{"65ms", results.OpsPerSecond, 0, "like 1000/s"},
		{"100MB", results.BytesPerSecond, 0, "like 100MB/s"},
		{"10", results.Seconds, 0, "like 10ms"},
		{"", results.Seconds, 0, "like 10ms"},
	} {
		got, err := parseFigure(c.text, c.unit)
		if c.err == "" && (err != nil || got.value != c.want) {
			t.Errorf("%q: got %v, %v", c.text, got, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.err)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"warmup", "duration", "ops"}
	for word, want := range map[string]string{
		"warmpu":                   `did you mean "warmup"?`,
		"Duration":                 `did you mean "duration"?`,
		"op":                       `did you mean "ops"?`,
		"colour":                   "use one of warmup, duration, ops",
		strings.Repeat("x", 1<<20): "use one of warmup, duration, ops",
	} {
		if got := suggest(word, known); got != want {
			t.Errorf("%.20q: got %q, want %q", word, got, want)
		}
	}
}
