package recommendation

import (
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// device is a run on one model: rates by value, each with a little noise that
// blocks share; a rate of 0 leaves the value out.
func device(model, current string, blocks int, rates map[string]float64) *results.RunData {
	run := &results.Run{Schema: 1, ID: "run-" + model, Device: results.Device{Name: "d", Model: model}}
	values := []string{"a", "b", "c"}
	run.Tunables = []results.Tunable{{Name: "knob", Values: values, Default: current}}
	run.Workloads = []results.Workload{{Name: "w", Varies: []string{"knob"}, Jobs: []results.Job{{Name: "j"}}}}
	run.Objectives = []results.Objective{{Workload: "w", Maximise: "j.ops"}}
	data := &results.RunData{Run: run, Dir: "runs/" + model, Complete: true}
	for _, v := range values {
		run.Variants = append(run.Variants, results.Variant{ID: v, Label: "knob=" + v, Settings: []results.Setting{{Tunable: "knob", Value: v}}})
		for b := range blocks {
			if rates[v] == 0 {
				continue
			}
			rate := results.Some(rates[v] * (1 + 0.01*float64(b)))
			data.Trials = append(data.Trials, results.Trial{
				Schema: 1, Index: len(data.Trials), Block: b, Variant: v, Workload: "w", Status: results.Valid, WindowSeconds: 10,
				Jobs: []results.JobResult{{Name: "j", Kinds: []results.KindResult{{Kind: "read", Ops: 1000, OpsPerSecond: rate}}}},
			})
		}
	}
	return data
}

func one(t *testing.T, o Options, runs ...*results.RunData) Recommendation {
	t.Helper()
	all, err := Of(&results.Set{Runs: runs}, o)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d answers, %v", len(all), err)
	}
	return all[0]
}

func TestAnswers(t *testing.T) {
	type rates = map[string]float64
	tests := map[string]struct {
		runs     []*results.RunData
		sentence string
		ties     []string
	}{
		"the best":                     {[]*results.RunData{device("X", "a", 10, rates{"a": 100, "b": 120, "c": 90})}, "b", nil},
		"the current default of a tie": {[]*results.RunData{device("X", "c", 10, rates{"a": 100, "b": 101, "c": 99})}, "c", []string{"a", "b"}},
		"the nearest to the default":   {[]*results.RunData{device("X", "c", 10, rates{"a": 101, "b": 100, "c": 50})}, "b", []string{"a"}},
		"the first without a default":  {[]*results.RunData{device("X", "", 10, rates{"a": 100, "b": 101, "c": 50})}, "a", []string{"b"}},
		"too few blocks to be sure":    {[]*results.RunData{device("X", "a", 2, rates{"a": 100, "b": 200, "c": 90})}, "a (not all is decided)", nil},
		"least worst loss":             {[]*results.RunData{device("X", "", 10, rates{"a": 100, "b": 80, "c": 10}), device("Y", "", 10, rates{"a": 10, "b": 99, "c": 100})}, "b everywhere; a for X", nil},
		"two models that agree":        {[]*results.RunData{device("X", "", 10, rates{"a": 100, "b": 80, "c": 10}), device("Y", "", 10, rates{"a": 100, "b": 50, "c": 60})}, "a everywhere", nil},
		"what one device did not try":  {[]*results.RunData{device("X", "", 10, rates{"a": 100, "b": 80, "c": 10}), device("Y", "", 10, rates{"b": 99, "c": 50})}, "b everywhere; a for X", nil},
		"nothing was tried on both":    {[]*results.RunData{device("X", "", 10, rates{"a": 100}), device("Y", "", 10, rates{"b": 99})}, "no value can be recommended: no value was measured on every device and keeps to the limits on all of them", nil},
	}
	for name, test := range tests {
		r := one(t, Options{Margin: 0.03}, test.runs...)
		if r.Sentence() != test.sentence || !slices.Equal(r.Ties, test.ties) {
			t.Errorf("%s: %q, ties %q, want %q, ties %q\n%+v", name, r.Sentence(), r.Ties, test.sentence, test.ties, r)
		}
	}
}

