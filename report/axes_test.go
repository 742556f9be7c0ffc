package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results/stats"
)

func labels(a Axis) string {
	var out []string
	for _, t := range a.Ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return strings.Join(out, ", ")
}

func TestAxisTicks(t *testing.T) {
	for _, c := range []struct {
		name, quantity string
		values         []float64
		log            bool
		label, ticks   string
	}{
		{"rates from zero", "throughput", []float64{100e6, 812e6}, false, "x (MB/s)", "0, 200, 400, 600, 800"},
		{"rates close together", "throughput", []float64{1000e6, 1004e6}, false, "x (GB/s)", "0.98, 0.99, 1, 1.01, 1.02"},
		{"decades", "p99", []float64{120e-6, 0.9}, true, "x", "100 us, 1 ms, 10 ms, 100 ms, 1 s"},
		{"under two decades", "p99", []float64{1.2e-3, 13e-3}, true, "x", "1 ms, 2 ms, 5 ms, 10 ms, 20 ms"},
		{"zero forbids a logarithm", "p99", []float64{0, 0.01}, true, "x (ms)", "0, 2.5, 5, 7.5, 10"},
		{"only zero", "p99", []float64{0}, true, "x (s)", "0, 0.2, 0.4, 0.6, 0.8, 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := axisOver(c.quantity, "x", c.values, c.log)
			if got := labels(a); got != c.ticks || a.Label != c.label {
				t.Errorf("label %q, ticks %s\nwant %q, %s", a.Label, got, c.label, c.ticks)
			}
			for _, v := range c.values {
				if v < a.Min || v > a.Max {
					t.Errorf("%g is not in %g..%g", v, a.Min, a.Max)
				}
			}
		})
	}
}

// TestAxisHoldsAnything tries magnitudes that no device has: the ticks stay few
// and the axis finite.
func TestAxisHoldsAnything(t *testing.T) {
	for _, low := range []float64{0, 1e-12, 1e-9, 0.99, 1, 1e9, 1e15} {
		for _, ratio := range []float64{1, 1.0001, 1.5, 9.99, 1e3, 1e9} {
			for _, log := range []bool{false, true} {
				a := axisOver("max", "x", []float64{low, low * ratio}, log)
				if !(a.Min < a.Max) || math.IsInf(a.Max, 0) || a.Min > low || a.Max < low*ratio {
					t.Errorf("%g..%g: axis %g..%g", low, low*ratio, a.Min, a.Max)
				}
				if n := len(a.Ticks); n == 0 || n > 140 {
					t.Errorf("%g..%g: %d ticks", low, low*ratio, n)
				}
			}
		}
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		quantity string
		v        float64
		want     string
	}{
		{"throughput", 812.4e6, "812 MB/s"}, {"throughput", 999.9e6, "1.00 GB/s"}, {"throughput", 0, "0 B/s"},
		{"ops", 12345, "12.3 k op/s"}, {"ops", 999.4, "999 op/s"}, {"ops", 0.5, "0.500 op/s"},
		{"p99", 65.12e-3, "65.1 ms"}, {"mean", 0, "0 s"}, {"max", 94, "94.0 s"}, {"max", 1234, "1230 s"}, {"p50", 17e-9, "17.0 ns"},
	} {
		if got := show(c.quantity, c.v); got != c.want {
			t.Errorf("show(%s, %g) = %q, want %q", c.quantity, c.v, got, c.want)
		}
	}
}

func TestIntervalIsNamedForWhatItIs(t *testing.T) {
	for n, want := range map[int]string{1: "no interval", 3: "range over 3 trials", 5: "range over 5", 6: "95 % interval of the median over 6"} {
		if got := intervalText(n); !strings.Contains(got, want) {
			t.Errorf("%d trials: %q, want %q", n, got, want)
		}
	}
}

// TestLeastTrialsAgreeWithStats holds the words to what the statistics do.
func TestLeastTrialsAgreeWithStats(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6}
	for n := 2; n <= len(values); n++ {
		if got := stats.Summarise(values[:n], stats.DefaultConfidence).Range; got != (n < minForInterval) {
			t.Errorf("%d trials: a range is %v", n, got)
		}
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{"run": "run", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "/dev/x": "/dev/x"} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestSafeName(t *testing.T) {
	for in, want := range map[string]string{"Mix 1": "mix-1", "../../etc": "etc", "שלום": "", "<b>": "b"} {
		if got := safeName(in); got != want {
			t.Errorf("safeName(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestRemarkNamesLoadPoints holds that a note about some load points is not read
// as one about a setting at all of them, nor "none" as nothing.
func TestRemarkNamesLoadPoints(t *testing.T) {
	none := Setting{Label: "none"}
	rows := []Row{{Setting: none, Load: "depth 1"}, {Setting: none, Load: "depth 4"}, {Setting: none, Load: "depth 16"}, {Setting: Setting{Label: "kyber"}, Load: "depth 1"}}
	all := remarked(remarked(nil, rows[0], " is not drawn: x"), rows[2], " is not drawn: x")
	all = remarked(all, rows[3], ": y")
	var got []string
	for _, r := range all {
		got = append(got, r.text(rows))
	}
	if want := []string{`"none" at depth 1, depth 16 is not drawn: x`, `"kyber": y`}; !slices.Equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
}
