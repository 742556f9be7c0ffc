package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

const stagedProfile = `schema: 1
name: staged
title: A module's parameter
about: Two values of a parameter that is taken when a module is loaded.
tunables:
  - {name: "modprobe:demo/limit", values: [16, 32], why: two values}
workloads:
  - name: reads
    why: a few reads
    jobs:
      - {name: read, size: 4KiB, depth: 1, region: {offset: 0B, length: 64KiB}}
measure: {warmup: 0s, duration: 200ms, repeats: 2, seed: 1}
objective: [{workload: reads, maximise: read.throughput}]
`

// machine is a Linux of plain files, whose boots are played.
type bootMachine struct {
	t    *testing.T
	root string
}

func (m bootMachine) file(path string) string { return filepath.Join(m.root, path) }

func (m bootMachine) set(path, text string) {
	if err := errors.Join(os.MkdirAll(filepath.Dir(m.file(path)), 0o755), os.WriteFile(m.file(path), []byte(text), 0o644)); err != nil {
		m.t.Fatal(err)
	}
}

// boot loads the module with what modprobe.d says, or else its default.
func (m bootMachine) boot(id string) string {
	m.set("proc/sys/kernel/random/boot_id", id+"\n")
	conf, _ := os.ReadFile(m.file("etc/modprobe.d/iosweep.conf"))
	value := "8"
	for line := range strings.Lines(string(conf)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "options demo limit="); ok {
			value = v
		}
	}
	m.set("sys/module/demo/parameters/limit", value+"\n")
	return value
}

func (m bootMachine) run(resume, dir string, args ...string) error {
	f := &runFlags{resume: resume, stage: resume == "", out: dir, engine: "portable"}
	if resume != "" {
		f.out, f.engine = "", ""
	}
	f.target = targetFlags{root: m.root, state: m.file("state"), path: m.file("target.img")}
	s, err := f.session(args)
	if err != nil {
		return err
	}
	_, _, err = f.measure(context.Background(), s, newProgress(io.Discard, false))
	return err
}

// wasMeasured says that a trial did I/O to its end. On a busy machine so short a
// one may be judged not to count.
func wasMeasured(t results.Trial) bool {
	return (t.Status == results.Valid || t.Status == results.Invalid) && len(t.Jobs) > 0 && t.Jobs[0].Kinds[0].Ops > 0 && t.Jobs[0].Kinds[0].Errors == 0
}

// Where boots cannot be told apart, a value that is not in force is not measured.
func TestStagedWithoutBootID(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	m := bootMachine{t, t.TempDir()}
	m.set("etc/modprobe.d/other.conf", "")
	m.set("target.img", strings.Repeat("x", 1<<20))
	m.set("profile.yaml", stagedProfile)
	boot := func() {
		m.boot("")
		if err := os.Remove(m.file("proc/sys/kernel/random/boot_id")); err != nil {
			t.Fatal(err)
		}
	}
	boot()
	dir := m.file("run")
	if err := m.run("", dir, m.file("profile.yaml")); !errors.Is(err, errWaiting) {
		t.Fatalf("the first part ends with %v", err)
	}
	if err := m.run(dir, ""); exitCode(err) != exitTransient || !strings.Contains(err.Error(), "for the next boot") {
		t.Errorf("resumed before the boot: %v", err)
	}
	boot()
	if err := m.run(dir, ""); !errors.Is(err, errWaiting) {
		t.Errorf("resumed after the boot: %v", err)
	}
}

// A sweep over two values takes two boots, measures each in its own, and leaves
// the machine's files as they were.
func TestStagedSweep(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	m := bootMachine{t, t.TempDir()}
	m.set("etc/modprobe.d/other.conf", "options demo limit=5\n")
	m.set("target.img", strings.Repeat("x", 1<<20))
	m.set("profile.yaml", stagedProfile)
	m.boot("first")
	dir := m.file("run")
	if err := m.run("", dir, m.file("profile.yaml")); !errors.Is(err, errWaiting) {
		t.Fatalf("the first part ends with %v", err)
	}
	if err := m.run(dir, ""); err == nil || exitCode(err) != exitTransient {
		t.Errorf("resumed in the same boot: %v", err)
	}
	if err := m.run("", m.file("other"), m.file("profile.yaml")); exitCode(err) != exitNotRestored {
		t.Errorf("another run meanwhile: %v", err)
	}
	var values []string
	for _, boot := range []string{"second", "third", "fourth"} {
		values = append(values, m.boot(boot))
		err := m.run(dir, "")
		if err == nil {
			break
		}
		if !errors.Is(err, errWaiting) {
			t.Fatal(err)
		}
	}
	if strings.Join(values, " ") != "16 32" && strings.Join(values, " ") != "32 16" {
		t.Errorf("the boots had %v", values)
	}
	for _, left := range []string{"etc/modprobe.d/iosweep.conf", "run/" + stagingFile} {
		if _, err := os.Stat(m.file(left)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", left, err)
		}
	}
	set, err := results.Open(dir)
	if err != nil || !set.Runs[0].Complete || len(set.Runs[0].Trials) < 4 {
		t.Fatalf("the run: %+v, %v", set.Runs[0], err)
	}
	for _, trial := range set.Runs[0].Trials {
		s := trial.Settings[0]
		if !wasMeasured(trial) || s.Observed != s.Value || s.Before != "absent" || !strings.Contains(s.Note, "modprobe:demo/limit") {
			t.Errorf("trial %d: %s, %+v", trial.Index, trial.Status, s)
		}
	}
}
