package main

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sums are checksums of the devices that live in the guest's memory, but the
// one at path.
func (g *guest) sums(path string) map[string]uint32 {
	out := map[string]uint32{}
	for _, label := range []string{"nullmem", "nullbare", "nullzone", "scsi_debug"} {
		if g.disks[label] == path {
			continue
		}
		if f, err := os.Open(g.disks[label]); err == nil {
			unix.IoctlSetInt(int(f.Fd()), unix.BLKFLSBUF, 0)
			h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
			io.Copy(h, f)
			out[label] = h.Sum32()
			f.Close()
		}
	}
	return out
}

// untouched compares every device but the claimed one with what it was: those
// in memory here, those with image files on the host.
func (g *guest) untouched(s story, path string, before map[string]uint32) error {
	after := g.sums(path)
	for label, sum := range before {
		if after[label] != sum {
			return fmt.Errorf("%s was written to", label)
		}
	}
	claimed := s.label
	if s.label == "dmdelay" {
		claimed = "under"
	}
	return g.ask("shadow\t%s", claimed)
}

// trace watches the block layer for writes and deletes.
type trace struct {
	devices map[string]bool // by number
	// hidden says that the kernel has paths of its own to the disk, whose
	// numbers it tells nobody.
	hidden bool
}

// allows says whether the claimed device may be written by a number.
func (t trace) allows(number string) bool {
	if t.devices[number] || !t.hidden {
		return t.devices[number]
	}
	_, err := os.Stat("/sys/dev/block/" + strings.Replace(number, ",", ":", 1))
	return err != nil
}

const tracing = "/sys/kernel/tracing"

// startTrace begins to record what drivers are given. A device that passes
// requests on is allowed the one below it.
func startTrace(path string) trace {
	t := trace{devices: map[string]bool{}}
	name := filepath.Base(path)
	names := []string{name}
	if below, err := os.ReadDir(filepath.Join("/sys/block", name, "slaves")); err == nil {
		for _, b := range below {
			names = append(names, b.Name())
		}
	}
	if head, namespace, ok := strings.Cut(name, "n1"); ok && strings.HasPrefix(name, "nvme") && namespace == "" {
		paths, _ := filepath.Glob("/sys/block/" + head + "c*n1")
		t.hidden = len(paths) > 0
	}
	for _, n := range names {
		if text, err := os.ReadFile(filepath.Join("/sys/block", n, "dev")); err == nil {
			t.devices[strings.Replace(strings.TrimSpace(string(text)), ":", ",", 1)] = true
		}
	}
	for file, value := range map[string]string{
		"trace": "", "buffer_size_kb": "8192",
		"events/block/block_rq_issue/filter": stateFilter(),
		"events/block/block_rq_issue/enable": "1",
	} {
		os.WriteFile(filepath.Join(tracing, file), []byte(value), 0)
	}
	return t
}

// stateFilter leaves the disk out that keeps journals and results.
func stateFilter() string {
	var st unix.Stat_t
	if err := unix.Stat("/state", &st); err != nil {
		return "0"
	}
	return fmt.Sprintf("dev != %d", unix.Major(st.Dev)<<20|unix.Minor(st.Dev))
}

// check reads the events: every write and delete must be on the claimed device
// and, since the profile writes to the first half only, in that half.
func (t trace) check(size int64) error {
	os.WriteFile(filepath.Join(tracing, "events/block/block_rq_issue/enable"), []byte("0"), 0)
	text, err := os.ReadFile(filepath.Join(tracing, "trace"))
	if err != nil {
		return err
	}
	seen := 0
	for _, line := range strings.Split(string(text), "\n") {
		_, event, ok := strings.Cut(line, "block_rq_issue: ")
		if !ok {
			continue
		}
		// 254,0 W 4096 () 2048 + 8 [iosweep]
		f := strings.Fields(event)
		if len(f) < 7 || !strings.ContainsAny(f[1], "WD") {
			continue
		}
		start, err1 := strconv.ParseInt(f[4], 10, 64)
		count, err2 := strconv.ParseInt(f[6], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		seen++
		if !t.allows(f[0]) {
			return fmt.Errorf("a write to another device: %s", event)
		}
		if count > 0 && (start+count)*512 > size/2 {
			return fmt.Errorf("a write past the region: %s", event)
		}
	}
	if seen == 0 {
		return fmt.Errorf("no write was seen: the check does not check")
	}
	return nil
}
