package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/internal/winetest"
	"github.com/iosweep/iosweep/results"
)

// windows is a Windows with iosweep on it.
type windows struct {
	t        *testing.T
	wine     *winetest.Wine
	dir, exe string
}

func newWindows(t *testing.T) windows {
	if testing.Short() {
		t.Skip("short mode")
	}
	dir := t.TempDir()
	wine, err := winetest.New(t.Context(), filepath.Join(dir, "prefix"))
	if errors.Is(err, winetest.ErrMissing) {
		t.Skipf("needs Wine, which this machine lacks: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := wine.Close(); err != nil {
			t.Error(err)
		}
	})
	w := windows{t, wine, dir, filepath.Join(dir, "iosweep.exe")}
	w.build("build", "-o", w.exe, ".")
	return w
}

// build makes a Windows binary.
func (w windows) build(args ...string) {
	w.t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}

// path is a file of the test as Windows names it.
func (w windows) path(name string) string { return winetest.Path(filepath.Join(w.dir, name)) }

// run runs a program and expects its exit code.
func (w windows) run(code int, args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	out, err := w.wine.Run(ctx, args...)
	got := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		w.t.Fatal(err)
	}
	if got != code {
		w.t.Errorf("%v: exit code %d, want %d: %v\n%s", args, got, code, err, out)
	}
	return out
}

func (w windows) iosweep(code int, args ...string) string {
	w.t.Helper()
	return w.run(code, append([]string{w.exe}, args...)...)
}

// One Windows serves all these, since making it takes seconds.
func TestWindows(t *testing.T) {
	w := newWindows(t)
	t.Run("cli", func(t *testing.T) {
		w.t = t
		if out := w.iosweep(exitOK, "selftest"); !strings.Contains(out, "windows/amd64") || !strings.Contains(out, "maximum_sg_list") {
			t.Errorf("selftest says %s", out)
		}
		w.iosweep(exitUsage, "run", "no-such-profile")
		w.iosweep(exitRefused, "run", "quick", "--target", w.path("missing.img"))
		w.iosweep(exitRefused, "run", "quick", "--target", `\\.\PhysicalDrive63`)
	})
	t.Run("simulator and report", func(t *testing.T) {
		w.t = t
		w.iosweep(exitOK, "run", "quick", "--engine", "sim:intel-520", "--out", w.path("sim"))
		w.iosweep(exitOK, "report", w.path("sim"), "--out", w.path("report"))
		w.complete("sim")
		if _, err := os.Stat(filepath.Join(w.dir, "sim/report/report.html")); err != nil {
			t.Error(err)
		}
	})
	t.Run("file target", w.fileTarget)
	t.Run("registry", w.registry)
}

