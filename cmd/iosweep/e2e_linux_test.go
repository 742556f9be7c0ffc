package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/tunables"
)

// command is the test binary acting as iosweep, with a state folder of its own.
func command(t *testing.T, state string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], append(args, "--state-dir", state)...)
	cmd.Env = append(os.Environ(), actAsIosweep+"=1")
	return cmd
}

// run runs iosweep to its end and returns its exit code and all it printed.
func run(t *testing.T, state string, args ...string) (int, string) {
	t.Helper()
	cmd := command(t, state, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// profileFile writes a profile for a test.
func profileFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// measured runs a profile on a fresh loop device and returns its trials. The
// device's settings must be the same before and after.
func measured(t *testing.T, profile string) []results.Trial {
	t.Helper()
	dev, id := loopDevice(t, 256<<20)
	before := queueSettings(t, dev)
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, t.TempDir(), "run", profileFile(t, profile), "--target", dev, "--destroy", id, "--out", dir)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	sameSettings(t, before, queueSettings(t, dev))
	return trials(t, dir)
}

// measuredOnScratch runs a profile on a device that iosweep makes itself.
func measuredOnScratch(t *testing.T, profile string) []results.Trial {
	t.Helper()
	needsRoot(t)
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, t.TempDir(), "run", profileFile(t, profile), "--out", dir)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	return trials(t, dir)
}

func trials(t *testing.T, dir string) []results.Trial {
	t.Helper()
	set, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !set.Runs[0].Complete {
		t.Errorf("%s is not complete: %v", dir, set.Runs[0].Problems)
	}
	return set.Runs[0].Trials
}

const head = `
schema: 1
name: effect
title: A proof of effect
about: one knob and what the device was seen to do
measure: {warmup: 100ms, duration: 300ms, settle: 10ms, repeats: 1, seed: 1}
`

func observed(t *testing.T, tr results.Trial, tunable string) string {
	t.Helper()
	for _, a := range tr.Settings {
		if a.Tunable == tunable {
			return a.Observed
		}
	}
	t.Fatalf("%s is not among %+v", tunable, tr.Settings)
	return ""
}

func wantMean(t *testing.T, what string, c results.CounterKind, low, high float64) {
	t.Helper()
	if mean := c.MeanBytes(); !mean.Valid || mean.V < low || mean.V > high {
		t.Errorf("%s: mean request %v of %d requests, want %g to %g bytes", what, mean, c.Requests, low, high)
	}
}

// TestMaxSectorsEffect sees 64 KiB requests for 128 KiB writes.
func TestMaxSectorsEffect(t *testing.T) {
	for _, tr := range measured(t, head+`
tunables:
  - {name: max_sectors_kb, values: [64, 128], why: half of a write and all of it}
workloads:
  - name: writes
    why: 128 KiB writes
    jobs: [{name: write, op: write, access: random, size: 128KiB, depth: 4}]
`) {
		switch value := observed(t, tr, "max_sectors_kb"); value {
		case "64":
			wantMean(t, value, tr.Counters.Write, 64<<10, 66<<10)
		case "128":
			wantMean(t, value, tr.Counters.Write, 127<<10, 129<<10)
		default:
			t.Errorf("max_sectors_kb reads back %s", value)
		}
	}
}

// TestDeleteEffects sees deletes of the size that the chunk or the kernel's
// limit allows.
func TestDeleteEffects(t *testing.T) {
	for _, tr := range measured(t, head+`
tunables:
  - {name: delete_max_sectors, values: [8192, 0], via: stack, why: 4 MiB and the whole range}
workloads:
  - name: deletes
    why: deletes of 64 MiB
    jobs: [{name: delete, op: delete, size: 64MiB, depth: 1}]
`) {
		want := map[string]float64{"8192": 4 << 20, "0": 64 << 20}[observed(t, tr, "delete_max_sectors")]
		wantMean(t, "delete_max_sectors", tr.Counters.Delete, want, want)
	}
	// What a loop device begins with cannot be written back, so this knob is
	// swept on a throw-away device only.
	for _, tr := range measuredOnScratch(t, head+`
tunables:
  - {name: delete_max_sectors, values: [0], via: stack, why: the whole range}
  - {name: discard_max_bytes, values: [1MiB, 16MiB], why: two limits of the kernel}
workloads:
  - name: deletes
    why: deletes of 64 MiB
    jobs: [{name: delete, op: delete, size: 64MiB, depth: 1}]
`) {
		want := map[string]float64{"1048576": 1 << 20, "16777216": 16 << 20}[observed(t, tr, "discard_max_bytes")]
		wantMean(t, "discard_max_bytes", tr.Counters.Delete, want, want)
	}
}

