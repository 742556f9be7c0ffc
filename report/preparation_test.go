package report

import (
	"testing"

	"github.com/iosweep/iosweep/results"
)

func TestPrepared(t *testing.T) {
	got := prepared(&results.Preparation{DeletedBytes: 1 << 30, FilledBytes: 2 << 30, Seconds: 9, Steadiness: &results.Steadiness{
		Quantity: "ops", RoundSeconds: 10, Rounds: []float64{2000, 1000, 1010}, Steady: true, Window: 2, Range: results.Some(0.01), Slope: results.Some(0.005),
	}})
	want := Preparation{
		Trials: 1, Purged: "1.00 GiB", Filled: "2.00 GiB", Took: "9.00 s", least: 9, most: 9,
		Rounds:  "ops in rounds of 10.0 s: 2.00 k op/s, 1.00 k op/s, 1.01 k op/s",
		Verdict: "steady over the last 2: range 1 %, slope 0.5 % of their mean",
	}
	if got != want {
		t.Errorf("prepared\n%+v, want\n%+v", got, want)
	}
	plain := prepared(&results.Preparation{FilledBytes: 1 << 30, Seconds: 2})
	plain.add(prepared(&results.Preparation{FilledBytes: 1 << 30, Seconds: 4}))
	plain.add(prepared(&results.Preparation{FilledBytes: 1 << 30, Seconds: 3}))
	if plain.Trials != 3 || plain.Took != "2.00 s to 4.00 s" || plain.Purged != "-" || plain.Rounds != "" || plain.Verdict != "" {
		t.Errorf("three prepared alike are %+v", plain)
	}
}
