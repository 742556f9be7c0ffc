package campaign

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/portable"
)

const finiteProfile = `
schema: 1
name: finite
workloads:
  - name: w
    jobs:
      - {name: pass, op: write, size: 4KiB, region: {offset: 0B, length: 1MiB}, access: {at_end: stop}, copies: 2}
      - {name: reader, access: random, region: {offset: 1MiB, length: 1MiB}}
measure: {duration: 10min, repeats: 1}
`

// TestTheEndOfAPassEndsTheTrial: beside streams that end, an endless one is
// measured for as long as they last, in a queue of its own as in theirs.
func TestTheEndOfAPassEndsTheTrial(t *testing.T) {
	p, err := profiles.Parse("finite.yaml", []byte(finiteProfile))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "target"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(2 << 20); err != nil {
		t.Fatal(err)
	}
	kept := &shelf{}
	target := runners.Target{File: f, Name: "file", SizeBytes: 2 << 20, BlockBytes: 512, Writable: true}
	c := Campaign{Plan: plan, Engine: portable.Engine{}, Target: target, Store: kept}
	if _, err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	trial := kept.trials[0]
	if trial.Status == results.Failed || trial.Status == results.Interrupted || trial.WindowSeconds > 60 {
		t.Errorf("it ended %s after %g s: %v", trial.Status, trial.WindowSeconds, trial.Findings)
	}
	if n := trial.Jobs[0].Kinds[0].Ops; n != 512 {
		t.Errorf("%d writes, want both passes whole: 512", n)
	}
}