// complete opens a run on Linux that was made on Windows.
func (w windows) complete(name string) []results.Trial {
	w.t.Helper()
	set, err := results.Open(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	if len(set.Runs) == 0 {
		w.t.Fatalf("%s holds no run", name)
	}
	if r := set.Runs[0]; !r.Complete || len(r.Trials) == 0 {
		w.t.Fatalf("%s: complete %v, %d trials, %v", name, r.Complete, len(r.Trials), r.Problems)
	}
	return set.Runs[0].Trials
}

const windowsProfile = `schema: 1
name: windows
title: Transfers of a file
about: Reads and writes of a file, past the cache, by overlapped I/O.
tunables:
  - {name: physical_breaks, values: [0x11, 0x21], why: two values}
workloads:
  - name: mixed
    why: every way to the file
    jobs:
      - {name: write, op: write, size: 128KiB, depth: 4, region: {offset: 0B, length: 4MiB}}
      - {name: read, size: 4KiB, depth: 4, region: {offset: 4MiB, length: 4MiB}}
measure: {warmup: 0s, duration: 300ms, repeats: 1, seed: 1}
objective: [{workload: mixed, maximise: write.throughput}]
`

func (w windows) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w windows) fileTarget(t *testing.T) {
	w.t = t
	w.write("file.yaml", windowsProfile)
	w.write("file.img", strings.Repeat("\x00", 8<<20))
	target := w.path("file.img")
	w.iosweep(exitRefused, "run", w.path("file.yaml"), "--target", target)
	id := strings.ReplaceAll(target, "/", `\`)
	w.iosweep(exitOK, "run", w.path("file.yaml"), "--target", target, "--destroy", id, "--out", w.path("file"))
	for _, trial := range w.complete("file") {
		if !wasMeasured(trial) {
			t.Errorf("trial %d is %s: %v", trial.Index, trial.Status, trial.Findings)
		}
	}
	// Wine's volumes say that they have no sparse files, where deletes would
	// write zeros.
	w.write("delete.yaml", strings.NewReplacer("{name: write, op: write, size: 128KiB, depth: 4, region: {offset: 0B, length: 4MiB}}", "{name: delete, op: delete, size: 128KiB, depth: 1}",
		"      - {name: read, size: 4KiB, depth: 4, region: {offset: 4MiB, length: 4MiB}}\n", "", "write.throughput", "delete.throughput").Replace(windowsProfile))
	if out := w.iosweep(exitUnsupported, "run", w.path("delete.yaml"), "--target", target, "--destroy", id, "--out", w.path("delete")); !strings.Contains(out, "deletes, and file.img does not support that") {
		t.Errorf("deletes in a file: %s", out)
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "file.img"))
	if err != nil || len(text) != 8<<20 || strings.Count(string(text[:4<<20]), "\x00") > 1<<20 {
		t.Errorf("the file was not written: %d bytes, %v", len(text), err)
	}
}

const sgAddress = `HKLM:SYSTEM\CurrentControlSet\Services\iosweeptest\Parameters\Device\MaximumSGList`

// registry stages a value, is as good as killed there, and restores it.
func (w windows) registry(t *testing.T) {
	w.t = t
	w.build("test", "-c", "-o", filepath.Join(w.dir, "registry.exe"), "../../tunables/registry")
	w.run(0, filepath.Join(w.dir, "registry.exe"), "-test.run", "Machine|ReadAndWrite|Refusals")

	const key = `HKLM\SYSTEM\CurrentControlSet\Services\iosweeptest\Parameters\Device`
	w.run(0, "reg", "add", key, "/v", "Other", "/t", "REG_DWORD", "/d", "1", "/f")
	w.write("registry.yaml", strings.Replace(windowsProfile, "{name: physical_breaks, values: [0x11, 0x21], why: two values}",
		"{name: '"+sgAddress+"', values: [33, 65], why: two values}", 1))
	w.write("registry.img", strings.Repeat("\x00", 8<<20))
	id := strings.ReplaceAll(w.path("registry.img"), "/", `\`)
	state := []string{"--state-dir", w.path("state")}
	args := append([]string{"--target", w.path("registry.img"), "--destroy", id}, state...)
	out := w.iosweep(exitOK, append([]string{"run", w.path("registry.yaml"), "--stage", "--out", w.path("staged")}, args...)...)
	if !strings.Contains(out, "reboot") {
		t.Errorf("staging says %s", out)
	}
	if out := w.run(0, "reg", "query", key, "/v", "MaximumSGList"); !strings.Contains(out, "REG_DWORD") {
		t.Errorf("the registry has %s", out)
	}
	w.iosweep(exitNotRestored, append([]string{"run", w.path("registry.yaml"), "--out", w.path("other")}, args...)...)
	w.iosweep(exitOK, append([]string{"restore"}, state...)...)
	w.run(1, "reg", "query", key, "/v", "MaximumSGList")

	out = w.iosweep(exitOK, append([]string{"run", w.path("registry.yaml"), "--stage", "--out", w.path("swept")}, args...)...)
	for range 2 { // Wine counts no boots, so each resumption counts as one
		out = w.iosweep(exitOK, append([]string{"run", "--resume", w.path("swept")}, args...)...)
	}
	for _, trial := range w.complete("swept") {
		if s := trial.Settings[0]; !wasMeasured(trial) || s.Observed != s.Value || s.Before != "absent" {
			t.Errorf("trial %d is %s: %+v\n%s", trial.Index, trial.Status, s, out)
		}
	}
	w.run(1, "reg", "query", key, "/v", "MaximumSGList")
}