// TestSchedulerEffect applies a scheduler and a knob that exists only under it.
func TestSchedulerEffect(t *testing.T) {
	all := measured(t, head+`
tunables:
  - {name: scheduler, why: without and with}
  - {name: fifo_batch, why: small and large}
variants:
  - {label: none, settings: {scheduler: none}}
  - {label: deadline 1, settings: {scheduler: mq-deadline, fifo_batch: 1}}
  - {label: deadline 64, settings: {scheduler: mq-deadline, fifo_batch: 64}}
workloads:
  - name: reads
    why: random reads, deeper than the device's own queue
    jobs: [{name: read, access: random, size: 4KiB, depth: 256}]
`)
	if len(all) != 3 {
		t.Fatalf("%d trials, want 3", len(all))
	}
	for _, tr := range all {
		for _, a := range tr.Settings {
			if a.Observed != a.Value || a.After != a.Value {
				t.Errorf("%s: asked %s, read back %s, at the end %s", a.Tunable, a.Value, a.Observed, a.After)
			}
		}
		if tr.Status != results.Valid {
			t.Errorf("%s: %v", tr.Variant, tr.Findings)
		}
	}
}

const longProfile = head + `
tunables:
  - {name: scheduler, values: [none, mq-deadline], why: it resets others}
  - {name: nr_requests, values: [32, 64], why: it is reset}
  - {name: max_sectors_kb, values: [64, 256], why: it is not}
workloads:
  - name: reads
    why: something to do
    jobs: [{name: read, access: random, size: 4KiB, depth: 4}]
`

// journals counts the journals that still hold changes.
func journals(t *testing.T, state string) int {
	t.Helper()
	left, err := tunables.Journals(state)
	if err != nil {
		t.Fatal(err)
	}
	return len(left)
}

// TestInterrupted stops a run by Ctrl-C, checks that nothing is left changed,
// and resumes it: the trials are those of the same plan.
func TestInterrupted(t *testing.T) {
	dev, id := loopDevice(t, 64<<20)
	before := queueSettings(t, dev)
	state, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
	cmd := command(t, state, "run", profileFile(t, longProfile), "--target", dev, "--destroy", id, "--out", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	sameSettings(t, before, queueSettings(t, dev))
	if n := journals(t, state); n != 0 {
		t.Errorf("%d journals left", n)
	}
	if code, out := run(t, state, "run", "--resume", dir, "--target", dev, "--destroy", id); code != 0 {
		t.Fatalf("resume exits with %d:\n%s", code, out)
	}
	sameSettings(t, before, queueSettings(t, dev))
	valid := map[int]results.Trial{}
	for _, tr := range trials(t, dir) {
		if tr.Status == results.Valid {
			valid[tr.Index] = tr
		}
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if code, out := run(t, state, "run", profileFile(t, longProfile), "--target", dev, "--destroy", id, "--out", whole); code != 0 {
		t.Fatalf("run exits with %d:\n%s", code, out)
	}
	for _, tr := range trials(t, whole) {
		if got, ok := valid[tr.Index]; !ok || got.Variant != tr.Variant || got.Seed != tr.Seed {
			t.Errorf("trial %d of the resumed run is %s seed %d, of a whole one %s seed %d", tr.Index, got.Variant, got.Seed, tr.Variant, tr.Seed)
		}
	}
}

// TestSameIO runs a profile of random writes twice: the same blocks are written.
func TestSameIO(t *testing.T) {
	profile := profileFile(t, strings.ReplaceAll(head, "duration: 300ms", "duration: 20s, ops: 500")+`
tunables:
  - {name: physical_breaks, values: [2], why: any}
workloads:
  - name: writes
    why: random writes, sparse
    measure: {warmup: 0s}
    jobs: [{name: write, op: write, access: random, size: 4KiB, depth: 1}]
`)
	var maps [2]string
	for i := range maps {
		dev, id := loopDevice(t, 64<<20)
		if code, out := run(t, t.TempDir(), "run", profile, "--target", dev, "--destroy", id, "--out", filepath.Join(t.TempDir(), "run")); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, out)
		}
		maps[i] = written(t, id)
	}
	if maps[0] != maps[1] {
		t.Error("two runs with one seed wrote different blocks")
	}
	if n := strings.Count(maps[0], "x"); n < 450 || n > 500 {
		t.Errorf("%d blocks written by 500 random writes", n)
	}
}

