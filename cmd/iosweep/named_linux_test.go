package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

const namedProfile = `
schema: 1
name: beside
workloads:
  - name: tpcc
    prepare: [fill]
    jobs:
      - {name: reads, access: random, size: 16KiB, depth: 4, region: {offset: 8MiB, length: 8MiB}}
      - {name: log, op: write, size: 24KiB, target: log, region: {offset: 1MiB, length: 3MiB}}
measure: {duration: 300ms, repeats: 1}
`

// TestSeveralTargets measures a workload on two loop devices at once.
func TestSeveralTargets(t *testing.T) {
	data, dataID := loopDevice(t, 32<<20)
	log, logID := loopDevice(t, 16<<20)
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, t.TempDir(), "run", profileFile(t, namedProfile),
		"--target", data, "--destroy", dataID, "--target", "log="+log, "--destroy", "log="+logID, "--out", dir)
	if code != exitOK {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	set, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := set.Runs[0].Run
	if r.Device.ID != dataID || len(r.NamedTargets) != 1 || r.NamedTargets[0].Target != "log" || r.NamedTargets[0].Device.ID != logID {
		t.Errorf("measured on %s, beside %+v", r.Device.ID, r.NamedTargets)
	}
	trial := set.Runs[0].Trials[0]
	if trial.Status != results.Valid || trial.Counters == nil || len(trial.NamedCounters) != 1 {
		t.Fatalf("%s, counters %v, named %v, findings %v", trial.Status, trial.Counters, trial.NamedCounters, trial.Findings)
	}
	if trial.Counters.Write.Bytes != 0 || trial.Counters.Read.Bytes == 0 || trial.NamedCounters[0].Counters.Write.Bytes == 0 {
		t.Errorf("the first device counted %+v, the log %+v", trial.Counters, trial.NamedCounters[0].Counters)
	}
	if want := int64(8+3) << 20; trial.Prepared == nil || trial.Prepared.FilledBytes != want {
		t.Errorf("prepared %+v, want %d bytes", trial.Prepared, want)
	}
	untouched(t, dataID, 0, 8<<20)
	untouched(t, logID, 0, 1<<20)
	untouched(t, logID, 4<<20, 12<<20)
}

// untouched finds what was written where nothing was to be.
func untouched(t *testing.T, file string, from, length int64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, length)
	if _, err := f.ReadAt(b, from); err != nil {
		t.Fatal(err)
	}
	if at := bytes.IndexFunc(b, func(r rune) bool { return r != 0 }); at >= 0 {
		t.Errorf("%s was written at byte %d", file, from+int64(at))
	}
}

// TestSeveralTargetsAreClaimed refuses each device that was not given up.
func TestSeveralTargetsAreClaimed(t *testing.T) {
	data, dataID := loopDevice(t, 32<<20)
	log, logID := loopDevice(t, 16<<20)
	first := []string{"--target", data, "--destroy", dataID}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"not named":      {first, exitUsage, "--target log=PATH"},
		"not given up":   {append(first, "--target", "log="+log), exitRefused, "--destroy"},
		"another's id":   {append(first, "--target", "log="+log, "--destroy", "log="+dataID), exitRefused, "target log"},
		"first missing":  {[]string{"--target", "log=" + log, "--destroy", "log=" + logID}, exitUsage, "first target"},
		"unknown name":   {append(first, "--target", "log="+log, "--target", "tail="+log), exitUsage, `no target "tail"`},
		"twice":          {append(first, "--target", "log="+log, "--target", "log="+data), exitUsage, "named twice"},
		"the same again": {append(first, "--target", "log="+data, "--destroy", "log="+dataID), exitRefused, "target log"},
	} {
		code, out := run(t, t.TempDir(), append([]string{"run", profileFile(t, namedProfile), "--out", filepath.Join(t.TempDir(), "run")}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", name, code, c.code, c.says, out)
		}
	}
	untouched(t, dataID, 0, 32<<20)
	untouched(t, logID, 0, 16<<20)
}

// TestSeveralScratchTargets makes a device for each, and models one each.
func TestSeveralScratchTargets(t *testing.T) {
	needsRoot(t)
	profile := strings.Replace(namedProfile, "workloads:", "target: {scratch_size: 32MiB}\nworkloads:", 1)
	for _, args := range [][]string{nil, {"--engine", "sim:zvol-1"}} {
		dir := filepath.Join(t.TempDir(), "run")
		code, out := run(t, t.TempDir(), append([]string{"run", profileFile(t, profile), "--out", dir}, args...)...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d:\n%s", args, code, out)
		}
		if trial := trials(t, dir)[0]; trial.Status != results.Valid {
			t.Errorf("%v: %s, %v", args, trial.Status, trial.Findings)
		}
	}
}
