package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/iosweep/iosweep/results"
	"golang.org/x/sys/unix"
)

// resetMark says how often the machine was reset while a run was at work, and
// resetRun is the folder of that run.
const (
	resetMark = "/state/reset"
	resetRun  = "/state/run-reset"
)

func resets() int {
	text, _ := os.ReadFile(resetMark)
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

// beforeReset lets the host reset the machine in the middle of a run.
func (g *guest) beforeReset() {
	g.row("virtio", "reset mid-run", g.resetInRun())
}

// resetInRun returns only when that did not come to pass.
func (g *guest) resetInRun() error {
	os.RemoveAll(resetRun)
	if err := os.Mkdir(resetRun, 0o755); err != nil {
		return err
	}
	r, err := g.beginIn(resetRun, g.disks["virtio"], "1s")
	if err != nil {
		return err
	}
	// In the second trial the first is stored.
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if all, err := r.kept(); err == nil && len(all) > 0 {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("no trial was stored within 20 s: %s", r.said())
		}
	}
	if !awaitChange(r.path, r.before) {
		return errors.New("the second trial changed no setting")
	}
	if err := os.WriteFile(resetMark, []byte(fmt.Sprint(resets()+1)), 0o600); err != nil {
		return err
	}
	unix.Sync()
	g.ask("reset")
	return fmt.Errorf("the host did not reset the machine; the run exits with %d", r.wait())
}

// afterReset is the boot after it: what the boot-time unit does, and what must
// still be there. It is told once, after the last reset.
func (g *guest) afterReset() {
	n := resets()
	checks := []struct {
		property string
		check    func() error
	}{
		{"reset: a run is refused before restore", g.refusedBeforeRestore},
		{"reset: boot-time restore", restoredAtBoot},
		{"reset: finished trials kept", trialsKept},
		{"reset: the next run works", g.nextRun},
	}
	for _, c := range checks {
		err := c.check()
		if err != nil || n == g.times {
			g.rowOf("virtio", c.property, n, err)
		}
		if err != nil {
			return
		}
	}
	if n < g.times {
		g.beforeReset()
	}
}

func (g *guest) refusedBeforeRestore() error {
	left, _ := filepath.Glob(stateDir + "/*.journal")
	if len(left) == 0 {
		return errors.New("no journal was left: the reset came too late")
	}
	code, out := iosweep("run", writeProfile(8), "--target", g.disks["virtio"], "--destroy", "any", "--out", "/tmp/never")
	return wants(8, "restore", code, out)
}

func restoredAtBoot() error {
	code, out := iosweep("restore", "--at-boot")
	return wants(0, "started anew", code, out)
}

func trialsKept() error {
	set, err := results.Open(filepath.Join(resetRun, "run"))
	if err == nil && len(set.Runs[0].Trials) == 0 {
		err = errors.New("no trial is left")
	}
	if err == nil && set.Runs[0].Trials[0].Status != results.Valid && set.Runs[0].Trials[0].Status != results.Invalid {
		err = fmt.Errorf("the first trial is %s", set.Runs[0].Trials[0].Status)
	}
	return err
}

func (g *guest) nextRun() error {
	info, err := listed(g.disks["virtio"])
	if err != nil {
		return err
	}
	return measured(iosweep("run", writeProfile(8), "--target", info.Path, "--destroy", info.ID, "--out", "/tmp/next", "--no-report"))
}
