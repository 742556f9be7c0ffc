package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// TestPrepares looks at what a run records of its preparation: once a run, or
// before each trial.
func TestPrepares(t *testing.T) {
	list := measured(t, `
schema: 1
name: prepared
tunables: [{name: physical_breaks, values: [0x11, 0x21], via: stack}]
workloads:
  - name: once
    prepare: {once: true, delete: true, fill: 2, steady: {size: 16KiB, round: 40ms, rounds: 6}}
    jobs: [{name: reader, access: random, region: {offset: 1MiB, length: 10MiB}}, {name: late, region: {offset: 5MiB, length: 8MiB}}]
  - name: each
    prepare: [fill]
    jobs: [{name: reader, region: {offset: 512B, length: 1536KiB}, size: 512B}]
measure: {duration: 30ms, repeats: 2}
`)
	prepared := map[string]int{}
	for _, trial := range list {
		p := trial.Prepared
		if trial.Status != results.Valid {
			t.Errorf("%s: %s, %v", trial.Workload, trial.Status, trial.Findings)
		}
		if p == nil {
			continue
		}
		prepared[trial.Workload]++
		switch s := p.Steadiness; {
		case trial.Workload == "each":
			if p.FilledBytes != 1536<<10 || p.DeletedBytes != 0 || s != nil {
				t.Errorf("each: %+v", p)
			}
		case p.FilledBytes != 2*12<<20 || p.DeletedBytes != 12<<20 || s == nil || len(s.Rounds) < 5 || slices.Max(s.Rounds) <= 0 || p.Seconds < 0.2:
			t.Errorf("once: %+v, steadiness %+v", p, s)
		case !s.Steady && len(s.Rounds) != 6:
			t.Errorf("once: neither steady nor at its end after %d rounds", len(s.Rounds))
		}
	}
	if prepared["once"] != 1 || prepared["each"] != 4 {
		t.Errorf("prepared %v times, want once 1 and each 4", prepared)
	}
}

// TestManyDeepJobs runs 64 jobs at depth 256 at once, each with a queue of its
// own.
func TestManyDeepJobs(t *testing.T) {
	list := measured(t, `
schema: 1
name: many
workloads:
  - name: many
    jobs: [{name: reader, access: random, depth: 256, copies: 64}]
measure: {duration: 500ms, repeats: 1}
`)
	for _, trial := range list {
		j := trial.Jobs[0]
		if trial.Status != results.Valid || j.Depth != 64*256 || j.Kinds[0].Ops < 1000 || j.Kinds[0].Errors > 0 {
			t.Errorf("%s, depth %d, %d operations, %d errors, findings %v", trial.Status, j.Depth, j.Kinds[0].Ops, j.Kinds[0].Errors, trial.Findings)
		}
		if !j.AchievedDepth.Valid || j.AchievedDepth.V < 0.8*64*256 {
			t.Errorf("achieved depth %+v of %d", j.AchievedDepth, 64*256)
		}
	}
}

// TestPlacement holds a job to a processor, and records where that is.
func TestPlacement(t *testing.T) {
	dev, _ := loopDevice(t, 64<<20)
	for _, c := range []struct {
		cpus string
		code int
		says string
	}{
		{"[0]", exitOK, ""},
		{"[4095]", exitFailed, "4095"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		code, out := run(t, t.TempDir(), "run", profileFile(t, `
schema: 1
name: placed
workloads:
  - {name: reads, jobs: [{name: reader, depth: 4, cpus: `+c.cpus+`}]}
measure: {duration: 50ms, repeats: 1}
`), "--target", dev, "--out", dir, "--no-report")
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("cpus %s: exit code %d, want %d and %q:\n%s", c.cpus, code, c.code, c.says, out)
		}
		set, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		job := set.Runs[0].Run.Workloads[0].Jobs[0]
		if c.code == exitOK && (!slices.Equal(job.CPUs, []int{0}) || !slices.Equal(job.NUMANodes, []int{0})) {
			t.Errorf("recorded as on processors %v of nodes %v", job.CPUs, job.NUMANodes)
		}
	}
}