// A value that breaks a limit on one device is nobody's default, whatever it
// gains elsewhere.
func TestLimitsRuleOut(t *testing.T) {
	x := device("X", "", 10, map[string]float64{"a": 100, "b": 200, "c": 90})
	x.Run.Objectives[0].Limits = []results.Limit{{Metric: "j.ops", Op: "<=", Value: 150, Text: "j.ops <= 150/s"}}
	r := one(t, Options{Margin: 0.03}, x)
	if r.Sentence() != "a" || r.Devices[0].Regrets["b"].State != stats.Infeasible || r.Devices[0].Regrets["b"].Loss != 1 {
		t.Errorf("%s: %+v", r.Sentence(), r.Devices[0].Regrets)
	}
}

// Where no value is known to keep to the limits none is recommended, proven or
// not: there is nothing that another one loses to.
func TestNoneKeepsToTheLimits(t *testing.T) {
	for blocks, want := range map[int]string{10: "no value keeps to the limits", 2: "no value is known to keep to the limits"} {
		x := device("X", "a", blocks, map[string]float64{"a": 100, "b": 200, "c": 90})
		x.Run.Objectives[0].Limits = []results.Limit{{Metric: "j.ops", Op: "<=", Value: 50, Text: "j.ops <= 50/s"}}
		if r := one(t, Options{Margin: 0.03}, x); r.Default != "" || r.Reason != want {
			t.Errorf("%d blocks: %q, %q, want %q", blocks, r.Default, r.Reason, want)
		}
	}
}

// Regrets are shares of the best, with intervals that hold them.
func TestRegret(t *testing.T) {
	r := one(t, Options{}, device("X", "", 10, map[string]float64{"a": 100, "b": 80, "c": 50}))
	for value, want := range map[string]float64{"a": 0, "b": 0.2, "c": 0.5} {
		g := r.Devices[0].Regrets[value]
		if g.Loss < want-1e-9 || g.Loss > want+1e-9 || !g.Lo.Valid || g.Lo.V > g.Loss+1e-9 || g.Hi.V < g.Loss-1e-9 {
			t.Errorf("%s: %+v, want %v", value, g, want)
		}
	}
	slow := device("X", "", 10, map[string]float64{"a": 100, "b": 80, "c": 50})
	slow.Run.Objectives[0] = results.Objective{Workload: "w", Minimise: "j.ops"}
	if g := one(t, Options{}, slow).Devices[0].Regrets["a"]; g.Loss < 0.5-1e-9 || g.Loss > 0.5+1e-9 {
		t.Errorf("twice what is to be small: %+v, want a loss of one half", g)
	}
}

// What is undecided may lose much, however small the estimate: it is not as good.
func TestUndecidedIsNotAsGood(t *testing.T) {
	x := device("X", "a", 3, map[string]float64{"a": 100, "b": 100.1, "c": 50})
	r := one(t, Options{Margin: 0.03}, x)
	if r.Default != "a" || len(r.Ties) > 0 || !slices.Equal(r.NotApart, []string{"b"}) || !strings.Contains(r.Reason, "cannot be told apart from b") {
		t.Errorf("%s, ties %q, not apart %q: %s", r.Default, r.Ties, r.NotApart, r.Reason)
	}
}

// A median over trials of which some count with a bound is a bound.
func TestBoundIsKept(t *testing.T) {
	x := device("X", "", 8, map[string]float64{"a": 100, "b": 80})
	for i := range x.Trials {
		if k := &x.Trials[i].Jobs[0].Kinds[0]; x.Trials[i].Variant == "b" {
			k.Ops, k.OpsPerSecond = 1, results.Float{}
		}
	}
	r := one(t, Options{}, x)
	if g := r.Devices[0].Regrets["b"]; !g.Bound || g.Center.V != 0.1 || g.Outcome != stats.Worse || r.Devices[0].Regrets["a"].Bound {
		t.Errorf("%+v", g)
	}
}

func TestWeights(t *testing.T) {
	x := device("X", "", 10, map[string]float64{"a": 100, "b": 90, "c": 10})
	y := device("Y", "", 10, map[string]float64{"a": 60, "b": 85, "c": 100})
	even, biased := one(t, Options{}, x, y), one(t, Options{Weights: map[string]float64{"X": 10}}, x, y)
	if even.Default != "b" || even.ByMean != "b" || biased.Default != "b" || biased.ByMean != "a" {
		t.Errorf("even: %s, by mean %s; with X ten times: %s, by mean %s", even.Default, even.ByMean, biased.Default, biased.ByMean)
	}
}

