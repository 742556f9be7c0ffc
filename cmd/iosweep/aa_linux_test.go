package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// aaProfile varies a limit of deletes over a workload that deletes nothing: all
// that differs between its variants is their name.
const aaProfile = `
schema: 1
name: aa
target: {min_size: 256MiB, scratch_size: 256MiB}
tunables: [{name: delete_max_sectors, values: [65536, 262144], via: stack}]
workloads:
  - name: reads
    jobs: [{name: reader, access: random, size: 4KiB, depth: 4}]
measure: {warmup: 100ms, duration: 300ms, repeats: 8}
objective: [{workload: reads, maximise: reader.throughput, subject_to: [reader.p99 <= 1s]}]
`

// aaRuns is how many A/A runs are made: 3, or as many as IOSWEEP_AA_RUNS says.
func aaRuns(t *testing.T) int {
	t.Helper()
	text := os.Getenv("IOSWEEP_AA_RUNS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("IOSWEEP_AA_RUNS=%q: write a number of runs", text)
	}
	return n
}

// Of runs on a real loop device whose variants are alike, at most one may come
// out better or worse: each has a chance of 5 %.
func TestAlikeOnALoopDevice(t *testing.T) {
	dev, id := loopDevice(t, 256<<20)
	profile, runs, alarms := profileFile(t, aaProfile), aaRuns(t), 0
	for i := range runs {
		dir := filepath.Join(t.TempDir(), "run")
		if code, out := run(t, t.TempDir(), "run", profile, "--seed", strconv.Itoa(i+1), "--target", dev, "--destroy", id, "--out", dir, "--no-report"); code != 0 {
			t.Fatalf("run %d exits with %d:\n%s", i, code, out)
		}
		verdicts := aaVerdicts(t, dir)
		t.Logf("run %d: %s", i, strings.Join(verdicts, ", "))
		if slices.Contains(verdicts, "better") || slices.Contains(verdicts, "worse") {
			alarms++
		}
	}
	if alarms > 1 {
		t.Errorf("%d of %d A/A runs come out better or worse, want at most one", alarms, runs)
	}
}

// aaVerdicts compares the two variants of a run.
func aaVerdicts(t *testing.T, dir string) (verdicts []string) {
	t.Helper()
	cmd := command(t, t.TempDir(), "compare", dir, "--vary", "delete_max_sectors", "--format", "json")
	cmd.Args = cmd.Args[:len(cmd.Args)-2] // compare has no state
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("compare: %v\n%s", err, out)
	}
	var table struct{ Rows []struct{ Verdict string } }
	if err := json.Unmarshal(out, &table); err != nil || len(table.Rows) != 2 {
		t.Fatalf("%d rows, %v:\n%s", len(table.Rows), err, out)
	}
	for _, r := range table.Rows {
		verdicts = append(verdicts, r.Verdict)
	}
	return verdicts
}
