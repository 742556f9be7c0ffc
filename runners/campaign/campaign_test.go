package campaign

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/sim"
)

// shelf keeps trials in memory.
type shelf struct{ trials []results.Trial }

func (s *shelf) Append(t *results.Trial) error {
	s.trials = append(s.trials, *t)
	return nil
}

const bioqProfile = `
schema: 1
name: small
title: A bioq on a model
about: two batch sizes beside each other
tunables:
  - name: bioq_batchsize
    values: [0, 16]
    why: without and with a limit
workloads:
  - name: scrub
    why: a stream beside a reader
    jobs:
      - {name: stream, size: 128KiB, depth: 16}
      - {name: reader, access: random, size: 4KiB, depth: 1}
measure: {warmup: 1s, duration: 20s, repeats: 2, seed: 5}
objective:
  - {workload: scrub, maximise: stream.throughput}
`

func simulate(t *testing.T, text, model string, done []results.Trial) ([]results.Trial, Outcome) {
	t.Helper()
	p, err := profiles.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sim.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	e := sim.Engine{Model: m}
	kept := &shelf{}
	c := Campaign{Plan: plan, Engine: e, Target: e.Target(), Store: kept, Simulated: true, Done: done}
	o, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return kept.trials, o
}

// TestSimulatedCampaign runs a whole plan without a device: the reader starves
// without the limit and is served with it, and the trials say so.
func TestSimulatedCampaign(t *testing.T) {
	trials, o := simulate(t, bioqProfile, "hdd-7200", nil)
	if o.Valid != 4 || len(trials) != 4 {
		t.Fatalf("outcome %+v, %d trials; want 4 valid: %+v", o, len(trials), trials)
	}
	for _, tr := range trials {
		reads := tr.Jobs[1]
		switch tr.Settings[0].Value {
		case "0":
			if reads.Pending != 1 || !has(tr, "starved") {
				t.Errorf("no limit: pending %d, findings %v; want a starved reader", reads.Pending, tr.Findings)
			}
		case "16":
			if len(reads.Kinds) != 1 || reads.Kinds[0].Ops < 50 || tr.Layer.Barriers == 0 {
				t.Errorf("limit 16: %+v, layer %+v; want reads and barriers", reads.Kinds, tr.Layer)
			}
		}
		if tr.WindowSeconds < 20 || tr.WindowSeconds > 20.1 {
			t.Errorf("window of %g s, want 20", tr.WindowSeconds)
		}
	}
}

func has(t results.Trial, code string) bool {
	for _, f := range t.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

// TestResume measures only what is missing, and the same.
func TestResume(t *testing.T) {
	all, _ := simulate(t, bioqProfile, "hdd-7200", nil)
	cut := append([]results.Trial{}, all[:2]...)
	cut[1].Status = results.Interrupted
	rest, o := simulate(t, bioqProfile, "hdd-7200", cut)
	if len(rest) != 3 || o.Valid != 4 {
		t.Fatalf("%d trials measured, outcome %+v; want 3 and 4 valid", len(rest), o)
	}
	if rest[0].Index != all[1].Index || rest[0].Attempt != 1 {
		t.Errorf("first is trial %d attempt %d, want %d attempt 1", rest[0].Index, rest[0].Attempt, all[1].Index)
	}
	a, b := all[3].Jobs[0].Kinds[0], rest[2].Jobs[0].Kinds[0]
	if a.Ops != b.Ops || a.Service.Max() != b.Service.Max() {
		t.Errorf("trial 3 differs after resuming: %d and %d operations", a.Ops, b.Ops)
	}
}

// TestMissedRate marks an open loop that the target cannot serve.
func TestMissedRate(t *testing.T) {
	trials, o := simulate(t, `
schema: 1
name: rates
title: Offered rates
about: one that the disk can do and one that it cannot
tunables:
  - {name: bioq_batchsize, values: [128], why: the default}
workloads:
  - name: reads
    why: random reads in an open loop
    load: {rate: [20/s, 2000/s]}
    jobs:
      - {name: reader, access: random, size: 4KiB}
measure: {duration: 30s, repeats: 1, seed: 5}
objective:
  - {workload: reads, maximise: reader.ops}
`, "hdd-7200", nil)
	if o.Valid != 1 || o.Invalid != 1 {
		t.Fatalf("outcome %+v: %+v", o, trials)
	}
	for _, tr := range trials {
		if missed := has(tr, "rate_missed"); missed != (tr.Load.Rate == 2000) {
			t.Errorf("at %g/s: missed %v, findings %v", tr.Load.Rate, missed, tr.Findings)
		}
		if k := tr.Jobs[0].Kinds[0]; tr.Load.Rate == 2000 && k.Response.Max() < 10*time.Second {
			t.Errorf("the response time of an overloaded disk is at most %v: queueing is hidden", k.Response.Max())
		}
	}
}

// TestInterruptedWhileSettling holds that a campaign cancelled for any cause
// between applying and measuring is interrupted, not failed.
func TestInterruptedWhileSettling(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("a signal came"))
	c := &Campaign{}
	err := c.settleDown(ctx, time.Hour)
	trial, end := c.failed(&results.Trial{Status: results.Valid}, err)
	if trial.Status != results.Interrupted || end == nil {
		t.Errorf("the trial is %s and the campaign's error %v, want interrupted and one", trial.Status, end)
	}
}
