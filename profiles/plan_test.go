package profiles_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
)

// TestPlanGolden holds the order, the seeds and the variants for ever: a change
// here would make recorded seeds worthless.
func TestPlanGolden(t *testing.T) {
	for _, name := range []string{"full", "listed", "adaptive"} {
		plan, err := load(t, "testdata/"+name+".yaml").Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		file := "testdata/" + name + ".plan"
		got := show(plan)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

func show(plan *profiles.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d\n", plan.Seed)
	for _, v := range plan.Variants {
		fmt.Fprintf(&b, "variant %s %s\n", v.ID, v.Label)
	}
	for _, trial := range plan.Trials {
		fmt.Fprintf(&b, "%d block %d %s [%s] %+v seed %d\n", trial.Index, trial.Block,
			plan.Profile.Workloads[trial.Workload].Name, plan.Variants[trial.Variant].Label, trial.Load, trial.Seed)
	}
	return b.String()
}

func TestPlanIsDeterministic(t *testing.T) {
	p := load(t, "quick")
	first, _ := p.Plan(nil)
	again, _ := load(t, "quick").Plan(nil)
	if !reflect.DeepEqual(first.Trials, again.Trials) || !reflect.DeepEqual(first.Variants, again.Variants) {
		t.Error("the same profile gave two plans")
	}
	seed := uint64(2)
	other, _ := p.Plan(&seed)
	if reflect.DeepEqual(first.Trials, other.Trials) || other.Seed != 2 {
		t.Error("another seed gave the same plan")
	}
}

// TestPlanBlocks holds what a block is: everything once, the maximum of a cell
// just before its percentages, and the same I/O for every variant.
func TestPlanBlocks(t *testing.T) {
	for _, name := range append(profiles.Library(), "testdata/full.yaml", "testdata/listed.yaml") {
		p := load(t, name)
		plan, err := p.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		perBlock := len(plan.Trials) / p.Measure.Repeats
		seen, seeds := map[string]bool{}, map[string]uint64{}
		for i, trial := range plan.Trials {
			if trial.Index != i || trial.Block != i/perBlock {
				t.Fatalf("%s: trial %d is %+v", name, i, trial)
			}
			cell := fmt.Sprint(trial.Block, trial.Variant, trial.Workload, trial.Load)
			if seen[cell] {
				t.Errorf("%s: %s twice", name, cell)
			}
			seen[cell] = true
			io := fmt.Sprint(trial.Block, trial.Workload, trial.Load)
			if seed, ok := seeds[io]; ok && seed != trial.Seed {
				t.Errorf("%s: variants see different I/O in %s", name, io)
			}
			seeds[io] = trial.Seed
			if trial.Load.Percent > 0 {
				checkAfterMax(t, plan.Trials, i)
			}
		}
		if perBlock*p.Measure.Repeats != len(plan.Trials) || len(distinct(seeds)) != len(seeds) {
			t.Errorf("%s: %d trials, %d seeds for %d streams", name, len(plan.Trials), len(distinct(seeds)), len(seeds))
		}
	}
}

func distinct(seeds map[string]uint64) map[uint64]bool {
	out := map[uint64]bool{}
	for _, s := range seeds {
		out[s] = true
	}
	return out
}

func checkAfterMax(t *testing.T, trials []profiles.Trial, i int) {
	t.Helper()
	before := trials[i-1]
	if before.Workload != trials[i].Workload || before.Variant != trials[i].Variant || !before.Load.Max && before.Load.Percent == 0 {
		t.Errorf("trial %d is a percentage after %+v", i, before)
	}
}

// TestVariantIDsAreStable: neither the profile nor the order of its tunables
// makes a difference, the place where a setting acts does.
func TestVariantIDsAreStable(t *testing.T) {
	ids := map[string]string{}
	for name, lines := range map[string]string{
		"ab":    "[{name: bioq_batchsize, values: [1]}, {name: delete_max_sectors, values: [8]}]",
		"ba":    "[{name: delete_max_sectors, values: [4KiB]}, {name: bioq_batchsize, values: [0x1]}]",
		"stack": "[{name: delete_max_sectors, values: [8], via: stack}, {name: bioq_batchsize, values: [1]}]",
	} {
		p, err := profiles.Parse("p.yaml", []byte("schema: 1\nname: x\nmeasure: {duration: 1s}\nworkloads: [{name: w, jobs: [{name: j}]}]\ntunables: "+lines))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = plan.Variants[0].ID
	}
	if ids["ab"] != ids["ba"] || ids["ab"] == ids["stack"] || len(ids["ab"]) != 10 {
		t.Errorf("%v", ids)
	}
}

func TestPlanRefusesTooManyTrials(t *testing.T) {
	var values []string
	for i := range 1000 {
		values = append(values, fmt.Sprint(i))
	}
	list := "[" + strings.Join(values, ", ") + "]"
	text := "schema: 1\nname: x\nmeasure: {duration: 1s}\nworkloads: [{name: w, jobs: [{name: j}]}]\ntunables: [" +
		"{name: delete_max_sectors, values: " + list + "}, {name: bioq_batchsize, values: " + list + "}]"
	p, err := profiles.Parse("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Plan(nil); err == nil || !strings.Contains(err.Error(), "more than 1000000 trials") {
		t.Errorf("error %v", err)
	}
}

func TestPlanWithoutTunables(t *testing.T) {
	p, err := profiles.Parse("p.yaml", []byte("schema: 1\nname: x\nmeasure: {duration: 1s, repeats: 2}\nworkloads: [{name: w, jobs: [{name: j}]}]"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil || len(plan.Trials) != 2 || plan.Variants[0].Label != "as found" {
		t.Errorf("%+v %v", plan, err)
	}
}

func TestJobsAt(t *testing.T) {
	w := load(t, "testdata/full.yaml").Workloads[0]
	paced := w.JobsAt(results.Load{Rate: 500, Percent: 50})
	if paced[0].Rate != 500 || paced[0].Depth != 32 || paced[1].Rate != 100 || paced[2].Rate != 0 {
		t.Errorf("at a rate: %+v", paced)
	}
	if full := w.JobsAt(results.Load{Max: true}); full[0].Rate != 0 || full[0].Depth != 32 {
		t.Errorf("at the maximum: %+v", full[0])
	}
	if deep := w.JobsAt(results.Load{Depth: 4}); deep[0].Depth != 4 || deep[2].Depth != 4 || deep[1].Depth != 8 {
		t.Errorf("at a depth: %+v", deep)
	}
	if w.Jobs[0].Rate != 0 {
		t.Error("the profile itself was changed")
	}
}
