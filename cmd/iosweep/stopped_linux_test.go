package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
)

// TestStoppedRun stops a run in the middle of a window and lets it go on: what
// was measured meanwhile is not valid, and is measured again.
func TestStoppedRun(t *testing.T) {
	r := newRig(t)
	r.profile = profileFile(t, strings.ReplaceAll(head, "duration: 300ms", "duration: 2200ms")+`
workloads:
  - name: reads
    why: something to do
    jobs: [{name: read, access: random, size: 4KiB, depth: 4}]
`)
	cmd, out := r.begin()
	r.start(cmd)
	time.Sleep(1200 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(1500 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGCONT)
	code, text := ended(cmd, out)
	if code != 0 {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	var stopped, valid int
	for _, tr := range trials(t, r.dir) {
		if tr.Status == results.Valid {
			valid++
		}
		for _, f := range tr.Findings {
			if f.Code == "stopped" && f.Fatal && tr.Status == results.Invalid {
				stopped++
			}
		}
	}
	if stopped != 1 || valid != 1 {
		t.Errorf("%d trials were stopped and %d are valid, want one each:\n%s", stopped, valid, text)
	}
}
