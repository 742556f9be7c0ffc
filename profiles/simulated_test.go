package profiles_test

import (
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/workloads"
)

func TestSimulated(t *testing.T) {
	real := load(t, "testdata/full.yaml")
	model, err := real.Simulated()
	if err != nil {
		t.Fatal(err)
	}
	if real.Measure.Duration != 5*time.Second || real.Workloads[0].Measure.Ops != 1000 || real.Workloads[0].Jobs[2].Think != 10*time.Millisecond {
		t.Errorf("for a real device it is %+v", real.Measure)
	}
	if m := model.Measure; m.Duration != time.Hour || m.Repeats != 2 || m.Warmup != 0 {
		t.Errorf("the whole of measure is replaced; it is %+v", m)
	}
	w := model.Workloads[0]
	if w.Measure.Ops != 5 || w.Measure.Duration != time.Hour || w.LowerDepth != 4 {
		t.Errorf("a workload's own is %+v, lower depth %d", w.Measure, w.LowerDepth)
	}
	if j := w.Jobs[2]; j.Think != time.Second || j.Region != (workloads.Region{}) || j.Depth != 4 {
		t.Errorf("a job's keys are replaced and the others kept; it is %+v", j)
	}
	if model.Text != real.Text || model.Engine != real.Engine {
		t.Error("text or engine differ")
	}
}

// TestSimulatedIsChecked: what models alone would read is refused with its
// place, like everything else.
func TestSimulatedIsChecked(t *testing.T) {
	const head = "schema: 1\nname: x\nmeasure: {duration: 1s}\nworkloads:\n  - name: w\n    jobs:\n      - {name: j, simulated: "
	for _, c := range []struct{ says, want string }{
		{"{name: other}", `x.yaml:7:31: workloads[0].jobs[0].simulated: key "name" cannot differ for models`},
		{"{thnk: 1s}", `did you mean "think"?`},
		{"{think: 1}", "x.yaml:7:"},
		{"{region: {from: 50%, to: 10%}}", "workloads[0].jobs[0].region: it is empty"},
		{"[]", "write a mapping"},
		{"{simulated: {think: 1s}}", "cannot differ"},
	} {
		_, err := profiles.Parse("x.yaml", []byte(head+c.says+"}\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.says, err, c.want)
		}
	}
	if _, err := profiles.Parse("x.yaml", []byte(head+"{think: 1s}}\n")); err != nil {
		t.Error(err)
	}
}

// TestLibraryFitsModels asks of every job whether it can be done on a disk of
// terabytes.
func TestLibraryFitsModels(t *testing.T) {
	for _, name := range profiles.Library() {
		p, err := load(t, name).Simulated()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, w := range p.Workloads {
			for _, j := range w.JobsAt(w.Loads[0]) {
				if _, err := workloads.NewStream(j.Spec, workloads.Geometry{SizeBytes: 4e12, BlockBytes: 512}, 1); err != nil {
					t.Errorf("%s, %s: %v", name, w.Name, err)
				}
			}
		}
	}
}

// TestReferencesOfAModel: a figure of one model's hardware stands beside no
// other's.
func TestReferencesOfAModel(t *testing.T) {
	for engine, want := range map[string]int{"sim:intel-520": 2, "sim:samsung-840": 2, "sim:ssd-shared": 0, "auto": 0, "portable+slow-as:intel-520": 2} {
		p := load(t, "delete-chunk")
		p.Engine = engine
		plan, err := p.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(plan.Describe().References); n != want {
			t.Errorf("%s: %d references, want %d", engine, n, want)
		}
	}
}
