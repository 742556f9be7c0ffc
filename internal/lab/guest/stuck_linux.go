package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// through makes a mapped device that passes everything on to the faulty disk, or
// puts that table back.
func (g *guest) through() (m mapped, err error) {
	sectors, err := sizeOf(g.disks["faulty"])
	if err != nil {
		return m, err
	}
	m = mapped{name: "faulty", path: g.disks["dmfaulty"]}
	table := extent{0, sectors, "linear", g.disks["faulty"] + " 0"}
	if m.path != "" {
		return m, m.load(table)
	}
	if m, err = newMapped(m.name, table); err == nil {
		g.disks["dmfaulty"] = m.path
	}
	return m, err
}

// stuck is a device that takes I/O and never answers.
func (g *guest) stuck() {
	g.often("dm-linear", "stuck: given up at the second Ctrl-C, named, settings back", g.givenUp)
}

// givenUp keeps all I/O of a run back. The first Ctrl-C waits for it; after the
// second the run restores, says what it left, and ends. With the portable engine
// its threads stay in the kernel until the device answers.
func (g *guest) givenUp(i int) error {
	m, err := g.through()
	if err != nil {
		return err
	}
	engine := []string{"uring", "portable"}[i%2]
	r, err := g.begin(m.path, "4s", "--engine", engine)
	if err != nil {
		return err
	}
	defer m.resume()
	if err := r.awaitWrites(); err != nil {
		return err
	}
	r.moment()
	if err := m.suspend(dmNoFlush); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond) // until it has issued what is kept back
	r.cmd.Process.Signal(unix.SIGINT)
	if r.endsWithin(time.Second) {
		return fmt.Errorf("%s: it did not wait for its outstanding I/O: %s", engine, r.said())
	}
	r.cmd.Process.Signal(unix.SIGINT)
	if err := errors.Join(r.awaitSaid("were given up; the oldest is a write of 8192 bytes at byte"), r.back()); err != nil {
		return fmt.Errorf("%s: %w", engine, err)
	}
	if engine == "uring" && !r.endsWithin(10*time.Second) {
		return fmt.Errorf("it did not end while the device is stuck: %s", r.said())
	}
	if err := m.resume(); err != nil {
		return err
	}
	if code := r.wait(); code != 130 {
		return fmt.Errorf("%s: exit code %d, want 130: %s", engine, code, r.said())
	}
	_, err = r.kept()
	return err
}

// badRanges is a device with a range that cannot be read or written.
func (g *guest) badRanges() {
	g.often("dm-error, dm-flakey", "EIO on a range: run invalid, named", g.badRange)
}

// badRange breaks two halves of a MiB of the region that a run writes to, while
// it does: one by dm-error, one by a dm-flakey that is never up.
func (g *guest) badRange(int) error {
	m, err := g.through()
	if err != nil {
		return err
	}
	r, err := g.begin(m.path, "1s")
	if err != nil {
		return err
	}
	r.moment()
	disk := g.disks["faulty"]
	sectors, err := sizeOf(disk)
	if err != nil {
		return err
	}
	const half = 1024
	at := 8 * (1 + rand.Uint64N(sectors/16-2*half))
	flaky, after := at+half, at+2*half
	err = m.load(extent{0, at, "linear", disk + " 0"},
		extent{at, half, "error", ""}, extent{flaky, half, "flakey", fmt.Sprintf("%s %d 0 3600", disk, flaky)},
		extent{after, sectors - after, "linear", fmt.Sprintf("%s %d", disk, after)})
	if err != nil {
		return err
	}
	code := r.wait()
	if err := wants(5, "input/output error", code, r.said()); err != nil {
		return err
	}
	if _, err := r.kept(); err != nil {
		return err
	}
	if _, err := g.through(); err != nil { // a bad range takes deletes from the whole device
		return err
	}
	return r.back()
}

func (g *guest) sleep() {
	g.often("virtio", "suspended: trial invalid, measured on", g.suspended)
}

// suspended puts the machine to sleep for two seconds in the middle of a run.
func (g *guest) suspended(int) error {
	r, err := g.begin(g.disks["virtio"], "3s")
	if err != nil {
		return err
	}
	if err := r.awaitWrites(); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond) // beyond the warm-up, in which it may sleep
	r.moment()
	// The host wakes it: an alarm may go off before a busy machine is asleep.
	if err := g.ask("wake"); err != nil {
		return err
	}
	if err := os.WriteFile("/sys/power/state", []byte("mem"), 0); err != nil {
		return err
	}
	code := r.wait()
	if err := measured(code, r.said()); err != nil {
		return err
	}
	all, err := r.kept()
	if err != nil {
		return err
	}
	found := ""
	for _, t := range all {
		for _, f := range t.Findings {
			if f.Code == "suspended" && f.Fatal {
				return r.back()
			}
			found += fmt.Sprintf("%d %s: %s; ", t.Index, t.Status, f.Text)
		}
	}
	return fmt.Errorf("no trial says that the machine slept: %s", found)
}
