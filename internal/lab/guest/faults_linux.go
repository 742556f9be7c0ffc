package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/iosweep/iosweep/results"
	"golang.org/x/sys/unix"
)

// refusals are the devices that must never be written.
func (g *guest) refusals() {
	for _, r := range []struct{ label, says string }{
		{"mounted", "in use"}, {"signature", "--overwrite"}, {"member", "in use"}, {"readonly", "read-only"}, {"nullzone", "zone"}, {"under", "in use"},
	} {
		path := g.disks[r.label]
		info, err := listed(path)
		if err == nil {
			code, out := iosweep("run", writeProfile(8), "--target", path, "--destroy", info.ID, "--out", "/tmp/never")
			err = wants(7, r.says, code, out)
		}
		if err == nil && info.Writable {
			err = errors.New("it is listed as writable")
		}
		g.row(r.label, "refuse", err)
	}
	info, err := listed(g.disks["nullbare"])
	if err == nil {
		code, out := iosweep("run", "delete-chunk", "--target", info.Path, "--destroy", info.ID, "--out", "/tmp/never")
		if code != 6 && code != 7 {
			err = wants(6, "", code, out)
		}
	}
	g.row("nullbare", "no delete: unsupported", err)
	g.row("all", "others untouched by refusals", g.ask("shadow\t-"))
}

// begin starts a run and waits until it has changed a setting.
func (g *guest) begin(path, dir string, out *bytes.Buffer) (wait func() int, err error) {
	info, err := listed(path)
	if err != nil {
		return nil, err
	}
	before := settings(path)
	cmd := prepared("run", longProfile(), "--target", path, "--destroy", info.ID, "--out", dir, "--no-report")
	if out != nil {
		cmd.Stdout, cmd.Stderr = out, out
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if !awaitChange(path, before) {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, errors.New("no setting was changed within 20 s")
	}
	// A run that does not end must not keep the laboratory from the rest.
	// Before it does, it says where it hangs.
	timer := time.AfterFunc(40*time.Second, func() {
		cmd.Process.Signal(unix.SIGQUIT)
		time.Sleep(3 * time.Second)
		cmd.Process.Kill()
	})
	return func() int { defer timer.Stop(); cmd.Wait(); return cmd.ProcessState.ExitCode() }, nil
}

func longProfile() string {
	text, _ := os.ReadFile(writeProfile(8))
	path := "/tmp/long.yaml"
	os.WriteFile(path, []byte(strings.Replace(string(text), "duration: 400ms", "duration: 4s", 1)), 0o600)
	return path
}

// The faults hurt runs in ways that need devices of their own.

func (g *guest) clock() {
	g.row("virtio", "clock stepped: measured all the same", g.clockStepped())
}

func (g *guest) unplug() {
	g.row("nvme-unplug", "hot-unplug: named, nothing left", g.removed("nvme-unplug", func(string) error { return g.ask("unplug") }))
}

func (g *guest) scsi() {
	g.row("scsi_debug", "medium errors: run invalid", g.mediumErrors())
	g.row("scsi_debug", "removed: named, nothing left", g.removed("scsi_debug", func(path string) error {
		return os.WriteFile(filepath.Join("/sys/block", filepath.Base(path), "device/delete"), []byte("1"), 0)
	}))
}

// clockStepped moves the clock by an hour during a run.
func (g *guest) clockStepped() error {
	dir := "/tmp/run/clock"
	wait, err := g.begin(g.disks["virtio"], dir, nil)
	if err != nil {
		return err
	}
	time.Sleep(time.Second)
	var now unix.Timeval
	if err := unix.Gettimeofday(&now); err != nil {
		return err
	}
	now.Sec += 3600
	if err := unix.Settimeofday(&now); err != nil {
		return err
	}
	if err := measured(wait(), ""); err != nil {
		return err
	}
	set, err := results.Open(dir)
	if err != nil {
		return err
	}
	for _, t := range set.Runs[0].Trials {
		if t.WindowSeconds < 3.9 || t.WindowSeconds > 6 {
			return fmt.Errorf("a window of 4 s is given as %g s", t.WindowSeconds)
		}
	}
	return nil
}

// removed takes the device away from under a run.
func (g *guest) removed(label string, remove func(path string) error) error {
	path, out := g.disks[label], &bytes.Buffer{}
	dir := "/tmp/run/removed-" + label
	wait, err := g.begin(path, dir, out)
	if err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond)
	if err := remove(path); err != nil {
		return err
	}
	code := wait()
	if code == 0 || code == 8 {
		return fmt.Errorf("exit code %d: %s", code, out)
	}
	if !strings.Contains(out.String(), filepath.Base(path)) {
		return fmt.Errorf("the device is not named: %s", out)
	}
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists", path)
	}
	if code, text := iosweep("restore"); code != 0 {
		return fmt.Errorf("restore exits with %d: %s", code, text)
	}
	_, err = results.Open(dir)
	return err
}

