package profiles_test

import (
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
)

func TestRepeat(t *testing.T) {
	const head = "schema: 1\nname: x\nworkloads: [{name: w, jobs: [{name: j}]}]\nobjective: [{workload: w, maximise: j.ops}]\nmeasure: {duration: 1s, "
	for text, want := range map[string]results.Repeat{
		"repeat: {until: decided}}":                                           {Min: 5, Max: 40, Margin: 0.03},
		"repeat: {until: decided, min: 50, margin: 0%}}":                      {Min: 50, Max: 50},
		"repeat: {until: decided, min: 1, max: 9, margin: 5%, budget: 2min}}": {Min: 1, Max: 9, Margin: 0.05, BudgetSeconds: 120},
	} {
		p, err := profiles.Parse("p.yaml", []byte(head+text))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Describe().Repeat; got == nil || *got != want || p.Measure.Repeats != want.Max || len(plan.Trials) != want.Max {
			t.Errorf("%s: %+v, %d repeats, %d trials, want %+v", text, got, p.Measure.Repeats, len(plan.Trials), want)
		}
	}
	plain := load(t, "testdata/listed.yaml")
	if plain.Measure.Repeat != nil {
		t.Errorf("a profile with repeats has %+v", plain.Measure.Repeat)
	}
}
