package profiles_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/workloads"
)

func TestLibrary(t *testing.T) {
	want := []string{"bioq-batch", "bioq-shapes", "delete-chunk", "linux-discard-max", "linux-max-sectors", "linux-scheduler", "quick", "segments"}
	if got := profiles.Library(); !slices.Equal(got, want) {
		t.Fatalf("library %v, want %v", got, want)
	}
	for _, name := range profiles.Library() {
		t.Run(name, func(t *testing.T) {
			p := load(t, name)
			if p.Name != name {
				t.Errorf("it calls itself %q", p.Name)
			}
			checkProse(t, p)
			plan, err := p.Plan(nil)
			if err != nil {
				t.Fatal(err)
			}
			if cost := plan.Estimate(p.Target.ScratchBytes); cost.Time > 11*time.Minute {
				t.Errorf("it would take %v at the scratch size", cost.Time)
			}
		})
	}
}

// TestLibraryCanDecide asks of every objective whether its profile has enough
// blocks to prove one variant better than each of the others: the least p of a
// signed-rank test over n blocks is 2^(1-n), and the most demanding of Holm's k
// pairs asks for 0.05/k.
func TestLibraryCanDecide(t *testing.T) {
	for _, name := range profiles.Library() {
		p := load(t, name)
		plan, err := p.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		variants := map[string]map[int]bool{}
		for _, trial := range plan.Trials {
			w := p.Workloads[trial.Workload].Name
			if variants[w] == nil {
				variants[w] = map[int]bool{}
			}
			variants[w][trial.Variant] = true
		}
		for _, o := range p.Objectives {
			n := float64(len(variants[o.Workload]))
			pairs := n * (n - 1) / 2
			if least := math.Exp2(float64(1 - p.Measure.Repeats)); pairs < 1 || least > 0.05/pairs {
				t.Errorf("%s, %s: %d blocks reach p = %.4f at best, and %g pairs need %.4f",
					name, o.Workload, p.Measure.Repeats, least, pairs, 0.05/pairs)
			}
		}
	}
}

// checkProse holds the library to saying why each number was chosen.
func checkProse(t *testing.T, p *profiles.Profile) {
	t.Helper()
	if len(p.About) < 300 || p.Title == "" {
		t.Errorf("title %q and %d characters about it", p.Title, len(p.About))
	}
	for _, tunable := range p.Tunables {
		if len(tunable.Why) < 40 {
			t.Errorf("%s does not say why", tunable.Def.Name)
		}
	}
	judged := map[string]bool{}
	for _, o := range p.Objectives {
		judged[o.Workload] = true
	}
	for _, w := range p.Workloads {
		if len(w.Why) < 40 {
			t.Errorf("%s does not say why", w.Name)
		}
		if !judged[w.Name] && len(w.Loads) < 2 {
			t.Errorf("%s has neither an objective nor a curve", w.Name)
		}
	}
}

func TestQuickIsQuick(t *testing.T) {
	p := load(t, "quick")
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	if cost := plan.Estimate(1 << 30); cost.Time > 45*time.Second {
		t.Errorf("it is planned to take %v", cost.Time)
	}
	for _, w := range p.Workloads {
		m, all := w.Measure, w.Extents("", 1<<30)
		if m.Bytes > 0 && (m.Bytes != all[0].Length || m.Duration < 4*time.Duration(m.Bytes)) {
			t.Errorf("%s: %d bytes in %v: only a target of less than 250 MB/s may not finish the region", w.Name, m.Bytes, m.Duration)
		}
	}
	var varied []string
	for _, w := range p.Workloads {
		if len(w.Vary) != 1 {
			t.Errorf("%s varies %v", w.Name, w.Vary)
		}
		varied = append(varied, w.Vary...)
	}
	if want := []string{"delete_max_sectors", "bioq_batchsize", "physical_breaks"}; !slices.Equal(varied, want) {
		t.Errorf("it varies %v, want %v", varied, want)
	}
	for _, tunable := range p.Tunables {
		if tunable.Via != "stack" {
			t.Errorf("%s acts via %q, so it does not run everywhere", tunable.Def.Name, tunable.Via)
		}
	}
}

func TestLoad(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"quik", `did you mean "quick"?`},
		{"../library/quick", "neither a file nor a profile of the library"},
		{"no-such-thing-at-all", "use one of bioq-batch"},
		{"testdata", "load profile"},
	} {
		if _, err := profiles.Load(c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestNeeds(t *testing.T) {
	for name, want := range map[string]profiles.Needs{
		"quick":                {Write: true, Delete: true},
		"bioq-batch":           {Write: true},
		"segments":             {Write: true},
		"linux-discard-max":    {Write: true, Delete: true},
		"testdata/listed.yaml": {},
	} {
		if got := load(t, name).Needs(""); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestLibraryFits asks of every job, at every load, whether it can be done on a
// scratch target of either sector size.
func TestLibraryFits(t *testing.T) {
	for _, name := range profiles.Library() {
		p := load(t, name)
		for _, block := range []int64{512, 4096} {
			g := workloads.Geometry{SizeBytes: p.Target.ScratchBytes, BlockBytes: block}
			for _, w := range p.Workloads {
				for _, l := range w.Loads {
					for _, j := range w.JobsAt(l) {
						if _, err := workloads.NewStream(j.Spec, g, 1); err != nil {
							t.Errorf("%s, %s: %v", name, w.Name, err)
						}
					}
				}
			}
		}
	}
}
