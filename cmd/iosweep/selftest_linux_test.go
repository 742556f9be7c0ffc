package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a loop device every knob that it has is set, proved and restored.
func TestSelftestOnLoop(t *testing.T) {
	path, id := loopDevice(t, 64<<20)
	queue := filepath.Join("/sys/block", filepath.Base(path), "queue")
	before := readAll(t, queue)
	var out, errOut bytes.Buffer
	code := execute([]string{"selftest", "--json", "--target", path, "--destroy", id, "--state-dir", t.TempDir()}, &out, &errOut)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	var r selfReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, c := range r.Tunables {
		states[c.Name] = c.State
		if c.Name == "max_sectors_kb" && !strings.Contains(c.Effect, "one read of ") {
			t.Errorf("the effect of %s to %s: %q", c.Name, c.Tried, c.Effect)
		}
	}
	for name, want := range map[string]string{
		"max_sectors_kb": stateOK, "scheduler": stateOK, "nr_requests": stateOK, "bioq_batchsize": stateLayer, "maximum_sg_list": stateMissing,
	} {
		if states[name] != want {
			t.Errorf("%s is %q, want %q", name, states[name], want)
		}
	}
	if len(r.Devices) == 0 || len(r.Engines) != 2 {
		t.Errorf("%d devices, %d engines", len(r.Devices), len(r.Engines))
	}
	for name, value := range readAll(t, queue) {
		if before[name] != value {
			t.Errorf("%s was %q and is left at %q", name, before[name], value)
		}
	}
	if code := execute([]string{"selftest", "--target", path, "--destroy", "wrong"}, io.Discard, io.Discard); code != exitRefused {
		t.Errorf("a wrong id: exit code %d", code)
	}
}

// readAll reads the files of a directory that can be read.
func readAll(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		if text, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
			all[e.Name()] = string(text)
		}
	}
	return all
}
