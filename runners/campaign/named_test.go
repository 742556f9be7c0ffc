package campaign

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
)

const namedProfile = `
schema: 1
name: beside
workloads:
  - name: both
    jobs:
      - {name: first, access: random, depth: 2}
      - {name: second, access: random, depth: 1}
      - {name: other, target: other, access: random, depth: 3}
measure: {duration: 2s, repeats: 2, retries: 0}
`

// namedTrials runs the profile on two servers that take one operation at a time.
func namedTrials(t *testing.T, edit func(*Campaign), text string) []results.Trial {
	t.Helper()
	p, err := profiles.Parse("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	e, kept := deterministic(t), &shelf{}
	c := Campaign{Plan: plan, Engine: e, Target: e.Target(), Store: kept, Simulated: true}
	c.Named = []NamedTarget{{Name: "other", Target: e.Target()}}
	edit(&c)
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return kept.trials
}

// TestTargetsDoNotShare: the jobs of one target wait for each other, and the job
// of the other target for none.
func TestTargetsDoNotShare(t *testing.T) {
	for _, trial := range namedTrials(t, func(*Campaign) {}, namedProfile) {
		capacity := 1 / serviceTime.Seconds()
		for i, want := range []float64{capacity * 2 / 3, capacity / 3, capacity} {
			if got := rateOf(trial.Jobs[i]); math.Abs(got/want-1) > 0.001 {
				t.Errorf("%s: %.5g/s, want %.5g/s", trial.Jobs[i].Name, got, want)
			}
		}
		if trial.Status != results.Valid || trial.SkewSeconds != 0 {
			t.Errorf("%s, skew %g s, findings %v", trial.Status, trial.SkewSeconds, trial.Findings)
		}
	}
}

// counting is a Meter that has seen so many bytes read.
type counting struct{ bytes int64 }

func (c *counting) Read() (results.Counters, error) {
	c.bytes += 1 << 30
	return results.Counters{Read: results.CounterKind{Bytes: c.bytes}}, nil
}

// TestCountersOfEachTarget compares each device's counters with its own jobs.
func TestCountersOfEachTarget(t *testing.T) {
	js := []profiles.Job{{}, {Target: "other"}}
	trial := &results.Trial{Jobs: []results.JobResult{
		{Kinds: []results.KindResult{{Kind: "read", Bytes: 1 << 30}}},
		{Kinds: []results.KindResult{{Kind: "read", Bytes: 3 << 30}}},
	}}
	c := &Campaign{}
	judgeCounters(c, trial, js, "", &results.Counters{Read: results.CounterKind{Bytes: 1 << 30}})
	judgeCounters(c, trial, js, "other", &results.Counters{Read: results.CounterKind{Bytes: 3 << 30}})
	if len(trial.Findings) > 0 {
		t.Fatalf("counters that agree: %v", trial.Findings)
	}
	judgeCounters(c, trial, js, "other", &results.Counters{Read: results.CounterKind{Bytes: 1 << 30}})
	if !has(*trial, "counters_differ") || !strings.Contains(trial.Findings[0].Text, "target other") {
		t.Errorf("counters that differ: %v", trial.Findings)
	}
	s := &namedSpan{name: "other", meter: &counting{}}
	s.open()
	if got, err := s.close(); err != nil || got.Target != "other" || got.Counters.Read.Bytes != 1<<30 {
		t.Errorf("counted %+v, %v", got, err)
	}
}

// TestDeletesNeedThatTarget skips a workload whose other target has no deletes.
func TestDeletesNeedThatTarget(t *testing.T) {
	text := strings.Replace(namedProfile, "target: other,", "target: other, op: delete,", 1)
	trials := namedTrials(t, func(c *Campaign) { c.Named[0].Target.DeleteBytes = 0 }, text)
	if trials[0].Status != results.Unsupported {
		t.Errorf("%s: %v", trials[0].Status, trials[0].Findings)
	}
	if trials := namedTrials(t, func(*Campaign) {}, text); trials[0].Status != results.Valid {
		t.Errorf("%s: %v", trials[0].Status, trials[0].Findings)
	}
}

// TestTheEndOfAPassOnAnotherTarget: on virtual clocks an endless job stops where
// the pass on the other target did, and however fast either was computed.
func TestTheEndOfAPassOnAnotherTarget(t *testing.T) {
	const text = `
schema: 1
name: pass
workloads:
  - name: both
    jobs:
      - {name: endless, access: random}
      - {name: pass, target: other, access: {at_end: stop}, region: {offset: 0B, length: 4MiB}}
measure: {duration: %s, repeats: 1, retries: 0}
`
	// 4 MiB are 1024 reads of 100 us.
	for duration, want := range map[string]float64{"1h": 0.1024, "50ms": 0.05} {
		for range 3 {
			trial := namedTrials(t, func(*Campaign) {}, strings.ReplaceAll(text, "%s", duration))[0]
			for _, j := range trial.Jobs {
				if got := float64(j.Kinds[0].Ops) * serviceTime.Seconds(); math.Abs(got-want) > 2*serviceTime.Seconds() {
					t.Errorf("%s of at most %s: %g s of reads, want %g s", j.Name, duration, got, want)
				}
			}
			if trial.Status != results.Valid {
				t.Errorf("%s, findings %v", trial.Status, trial.Findings)
			}
		}
	}
}

// TestLossOfAnotherTarget ends the trial when any device of it is removed.
func TestLossOfAnotherTarget(t *testing.T) {
	w := &profiles.Workload{Jobs: []profiles.Job{{}, {Target: "log"}}}
	leaving := &vanishing{}
	leaving.reads.Store(1)
	c := &Campaign{
		Meter: &counting{},
		Named: []NamedTarget{{Name: "log", Target: runners.Target{Name: "sdc"}, Meter: leaving}},
	}
	ctx, end := c.guard(t.Context(), w)
	defer end()
	select {
	case <-ctx.Done():
	case <-time.After(10 * lossInterval):
		t.Fatal("the removal was not seen")
	}
	if err := context.Cause(ctx); !gone(err) || !strings.Contains(err.Error(), "sdc was removed") {
		t.Errorf("cause %v", err)
	}
}