func TestOpenSaysWhatToMeasure(t *testing.T) {
	r := one(t, Options{Margin: 0.03}, device("X", "", 10, map[string]float64{"a": 100, "b": 80, "c": 10}), device("Y", "", 2, map[string]float64{"b": 99, "c": 50}))
	told := strings.Join(r.Open, "\n")
	for _, want := range []string{"measure a on Y", "how c compares with b on Y is not decided"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not in\n%s", want, told)
		}
	}
}

// Of ties the nearest to the default by number, and the one reason that applies.
func TestReasonIsOne(t *testing.T) {
	for _, test := range []struct{ values, standard, want, reason string }{
		{"64 256 0", "128", "64", "it is the nearest to the default, 128, and as good within the margin as 256, 0 (no limit)"},
		{"0 1024 50", "128", "50", "it is the nearest to the default, 128, and as good within the margin as 0 (no limit), 1024"},
		{"64 128 256", "128", "128", "it is the default, and as good within the margin as 64, 256"},
		{"64 128 256", "", "64", "it is the first of the profile, as no one default is known, and as good within the margin as 128, 256"},
		{"x y z", "w", "x", "it is the first of the profile, as the default, w, was not measured, and as good within the margin as y, z"},
	} {
		x := device("X", test.standard, 10, map[string]float64{"a": 100, "b": 100.5, "c": 100})
		x.Run.Tunables[0].Name, x.Run.Workloads[0].Varies = "bioq_batchsize", []string{"bioq_batchsize"}
		for i, v := range strings.Fields(test.values) {
			x.Run.Variants[i].Settings[0] = results.Setting{Tunable: "bioq_batchsize", Value: v}
		}
		if r := one(t, Options{Margin: 0.03}, x); r.Default != test.want || r.Reason != test.reason {
			t.Errorf("%s by default %q: %s, %s\nwant %s, %s", test.values, test.standard, r.Default, r.Reason, test.want, test.reason)
		}
	}
}

// Two runs of one device are one, with more blocks; those that cannot be are
// refused. Two devices of one model have a title each.
func TestOneDeviceCountsOnce(t *testing.T) {
	rates := map[string]float64{"a": 100, "b": 80, "c": 50}
	first, again := device("X", "", 3, rates), device("X", "", 3, rates)
	first.Run.Device.ID, again.Run.Device.ID, again.Dir = "S1", "S1", "runs/again"
	r := one(t, Options{Margin: 0.03}, first, again)
	if len(r.Devices) != 1 || r.Sentence() != "a" || len(r.Open) > 0 || len(r.Devices[0].More) != 1 || r.Devices[0].More[0].Dir != "runs/again" {
		t.Errorf("%s: %+v", r.Sentence(), r)
	}
	if len(first.Trials) != 9 {
		t.Error("the run that was given has changed")
	}
	again.Run.Repeat = &results.Repeat{}
	if _, err := Of(&results.Set{Runs: []*results.RunData{first, again}}, Options{}); err == nil || !strings.Contains(err.Error(), "run runs/X measured the same device (S1)") {
		t.Error(err)
	}
	again.Run.Device.ID = "S2"
	r = one(t, Options{Margin: 0.03}, first, again)
	if len(r.Devices) != 2 || r.Devices[0].Title != "X (S1)" || r.Devices[1].Title != "X (S2)" {
		t.Errorf("%+v", r.Devices)
	}
}

// A value that the tested ratio favours and the medians do not is not decided.
func TestContraryIsNotDecided(t *testing.T) {
	x := device("X", "", 6, map[string]float64{"a": 1, "b": 1})
	for i := range x.Trials {
		figures := map[string][]float64{"a": {100, 110, 125, 140, 160, 180}, "b": {101, 112, 123, 139, 163, 183}}
		tr := &x.Trials[i]
		tr.Jobs[0].Kinds[0].OpsPerSecond = results.Some(figures[tr.Variant][tr.Block])
	}
	r := one(t, Options{}, x)
	if g := r.Devices[0].Regrets["b"]; r.Default != "a" || r.Decided || !strings.Contains(g.Contrary, "not decided") || g.Loss <= 0 || !slices.Equal(r.NotApart, []string{"b"}) {
		t.Errorf("%s: %+v", r.Sentence(), r)
	}
}

func TestNeedsAnObjective(t *testing.T) {
	x := device("X", "", 2, map[string]float64{"a": 1})
	x.Run.Objectives = nil
	if _, err := Of(&results.Set{Runs: []*results.RunData{x}}, Options{}); err == nil || !strings.Contains(err.Error(), "runs/X: its profile names no objective") {
		t.Error(err)
	}
}
