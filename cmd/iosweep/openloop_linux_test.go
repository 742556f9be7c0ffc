package main

import (
	"bytes"
	"compress/flate"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// TestCurveOnADevice measures the maximum first and then each percentage of it.
func TestCurveOnADevice(t *testing.T) {
	dev, _ := loopDevice(t, 64<<20)
	dir := filepath.Join(t.TempDir(), "run")
	// A busy host may miss the highest rates: then the run is invalid, and says so.
	code, out := run(t, t.TempDir(), "run", profileFile(t, `
schema: 1
name: curve
tunables: [{name: physical_breaks, values: [0x11, 0x21], via: stack}]
workloads:
  - {name: curve, load: curve, jobs: [{name: reader, access: random, size: 64KiB}]}
measure: {duration: 60ms, repeats: 1, retries: 0}
`), "--target", dev, "--out", dir, "--no-report")
	if code != exitOK && code != exitInvalid {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	most, seen := map[string]float64{}, map[string]int{}
	for _, trial := range trials(t, dir) {
		j := trial.Jobs[0]
		seen[trial.Variant]++
		switch top := most[trial.Variant]; {
		case trial.Load.Max:
			most[trial.Variant] = j.Kinds[0].OpsPerSecond.V
		case top == 0 || math.Abs(j.Rate-top*trial.Load.Percent/100) > 1e-6*top:
			t.Errorf("%g%% of %g/s: offered %g/s", trial.Load.Percent, top, j.Rate)
		case j.Lateness == nil || j.Lateness.Count() == 0:
			t.Errorf("%g%%: no lateness is recorded", trial.Load.Percent)
		}
	}
	for variant, n := range seen {
		if n != 8 {
			t.Errorf("%s: %d trials, want the maximum and 7 percentages", variant, n)
		}
	}
}

// TestDepthSweepOnADevice keeps as many outstanding as each depth says.
func TestDepthSweepOnADevice(t *testing.T) {
	depths := map[int]bool{}
	for _, trial := range measured(t, `
schema: 1
name: depths
workloads:
  - {name: reads, load: {depth: [1, 4, 32, 128]}, jobs: [{name: reader, access: random, size: 16KiB}]}
measure: {duration: 80ms, repeats: 1}
`) {
		depths[trial.Load.Depth] = true
		if j := trial.Jobs[0]; j.Depth != trial.Load.Depth || math.Abs(j.AchievedDepth.V/float64(j.Depth)-1) > 0.1 {
			t.Errorf("depth %d: asked %d, achieved %g", trial.Load.Depth, j.Depth, j.AchievedDepth.V)
		}
	}
	if len(depths) != 4 {
		t.Errorf("depths %v", depths)
	}
}

// TestOverloadOnADevice offers far more than four slots can do: the response
// time must hold the wait that the service time does not see.
func TestOverloadOnADevice(t *testing.T) {
	dev, _ := loopDevice(t, 64<<20)
	for _, engine := range []string{"uring", "portable"} {
		t.Run(engine, func(t *testing.T) { overload(t, engine, dev) })
	}
}

func overload(t *testing.T, engine, dev string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, t.TempDir(), "run", profileFile(t, `
schema: 1
name: overload
workloads:
  - {name: reads, jobs: [{name: reader, access: random, size: 256KiB, rate: 200000/s, depth: 4}]}
measure: {duration: 1s, repeats: 1, retries: 0}
`), "--target", dev, "--out", dir, "--no-report", "--engine", engine)
	if code != exitInvalid {
		t.Fatalf("exit code %d, want that of an invalid run:\n%s", code, out)
	}
	trial := trials(t, dir)[0]
	j := trial.Jobs[0]
	k := j.Kinds[0]
	missed := false
	for _, f := range trial.Findings {
		missed = missed || f.Code == "rate_missed"
	}
	if !missed || trial.Status != results.Invalid {
		t.Errorf("status %s, findings %v: want an offered rate that was missed", trial.Status, trial.Findings)
	}
	// The n-th is due at n/200000 and done at n over the rate that was reached.
	want := trial.WindowSeconds * (1 - k.OpsPerSecond.V/200_000)
	if got := k.Response.Max().Seconds(); math.Abs(got/want-1) > 0.1 {
		t.Errorf("the response time grew to %.3g s, theory says %.3g s", got, want)
	}
	if late := j.Lateness.Max().Seconds(); math.Abs(late/want-1) > 0.15 {
		t.Errorf("operations were issued up to %.3g s late, theory says %.3g s", late, want)
	}
	if k.Service.Max() >= k.Response.Max() {
		t.Errorf("service time of %v, response time of %v", k.Service.Max(), k.Response.Max())
	}
}

// TestRatiosReachTheDevice compresses what was written.
func TestRatiosReachTheDevice(t *testing.T) {
	dev, backing := loopDevice(t, 16<<20)
	code, out := run(t, t.TempDir(), "run", profileFile(t, `
schema: 1
name: ratios
workloads:
  - name: fill
    jobs:
      - {name: plain, op: write, size: 64KiB, access: {at_end: stop}, region: {offset: 0B, length: 4MiB}}
      - {name: packed, op: write, size: 64KiB, access: {at_end: stop}, region: {offset: 8MiB, length: 4MiB}, data: {compress: 4}}
measure: {duration: 10s, repeats: 1}
`), "--target", dev, "--destroy", backing, "--out", filepath.Join(t.TempDir(), "run"))
	if code != exitOK {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	data, err := os.ReadFile(backing)
	if err != nil {
		t.Fatal(err)
	}
	for off, want := range map[int]float64{0: 1, 8 << 20: 4} {
		if got := compression(t, data[off:off+4<<20]); math.Abs(got/want-1) > 0.1 {
			t.Errorf("what is at byte %d compresses by %.2f, want %g", off, got, want)
		}
	}
}

// compression is how much smaller flate makes each 64 KiB of data.
func compression(t *testing.T, data []byte) float64 {
	t.Helper()
	packed := 0
	for chunk := range len(data) / (64 << 10) {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data[chunk*64<<10:][:64<<10]); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		packed += b.Len()
	}
	return float64(len(data)) / float64(packed)
}
