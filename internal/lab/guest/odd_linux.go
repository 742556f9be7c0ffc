package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// odd are devices as they come: sectors that no kernel can use, a disk that was
// write-protected, two paths to one disk.
func (g *guest) odd() {
	g.row("nvme-520", "sectors of 520 bytes: refused in words", g.oddSectors())
	g.row("scsi_debug", "write-protected: refused in words", g.writeProtected())
	g.row("twin-a, twin-b", "two paths to one disk: refused, dm-multipath over them: measured", g.paths())
}

// oddSectors is a disk that the kernel shows with no capacity.
func (g *guest) oddSectors() error {
	path := g.disks["nvme-520"]
	if path == "" {
		return errors.New("the device is not there")
	}
	code, out := iosweep("run", writeProfile(8), "--target", path, "--destroy", "any", "--out", "/tmp/never")
	return wants(7, "no usable capacity", code, out)
}

func (g *guest) writeProtected() error {
	const protect = "/sys/module/scsi_debug/parameters/wp"
	path := g.disks["scsi_debug"]
	rescan := filepath.Join("/sys/block", filepath.Base(path), "device/rescan")
	set := func(value string) error {
		return errors.Join(os.WriteFile(protect, []byte(value), 0), os.WriteFile(rescan, []byte("1"), 0))
	}
	if err := set("1"); err != nil {
		return err
	}
	return errors.Join(refusedAs(path, "read-only"), set("0"))
}

// paths are two to one disk: each is refused, for neither says which disk it is,
// and the device over both is measured. Its paths are in use then.
func (g *guest) paths() error {
	a, b := g.disks["twin-a"], g.disks["twin-b"]
	for path, other := range map[string]string{a: b, b: a} {
		if err := refusedAs(path, "the same id as "+filepath.Base(other)); err != nil {
			return err
		}
	}
	sectors, err := sizeOf(a)
	if err != nil {
		return err
	}
	both, err := newMapped("both", extent{0, sectors, "multipath", fmt.Sprintf("0 0 1 1 round-robin 0 2 1 %s 1 %s 1", a, b)})
	if err != nil {
		return err
	}
	info, err := listed(both.path)
	if err != nil {
		return err
	}
	before := settings(both.path)
	code, out := iosweep("run", writeProfile(8), "--target", both.path, "--destroy", info.ID, "--out", "/tmp/run/both", "--no-report")
	return errors.Join(measured(code, out), differ(before, settings(both.path)), refusedAs(a, "in use"))
}

// refusedAs says what is wrong with how a run on a device is refused.
func refusedAs(path, says string) error {
	info, err := listed(path)
	if err != nil {
		return err
	}
	code, out := iosweep("run", writeProfile(8), "--target", path, "--destroy", info.ID, "--out", "/tmp/never")
	return wants(7, says, code, out)
}