// mediumErrors makes a range of a disk unreadable.
func (g *guest) mediumErrors() error {
	const opts = "/sys/bus/pseudo/drivers/scsi_debug/opts"
	if err := os.WriteFile(opts, []byte("2"), 0); err != nil {
		return err
	}
	defer os.WriteFile(opts, []byte("0"), 0)
	text, _ := os.ReadFile(writeProfile(8))
	profile := "/tmp/reads.yaml"
	// The bad sectors are ten from 0x1234 on.
	reads := strings.NewReplacer("name: write, op: write", "name: read, op: read", "{from: 0%, to: 50%}", "{offset: 2MiB, length: 1MiB}").Replace(string(text))
	os.WriteFile(profile, []byte(reads), 0o600)
	code, out := iosweep("run", profile, "--target", g.disks["scsi_debug"], "--out", "/tmp/run/medium", "--no-report")
	return wants(5, "failed", code, out)
}

// resetMark says that the machine was reset while a run was at work.
const resetMark = "/state/reset"

// beforeReset lets the host reset the machine in the middle of a run.
func (g *guest) beforeReset() {
	wait, err := g.begin(g.disks["virtio"], "/state/run-reset", nil)
	if err == nil {
		// The second trial is under way then, and the first is stored.
		time.Sleep(5 * time.Second)
		err = os.WriteFile(resetMark, nil, 0o600)
		unix.Sync()
	}
	if err != nil {
		g.row("virtio", "reset mid-run", err)
		return
	}
	g.ask("reset")
	wait()
	g.row("virtio", "reset mid-run", errors.New("the host did not reset the machine"))
}

// afterReset is the boot after it: what the boot-time unit does, and what must
// still be there.
func (g *guest) afterReset() {
	left, _ := filepath.Glob(stateDir + "/*.journal")
	if len(left) == 0 {
		g.row("virtio", "reset: boot-time restore", errors.New("no journal was left: the reset came too late"))
		return
	}
	code, out := iosweep("run", writeProfile(8), "--target", g.disks["virtio"], "--destroy", "any", "--out", "/tmp/never")
	g.row("virtio", "reset: a run is refused before restore", wants(8, "restore", code, out))
	code, out = iosweep("restore")
	g.row("virtio", "reset: boot-time restore", wants(0, "started anew", code, out))
	set, err := results.Open("/state/run-reset")
	if err == nil && (len(set.Runs[0].Trials) == 0 || set.Runs[0].Trials[0].Status != results.Valid) {
		err = fmt.Errorf("%d trials are left", len(set.Runs[0].Trials))
	}
	g.row("virtio", "reset: finished trials kept", err)
	info, err := listed(g.disks["virtio"])
	if err == nil {
		code, out = iosweep("run", writeProfile(8), "--target", info.Path, "--destroy", info.ID, "--out", "/tmp/next", "--no-report")
		err = measured(code, out)
	}
	g.row("virtio", "reset: the next run works", err)
}
