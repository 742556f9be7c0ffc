package stats

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

// plan makes runs by hand: for each variant the scrub's throughput and the
// reader's latency in each block.
type plan struct {
	run    results.Run
	trials []results.Trial
}

func newPlan(variants ...string) *plan {
	p := &plan{run: results.Run{ID: "r", Schema: 1, Workloads: []results.Workload{{Name: "mix"}}}}
	for _, v := range variants {
		p.run.Variants = append(p.run.Variants, results.Variant{ID: v, Label: v})
	}
	return p
}

// add adds a trial of a variant; a latency of 0 is a reader that starved.
func (p *plan) add(variant string, block int, throughput, latency float64) *results.Trial {
	h := hist.New()
	reader := results.JobResult{Name: "reader", Pending: 1, OldestPendingSeconds: 1.9}
	if latency > 0 {
		for range 200 {
			h.Record(int64(latency * 1e9))
		}
		reader = results.JobResult{Name: "reader", Kinds: []results.KindResult{{Kind: "read", Ops: 200, Service: h}}}
	}
	p.trials = append(p.trials, results.Trial{
		Index: len(p.trials), Block: block, Variant: variant, Workload: "mix", Status: results.Valid, WindowSeconds: 2,
		Jobs: []results.JobResult{{Name: "scrub", Kinds: []results.KindResult{{Kind: "read", Ops: 1000, BytesPerSecond: results.Some(throughput)}}}, reader},
	})
	return &p.trials[len(p.trials)-1]
}

// blocks adds n trials of a variant, a little apart.
func (p *plan) blocks(n int, variant string, throughput, latency float64) *plan {
	for i := range n {
		drift := 1 + 0.001*float64(i)
		p.add(variant, i, throughput*drift, latency*drift)
	}
	return p
}

func (p *plan) data() *results.RunData { return &results.RunData{Run: &p.run, Trials: p.trials} }

// best is the objective of the tests.
func best() results.Objective {
	return results.Objective{Workload: "mix", Maximise: "scrub.throughput",
		Limits: []results.Limit{{Metric: "reader.p99", Op: "<=", Value: 0.1, Text: "reader.p99 <= 100 ms"}}}
}

func judge(t *testing.T, p *plan, o results.Objective, margin float64) Judgement {
	t.Helper()
	all, err := Judge(p.data(), o, Options{Margin: margin})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d judgements, %v", len(all), err)
	}
	return all[0]
}

// describe prints who leads, who ties, and each variant's state and outcome.
func describe(j Judgement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "leader %q ties %q decided %v;", j.Leader, j.Ties, j.Decided)
	for _, s := range j.Standings {
		fmt.Fprintf(&b, " %s %s", s.Variant, s.State)
		if s.State != s.Leaning {
			fmt.Fprintf(&b, " (leans %s)", s.Leaning)
		}
		if s.Against != nil {
			fmt.Fprintf(&b, " %s", s.Against.Outcome)
		}
		b.WriteString(",")
	}
	return strings.TrimSuffix(b.String(), ",")
}

