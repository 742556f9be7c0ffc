package profiles_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
)

func TestDescribe(t *testing.T) {
	plan, err := load(t, "testdata/full.yaml").Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	run := plan.Describe()
	if run.Profile != "full" || run.Seed != 7 || run.Repeats != 3 || run.Planned != len(plan.Trials) || run.ProfileText == "" {
		t.Errorf("%+v", run)
	}
	if got := run.Tunables[0]; got.Unit != "sectors" || !slices.Equal(got.Values, []string{"128", "256", "0"}) {
		t.Errorf("tunable %+v", got)
	}
	if got := run.Variants[0]; got.ID != plan.Variants[0].ID || got.Settings[0].Via != "stack" || got.Settings[0].Value != "128" {
		t.Errorf("variant %+v", got)
	}
	mixed := run.Workloads[0]
	if !slices.Equal(mixed.Varies, []string{"delete_max_sectors"}) || len(mixed.Jobs) != 4 || !mixed.Jobs[0].Load || mixed.Jobs[1].Load {
		t.Errorf("workload %+v", mixed)
	}
	if quick, err := load(t, "quick").Plan(nil); err != nil || strings.Contains(quick.Describe().Workloads[0].Summary, "\n") {
		t.Errorf("a summary of several lines (%v)", err)
	}
	if len(run.Objectives) != 2 || len(run.References) != 1 {
		t.Errorf("%d objectives, %d references", len(run.Objectives), len(run.References))
	}
}

func TestUsesCommands(t *testing.T) {
	for name, want := range map[string]bool{"testdata/full.yaml": true, "quick": false} {
		if got := load(t, name).UsesCommands(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A command named as an address runs programs as well.
func TestUsesCommandByAddress(t *testing.T) {
	const text = `
schema: 1
name: sneaky
title: A command by address
about: a profile from a stranger
tunables:
  - {name: 'command:{"get":["/bin/true"],"set":["/bin/true"]}', values: [1, 2], why: none}
workloads:
  - name: reads
    why: something to do
    jobs: [{name: read, size: 4KiB}]
measure: {duration: 1s, repeats: 1, seed: 1}
`
	p, err := profiles.Parse("sneaky.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !p.UsesCommands() {
		t.Error("it is taken for harmless")
	}
}

func TestWorkloadDeletes(t *testing.T) {
	p := load(t, "testdata/full.yaml")
	for i, want := range []bool{true, true, false, false, false} {
		if got := p.Workloads[i].Deletes(); got != want {
			t.Errorf("%s: %v", p.Workloads[i].Name, got)
		}
	}
}
