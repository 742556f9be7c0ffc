package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// The faults hurt runs in ways that need devices of their own.

func (g *guest) clock() {
	g.often("virtio", "clock stepped: measured all the same", g.clockStepped)
}

func (g *guest) unplug() {
	g.row("nvme-unplug", "hot-unplug: named, nothing left", g.removed("nvme-unplug", func(string) error { return g.ask("unplug") }))
}

func (g *guest) scsi() {
	g.row("scsi_debug", "medium errors: run invalid", g.mediumErrors())
	g.removals()
}

// removals takes a SCSI disk away, and has its host look for it again.
func (g *guest) removals() {
	g.often("scsi_debug", "removed: named, nothing left", func(int) error {
		err := g.removed("scsi_debug", func(path string) error {
			return os.WriteFile(filepath.Join("/sys/block", filepath.Base(path), "device/delete"), []byte("1"), 0)
		})
		if err != nil {
			return err
		}
		return g.rescan()
	})
}

// rescan waits for the SCSI disk that was removed to be found again.
func (g *guest) rescan() error {
	scans, _ := filepath.Glob("/sys/class/scsi_host/host*/scan")
	for _, s := range scans {
		if err := os.WriteFile(s, []byte("- - -"), 0); err != nil {
			return err
		}
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		entries, _ := filepath.Glob("/dev/sd*")
		for _, e := range entries {
			if serialOf(filepath.Base(e)) == "scsi_debug" {
				g.disks["scsi_debug"] = e
				return nil
			}
		}
	}
	return errors.New("the disk that was removed is not found again")
}

// clockStepped moves the clock during a run, on and back by turns.
func (g *guest) clockStepped(i int) error {
	r, err := g.begin(g.disks["virtio"], "1s")
	if err != nil {
		return err
	}
	r.moment()
	var now unix.Timeval
	if err := unix.Gettimeofday(&now); err != nil {
		return err
	}
	now.Sec += []int64{3600, -3600 - 7*int64(i)}[i%2]
	if err := unix.Settimeofday(&now); err != nil {
		return err
	}
	if code := r.wait(); measured(code, "") != nil {
		return measured(code, r.said())
	}
	all, err := r.kept()
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.WindowSeconds < 0.98 || t.WindowSeconds > 1.5 {
			return fmt.Errorf("a window of 1 s is given as %g s", t.WindowSeconds)
		}
	}
	return r.back()
}

// removed takes the device away from under a run.
func (g *guest) removed(label string, remove func(path string) error) error {
	path := g.disks[label]
	r, err := g.begin(path, "4s")
	if err != nil {
		return err
	}
	r.moment()
	if err := remove(path); err != nil {
		return err
	}
	code := r.wait()
	if code == 0 || code == 8 {
		return fmt.Errorf("exit code %d: %s", code, r.said())
	}
	if !strings.Contains(r.said(), filepath.Base(path)) {
		return fmt.Errorf("the device is not named: %s", r.said())
	}
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists", path)
	}
	if code, text := iosweep("restore"); code != 0 {
		return fmt.Errorf("restore exits with %d: %s", code, text)
	}
	_, err = r.kept()
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