func TestJudge(t *testing.T) {
	tests := map[string]struct {
		plan   *plan
		margin float64
		want   string
	}{
		"the fastest starves its reader": {
			newPlan("0", "64", "128").blocks(8, "0", 186e6, 0).blocks(8, "64", 150e6, 0.04).blocks(8, "128", 181e6, 0.065), 0.03,
			`leader "128" ties [] decided true; 0 infeasible same, 64 feasible worse, 128 feasible`},
		"a tie within the margin": {
			newPlan("64", "128").blocks(8, "64", 180e6, 0.04).blocks(8, "128", 181e6, 0.065), 0.03,
			`leader "128" ties ["64"] decided true; 64 feasible same, 128 feasible`},
		"three repeats prove nothing but lean": {
			newPlan("64", "128").blocks(3, "64", 150e6, 0.04).blocks(3, "128", 181e6, 0.065), 0.03,
			`leader "128" ties ["64"] decided false; 64 undecided (leans feasible) undecided, 128 undecided (leans feasible)`},
		"none keeps to the limit": {
			newPlan("0", "512").blocks(8, "0", 186e6, 0).blocks(8, "512", 182e6, 0.2), 0.03,
			`leader "" ties [] decided true; 0 infeasible, 512 infeasible`},
		"a limit that cannot be told": {
			newPlan("128").blocks(4, "128", 181e6, 0.09).blocks(4, "128", 181e6, 0.11), 0.03,
			`leader "" ties [] decided false; 128 undecided (leans infeasible)`},
		"one variant": {
			newPlan("128").blocks(8, "128", 181e6, 0.05), 0.03,
			`leader "128" ties [] decided true; 128 feasible`},
	}
	for name, test := range tests {
		if got := describe(judge(t, test.plan, best(), test.margin)); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

func TestJudgeMinimise(t *testing.T) {
	p := newPlan("64", "128").blocks(8, "64", 150e6, 0.04).blocks(8, "128", 181e6, 0.065)
	j := judge(t, p, results.Objective{Workload: "mix", Minimise: "reader.mean"}, 0.03)
	if got, want := describe(j), `leader "64" ties [] decided true; 64 feasible, 128 feasible worse`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	p.blocks(8, "0", 186e6, 0)
	p.run.Variants = append(p.run.Variants, results.Variant{ID: "0"})
	j = judge(t, p, results.Objective{Workload: "mix", Minimise: "reader.mean"}, 0.03)
	if s := j.Standings[2]; j.Leader != "64" || s.Missing != 8 || s.Value.Center != 1.9 || s.Against.Outcome != Worse || !strings.Contains(s.Reasons[0], "oldest waiting 1.90 s") {
		t.Errorf("leader %s, starved %+v", j.Leader, s)
	}
}

// A variant that starves in one block of many must not lead by the others.
func TestJudgeDoesNotForgetMissingFigures(t *testing.T) {
	p := newPlan("a", "b").blocks(7, "a", 1e6, 0.01).blocks(8, "b", 1e6, 0.02)
	p.add("a", 7, 1e6, 0)
	j := judge(t, p, results.Objective{Workload: "mix", Minimise: "reader.p99"}, 0.03)
	if a := j.Standings[0]; j.Leader != "b" || a.Missing != 1 || a.Value.Max != 1.9 || a.Against.Outcome != Undecided || !slices.Equal(j.Ties, []string{"a"}) {
		t.Errorf("leader %s, ties %q, a is %+v", j.Leader, j.Ties, a)
	}
}

// The trials that have a figure may be the better ones: they prove nothing, not
// even that they are worse.
func TestJudgeDoesNotDecideOnSome(t *testing.T) {
	p := newPlan("a", "b").blocks(8, "a", 2e6, 0.01).blocks(8, "b", 1e6, 0.01)
	p.trials[15].WindowSeconds = 0.0005
	o := results.Objective{Workload: "mix", Maximise: "scrub.throughput"}
	j := judge(t, p, o, 0.03)
	if b := j.Standings[1]; j.Decided || b.Value.N != 7 || b.Trials != 8 || b.Against.Outcome != Undecided ||
		!strings.Contains(strings.Join(b.Against.Warnings, ";"), "1 of 8 trials have no figure (no rate over 500 us") {
		t.Errorf("decided %v: %+v", j.Decided, b)
	}
	p.trials[15].WindowSeconds = 2
	k := &p.trials[15].Jobs[0].Kinds[0]
	k.Ops, k.Bytes, k.BytesPerSecond = 1, 1<<20, results.Float{}
	if b := judge(t, p, o, 0.03).Standings[1]; b.Value.N != 8 || b.Missing != 1 || b.Against.Outcome != Worse {
		t.Errorf("with a bound: %+v", b)
	}
}

// Of what completed nothing it is known that it is slow, not that it is fast.
func TestBoundsOnTheWrongSideAreNotUsed(t *testing.T) {
	p := newPlan("0").blocks(8, "0", 1e6, 0)
	o := results.Objective{Workload: "mix", Maximise: "reader.mean", Limits: []results.Limit{{Metric: "reader.p99", Op: ">=", Value: 5}}}
	j := judge(t, p, o, 0)
	if s := j.Standings[0]; s.Value.N != 0 || s.Limits[0].Missing != 8 || s.State != Unclear {
		t.Errorf("%+v", s)
	}
}

func TestJudgeLimitsOnly(t *testing.T) {
	p := newPlan("64", "512").blocks(8, "64", 150e6, 0.04).blocks(8, "512", 181e6, 0.2)
	o := best()
	o.Maximise = ""
	if got, want := describe(judge(t, p, o, 0)), `leader "" ties [] decided true; 64 feasible, 512 infeasible`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	o.Limits = []results.Limit{{Metric: "scrub.throughput", Op: ">=", Value: 170e6}}
	if got, want := describe(judge(t, p, o, 0)), `leader "" ties [] decided true; 64 infeasible, 512 feasible`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestJudgeTellsWhatHasNoValidTrial(t *testing.T) {
	p := newPlan("64", "128", "never").blocks(6, "64", 150e6, 0.04)
	p.add("128", 0, 181e6, 0.06).Status = results.Invalid
	j := judge(t, p, best(), 0.03)
	want := `leader "64" ties [] decided false; 64 feasible, 128 undecided undecided`
	if got := describe(j); got != want || !slices.Contains(j.Standings[1].Reasons, "no valid trial") {
		t.Errorf("%s, reasons %q\nwant\n%s", got, j.Standings[1].Reasons, want)
	}
}

func TestJudgeKeepsLoadsApart(t *testing.T) {
	p := newPlan("64").blocks(6, "64", 150e6, 0.04)
	for i := range p.trials {
		p.trials[i].Load = results.Load{Percent: 50 * float64(1+i%2), Rate: float64(i)}
	}
	all, err := Judge(p.data(), best(), Options{})
	if err != nil || len(all) != 2 || all[0].Load.Percent != 50 || all[0].Standings[0].Value.N != 3 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestJudgeRefuses(t *testing.T) {
	tests := map[string]func(*results.Objective){
		"no trial of workload":    func(o *results.Objective) { o.Workload = "other" },
		"use one of ops":          func(o *results.Objective) { o.Maximise = "speed" },
		"it both maximises":       func(o *results.Objective) { o.Minimise = "ops" },
		"use <= or >=":            func(o *results.Objective) { o.Limits[0].Op = "<" },
		`has no job "writer"`:     func(o *results.Objective) { o.Maximise = "writer.ops" },
		"judge limit of mix":      func(o *results.Objective) { o.Limits[0].Metric = "p98" },
		`no job "reder": its job`: func(o *results.Objective) { o.Limits[0].Metric = "reder.p99" },
	}
	for want, spoil := range tests {
		o := best()
		spoil(&o)
		if _, err := Judge(newPlan("64").blocks(2, "64", 1, 1).data(), o, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}
