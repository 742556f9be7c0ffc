package device

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/iosweep/iosweep/results"
)

// Meter reads what the kernel has counted on a device.
type Meter struct {
	info  Info
	path  string
	paths []string // stat files of an NVMe disk's paths
	begin time.Time
}

// NewMeter makes a meter of a device's own stat file, where a partition has its
// own; on other systems than Linux, of what they count of a whole disk.
func NewMeter(i Info) *Meter {
	path := ""
	if i.SysDir != "" {
		path = filepath.Join(i.SysDir, "stat")
		if i.Disk != "" {
			path = filepath.Join(i.SysDir, i.Name, "stat")
		}
	}
	return &Meter{info: i, path: path, paths: nvmePaths(path), begin: time.Now()}
}

// Read returns the counts since the device appeared; SpanSeconds counts from
// NewMeter, so that Sub gives the real time between two readings. It wraps
// ErrUnsupported where the kernel counts nothing for the target.
func (m *Meter) Read() (results.Counters, error) {
	if m.info.IsFile() {
		return results.Counters{}, fmt.Errorf("read counters of %s: %w: the kernel counts requests of block devices, not of a %s", m.info.Path, ErrUnsupported, m.info.Kind)
	}
	if m.path == "" {
		c, err := systemCounters(m.info)
		c.SpanSeconds = time.Since(m.begin).Seconds()
		return c, err
	}
	// A device without requests of its own (device mapper, md) counts whatever
	// this switch says.
	if t := (tree{m.info.SysDir}); t.has("mq") && t.text("queue/iostats") == "0" {
		return results.Counters{}, fmt.Errorf("read counters of %s: %w: the device's queue/iostats is 0; write 1 to it", m.info.Path, ErrUnsupported)
	}
	c, err := m.counted()
	c.SpanSeconds = time.Since(m.begin).Seconds()
	if err != nil {
		return results.Counters{}, fmt.Errorf("read counters of %s: %w", m.info.Path, err)
	}
	return c, nil
}

// counted reads the device's own counts, and those of its paths where it has
// none: Linux before 6.4 does not count on an NVMe disk with several paths.
func (m *Meter) counted() (results.Counters, error) {
	c, err := readStat(m.path)
	if err != nil || len(m.paths) == 0 || c.Read.Requests+c.Write.Requests+c.Delete.Requests > 0 {
		return c, err
	}
	for _, path := range m.paths {
		one, err := readStat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a path went, the disk is there
		}
		if err != nil {
			return c, err
		}
		c = add(c, one)
	}
	c.Source = strings.Join(m.paths, " ")
	return c, nil
}

func readStat(path string) (results.Counters, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return results.Counters{}, err
	}
	c, err := parseStat(string(text))
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	c.Source = path
	return c, nil
}

// nvmePaths are the stat files of the paths to nvmeSnN, which the kernel names
// nvmeScCnN and hides; none for any other stat file.
func nvmePaths(stat string) []string {
	dir := filepath.Dir(stat)
	subsystem, namespace, ok := strings.Cut(strings.TrimPrefix(filepath.Base(dir), "nvme"), "n")
	if !ok || !strings.HasPrefix(filepath.Base(dir), "nvme") {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "nvme"+subsystem+"c*n"+namespace, "stat"))
	return found
}

// add is what two paths counted together.
func add(a, b results.Counters) results.Counters {
	kind := func(a, b results.CounterKind) results.CounterKind {
		return results.CounterKind{Requests: a.Requests + b.Requests, Merges: a.Merges + b.Merges, Bytes: a.Bytes + b.Bytes}
	}
	return results.Counters{Read: kind(a.Read, b.Read), Write: kind(a.Write, b.Write), Delete: kind(a.Delete, b.Delete), Flush: kind(a.Flush, b.Flush)}
}

// DeleteLimits says what the kernel's counts cannot tell of deletes: why there
// are none at all (empty: there are), and at how many bytes the count of a
// single request starts anew (0: nowhere).
func (m *Meter) DeleteLimits() (uncounted string, wraps int64) {
	if m.path != "" || m.info.IsFile() {
		return "", 0
	}
	return deleteLimits(m.info)
}

// parseStat reads a block device's stat file (Linux Documentation/block/stat):
// 11 words, from 4.18 on 15 with deletes, from 5.5 on 17 with flushes. Sizes
// are in units of 512 bytes.
func parseStat(text string) (results.Counters, error) {
	w := parseWords(text)
	if len(w) < 11 {
		return results.Counters{}, fmt.Errorf("%d numbers found where 11, 15 or 17 are expected", len(w))
	}
	kind := func(at int) results.CounterKind {
		if len(w) < at+4 {
			return results.CounterKind{}
		}
		return results.CounterKind{Requests: w[at], Merges: w[at+1], Bytes: w[at+2] * sectorBytes}
	}
	c := results.Counters{Read: kind(0), Write: kind(4), Delete: kind(11)}
	if len(w) >= 17 {
		c.Flush.Requests = w[15]
	}
	return c, nil
}

// Sub is what was counted from the earlier reading to the later one.
func Sub(later, earlier results.Counters) results.Counters {
	kind := func(a, b results.CounterKind) results.CounterKind {
		return results.CounterKind{
			Requests: a.Requests - b.Requests, Merges: a.Merges - b.Merges, Bytes: a.Bytes - b.Bytes,
			Sizes: a.Sizes,
		}
	}
	return results.Counters{
		Source:      later.Source,
		Read:        kind(later.Read, earlier.Read),
		Write:       kind(later.Write, earlier.Write),
		Delete:      kind(later.Delete, earlier.Delete),
		Flush:       kind(later.Flush, earlier.Flush),
		SpanSeconds: later.SpanSeconds - earlier.SpanSeconds,
	}
}
