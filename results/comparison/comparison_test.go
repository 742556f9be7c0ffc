package comparison

import (
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// run makes a run that varies chunk over values; rate gives each trial's
// operations a second, or a negative number for a trial that is not valid.
func run(id string, values []string, blocks int, rate func(value, block int) float64) *results.RunData {
	r := &results.Run{Schema: 1, ID: id, Device: results.Device{Name: "disk", Model: "Disk 1"}}
	r.Tunables = []results.Tunable{{Name: "chunk", Values: values, Default: values[0]}}
	r.Workloads = []results.Workload{{Name: "w", Jobs: []results.Job{{Name: "j"}}}}
	r.Objectives = []results.Objective{{Workload: "w", Maximise: "j.ops"}}
	data := &results.RunData{Run: r, Dir: id, Complete: true}
	for i, v := range values {
		r.Variants = append(r.Variants, results.Variant{ID: "chunk-" + v, Label: "chunk=" + v, Settings: []results.Setting{{Tunable: "chunk", Value: v}}})
		for b := range blocks {
			data.Trials = append(data.Trials, trial(len(data.Trials), b, "chunk-"+v, rate(i, b)))
		}
	}
	return data
}

func trial(index, block int, variant string, rate float64) results.Trial {
	t := results.Trial{Schema: 1, Index: index, Block: block, Variant: variant, Workload: "w", Status: results.Valid, WindowSeconds: 10}
	if rate < 0 {
		t.Status = results.Invalid
		t.Findings = []results.Finding{{Code: "drift", Fatal: true}}
		return t
	}
	t.Jobs = []results.JobResult{{Name: "j", Kinds: []results.KindResult{{Kind: "read", Ops: int64(10 * rate), OpsPerSecond: results.Some(rate)}}}}
	return t
}

func rising(value, block int) float64 { return float64(1000+block*7) * (1 + 0.5*float64(value)) }

func TestRuns(t *testing.T) {
	base := run("a", []string{"1", "2"}, 8, rising)
	slower := func(v, b int) float64 { return 0.8 * rising(v, b) }
	nearly := func(v, b int) float64 { return 0.999 * rising(v, b) }
	tests := map[string]struct {
		next    *results.RunData
		outcome stats.Outcome
		gate    Verdict
	}{
		"worse":           {run("b", []string{"1", "2"}, 8, slower), stats.Worse, Fail},
		"better":          {run("b", []string{"1", "2"}, 8, func(v, b int) float64 { return 1.3 * rising(v, b) }), stats.Better, Pass},
		"same":            {run("b", []string{"1", "2"}, 8, nearly), stats.Same, Pass},
		"too few to tell": {run("b", []string{"1", "2"}, 2, slower), stats.Undecided, Inconclusive},
	}
	for name, test := range tests {
		table, err := Runs(base, test.next, Options{Margin: 0.03})
		if err != nil {
			t.Fatal(err)
		}
		gate, err := Gate{}.Check(table)
		if err != nil || gate != test.gate || len(table.Rows) != 2 {
			t.Errorf("%s: gate %s of %d rows, %v, want %s", name, gate, len(table.Rows), err, test.gate)
		}
		for _, r := range table.Rows {
			if r.Outcome != test.outcome || r.Test != stats.MannWhitney {
				t.Errorf("%s: %s by %s, want %s\n%+v", name, r.Outcome, r.Test, test.outcome, r)
			}
		}
	}
}

// What only one side has is named, and a base that vanished cannot pass.
func TestUnmatched(t *testing.T) {
	base := run("a", []string{"1", "2"}, 8, rising)
	next := run("b", []string{"2", "3"}, 8, rising)
	table, err := Runs(base, next, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, u := range table.Unmatched {
		told = append(told, u.String())
	}
	want := []string{"w at own, chunk=1: only the base side has it", "w at own, chunk=3: only the new side has it"}
	if !slices.Equal(told, want) || len(table.Rows) != 1 {
		t.Errorf("%d rows, unmatched %q, want %q", len(table.Rows), told, want)
	}
	if v, _ := (Gate{}).Check(table); v == Pass {
		t.Error("the gate passes although a cell of the base is gone")
	}
	if _, err := Runs(run("a", []string{"1", "2"}, 1, rising), run("b", []string{"3", "4"}, 1, rising), Options{}); err == nil || !strings.Contains(err.Error(), "runs of the same profile") {
		t.Errorf("nothing in common: %v", err)
	}
}

func TestSingleVariantsMatchWhateverTheirSettings(t *testing.T) {
	table, err := Runs(run("a", []string{"1"}, 8, rising), run("b", []string{"2"}, 8, rising), Options{})
	if err != nil || len(table.Rows) != 1 || len(table.Notes) != 1 || !strings.Contains(table.Notes[0], "chunk=1 against chunk=2") {
		t.Errorf("%+v, %v", table, err)
	}
}

// Values of one run pair by block, which takes a drift out that hides the
// difference from an unpaired test.
func TestVariantsPair(t *testing.T) {
	drift := func(v, b int) float64 { return float64(1000+b*500) * (1 + 0.01*float64(v)) }
	data := run("a", []string{"1", "2"}, 8, drift)
	table, err := Variants(data, "chunk", "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := table.Rows[0]
	if r.BaseValue != "1" || r.NewValue != "2" || r.Test != stats.SignedRank || r.Pairs != 8 || r.Outcome != stats.Better {
		t.Errorf("%+v", r)
	}
	table, err = Variants(data, "chunk", "2", Options{Unpaired: true})
	if r := table.Rows[0]; err != nil || r.BaseValue != "2" || r.Test != stats.MannWhitney || r.Outcome != stats.Undecided {
		t.Errorf("unpaired: %+v, %v", r, err)
	}
}

func TestVariantsRefuses(t *testing.T) {
	data := run("a", []string{"1", "2"}, 2, rising)
	for want, ask := range map[string][2]string{
		"it varies chunk":         {"nosuch", ""},
		`with "7": the run has 1`: {"chunk", "7"},
	} {
		if _, err := Variants(data, ask[0], ask[1], Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", ask, err, want)
		}
	}
}

// Trials that do not count are told, and a side without any is no verdict.
func TestWhatDoesNotCountIsTold(t *testing.T) {
	data := run("a", []string{"1", "2", "3"}, 8, func(v, b int) float64 {
		if v == 1 && b == 0 || v == 2 {
			return -1
		}
		return rising(v, b)
	})
	table, err := Variants(data, "chunk", "1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := table.Rows[0]; r.Pairs != 7 || len(r.Notes) != 1 || r.Notes[0] != "new: 1 of 8 trials do not count (drift)" {
		t.Errorf("%+v", r)
	}
	if r := table.Rows[1]; r.Lack != Unmeasured || r.Outcome != stats.Undecided || r.P.Valid {
		t.Errorf("%+v", r)
	}
}

// Of what is missing without a bound nothing is known, so nothing is proven by
// the rest.
func TestMissingWithoutABound(t *testing.T) {
	data := run("a", []string{"1", "2"}, 8, rising)
	data.Trials[len(data.Trials)-1].WindowSeconds = 0.0005
	table, err := Variants(data, "chunk", "1", Options{Metrics: []string{"ops"}})
	if err != nil {
		t.Fatal(err)
	}
	if r := table.Rows[0]; r.NewMissing+r.BaseMissing != 1 || r.NewBounds+r.BaseBounds != 0 || r.Outcome != stats.Undecided {
		t.Errorf("%+v", r)
	}
}

// A starved side is worse for sure, and never better or the same.
func TestStarvedSide(t *testing.T) {
	starve := func(data *results.RunData, variant string) {
		for i := range data.Trials {
			if data.Trials[i].Variant == variant {
				data.Trials[i].Jobs[0] = results.JobResult{Name: "j", Pending: 1, OldestPendingSeconds: 10}
			}
		}
	}
	data := run("a", []string{"1", "2"}, 8, rising)
	starve(data, "chunk-2")
	table, err := Variants(data, "chunk", "1", Options{})
	if err != nil || table.Rows[0].Outcome != stats.Worse || table.Rows[0].NewMissing != 8 || table.Rows[0].NewBounds != 8 {
		t.Errorf("%+v, %v", table.Rows[0], err)
	}
	starve(data, "chunk-1")
	table, err = Variants(data, "chunk", "1", Options{})
	if err != nil || table.Rows[0].Outcome != stats.Undecided {
		t.Errorf("both starved: %+v, %v", table.Rows[0], err)
	}
}

func TestGate(t *testing.T) {
	data := run("a", []string{"1", "2"}, 8, rising)
	table, err := Variants(data, "chunk", "2", Options{Metrics: []string{"j.ops", "j.throughput"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Verdict{"worse": Fail, "worse:j.ops": Fail, "worse:j.throughput": Inconclusive, "worse:j.throughput,j.ops": Fail} {
		g, err := ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.Check(table); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	if _, err := (Gate{Metrics: []string{"p50"}}).Check(table); err == nil {
		t.Error("a metric that is not compared passes")
	}
	for _, text := range []string{"", "better", "worse:", "worse:nosuch"} {
		if g, err := ParseGate(text); err == nil {
			t.Errorf("%q was read as %+v", text, g)
		}
	}
}

func FuzzParseGate(f *testing.F) {
	f.Add("worse:p99,j.ops")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGate(text)
		if err == nil && text != "worse" && len(g.Metrics) == 0 {
			t.Errorf("%q names no metric", text)
		}
	})
}