// written is a letter for each 4 KiB block of a file: x where it is not zero.
func written(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	zero := make([]byte, 4096)
	var out strings.Builder
	for i := 0; i < len(data); i += len(zero) {
		if bytes.Equal(data[i:i+len(zero)], zero) {
			out.WriteByte('.')
		} else {
			out.WriteByte('x')
		}
	}
	return out.String()
}

// TestQuickLeavesNothing runs the main job as a new user does.
func TestQuickLeavesNothing(t *testing.T) {
	needsRoot(t)
	before := machine(t)
	dir := filepath.Join(t.TempDir(), "x")
	scratch := t.TempDir()
	code, out := run(t, t.TempDir(), "run", "quick", "--out", dir, "--scratch-dir", scratch)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	for _, want := range []string{"delete_max_sectors", "bioq_batchsize", "physical_breaks", "report.html", "scratch loop device"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not tell of %s:\n%s", want, out)
		}
	}
	sums := exec.Command("sha256sum", "-c", "SHA256SUMS")
	sums.Dir = dir
	if text, err := sums.CombinedOutput(); err != nil {
		t.Errorf("sha256sum -c: %v\n%s", err, text)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left in the scratch folder: %v, %v", left, err)
	}
	for device, settings := range before {
		if device == "vda" || !strings.HasPrefix(device, "loop") || len(device) == len("loop0") {
			sameSettings(t, settings, queueSettings(t, device))
		}
	}
}

// machine reads the settings of every block device.
func machine(t *testing.T) map[string]map[string]string {
	t.Helper()
	entries, err := os.ReadDir("/sys/block")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "loop73") {
			t.Logf("%s is there before the run", e.Name())
			continue
		}
		if _, err := os.Stat("/sys/block/" + e.Name() + "/queue"); err == nil {
			out[e.Name()] = queueSettings(t, e.Name())
		}
	}
	return out
}

// TestWrongDisk refuses the disk that the system stands on.
func TestWrongDisk(t *testing.T) {
	needsRoot(t)
	root, err := exec.Command("findmnt", "-n", "-o", "SOURCE", "/").Output()
	if err != nil {
		t.Skip("needs findmnt, which this machine lacks")
	}
	disk := strings.TrimSpace(string(root))
	if !strings.HasPrefix(disk, "/dev/") {
		t.Skipf("needs a root file system on a device, which this machine lacks: it is on %s", disk)
	}
	code, out := run(t, t.TempDir(), "run", "delete-chunk", "--target", disk, "--destroy", "x")
	if code != exitRefused || !strings.Contains(out, "mounted") {
		t.Errorf("exit code %d, want %d and a word about its being mounted:\n%s", code, exitRefused, out)
	}
}

// TestRefusedSetting finds a setting that could not be put back before the run.
func TestRefusedSetting(t *testing.T) {
	dev, id := loopDevice(t, 1<<30)
	before := queueSettings(t, dev)
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, t.TempDir(), "run", "linux-discard-max", "--target", dev, "--destroy", id, "--out", dir)
	if code != exitRefused || !strings.Contains(out, "could not be put back") {
		t.Errorf("exit code %d, want %d and why:\n%s", code, exitRefused, out)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a run folder was made")
	}
	sameSettings(t, before, queueSettings(t, dev))
}
