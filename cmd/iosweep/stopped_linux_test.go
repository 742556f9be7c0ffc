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

// TestStoppedWatchdog stops the watchdog and interrupts the run, which ends.
func TestStoppedWatchdog(t *testing.T) {
	r := newRig(t)
	cmd, out := r.begin()
	r.start(cmd)
	r.awaitChange()
	dog := r.onlyDog(cmd.Process.Pid, 0)
	syscall.Kill(dog, syscall.SIGSTOP)
	cmd.Process.Signal(syscall.SIGINT)
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	code, text := ended(cmd, out)
	if !late.Stop() || code != 130 || !strings.Contains(text, "was killed; all settings are back") {
		syscall.Kill(dog, syscall.SIGKILL)
		t.Errorf("exit code %d, want 130:\n%s", code, text)
	}
	if wrong := r.settled(); len(wrong) > 0 {
		t.Errorf("not back: %v", wrong)
	}
}

// TestKilledWatchdog kills the watchdog, and after it the run: another watchdog
// is there and puts the settings back.
func TestKilledWatchdog(t *testing.T) {
	r := newRig(t)
	cmd, out := r.begin()
	r.start(cmd)
	r.awaitChange()
	first := r.onlyDog(cmd.Process.Pid, 0)
	syscall.Kill(first, syscall.SIGKILL)
	r.onlyDog(cmd.Process.Pid, first)
	r.awaitChange()
	cmd.Process.Kill()
	if _, text := ended(cmd, out); !strings.Contains(text, "the watchdog ended (signal: killed): starting another") {
		t.Errorf("nothing tells of the watchdog's end:\n%s", text)
	}
	if wrong := r.settled(); len(wrong) > 0 {
		t.Errorf("not back: %v", wrong)
	}
}

// onlyDog waits for the run's watchdog, another than before.
func (r *rig) onlyDog(run, before int) int {
	r.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if dogs := children(run); len(dogs) == 1 && dogs[0] != before {
			return dogs[0]
		}
	}
	r.t.Fatal("no watchdog within 10 s")
	return 0
}
