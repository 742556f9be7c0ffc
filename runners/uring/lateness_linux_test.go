package uring

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// lateness runs a job with even gaps and returns the 99th percentile, in seconds,
// of how long after they were due its operations came to the block layer: by the
// kernel's own word, so that it can be had of any program in the same way. What
// came earliest against its turn counts as in time.
func lateness(t testing.TB, job benchJob, program func()) float64 {
	times := queued(t, job.Path, program)
	if len(times) == 0 {
		t.Fatalf("%s: the kernel saw no operations", job.Name)
	}
	slices.Sort(times)
	for k := range times {
		times[k] -= float64(k) / job.Rate
	}
	slices.Sort(times)
	return times[len(times)*99/100] - times[0]
}

// queued gives the times, in seconds, at which operations on the device were
// queued while program ran.
func queued(t testing.TB, path string, program func()) (times []float64) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := unix.Mount("tracefs", dir, "tracefs", 0, ""); err != nil {
		t.Skip("needs tracing in the kernel: ", err)
	}
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	set := func(name, value string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	instance := filepath.Join("instances", "iosweep-bench-"+strconv.Itoa(os.Getpid()))
	if err := os.Mkdir(filepath.Join(dir, instance), 0o700); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(filepath.Join(dir, instance))
	event := filepath.Join(instance, "events/block/block_bio_queue")
	// The kernel's own device number: 20 bits of minor.
	set(filepath.Join(event, "filter"), fmt.Sprint("dev == ", unix.Major(st.Rdev)<<20|unix.Minor(st.Rdev)))
	set(filepath.Join(instance, "trace_clock"), "mono")
	set(filepath.Join(instance, "buffer_size_kb"), "32768")
	set(filepath.Join(event, "enable"), "1")
	program()
	set(filepath.Join(event, "enable"), "0")
	text, err := os.ReadFile(filepath.Join(dir, instance, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if at, ok := stamp(line); ok {
			times = append(times, at)
		}
	}
	return times
}

// stamp is the time in a line such as
// " fio-77 [001] ..... 1234.567890: block_bio_queue: 7,9 R 8 + 8 [fio]".
func stamp(line []byte) (float64, bool) {
	before, _, found := bytes.Cut(line, []byte(": block_bio_queue:"))
	if !found {
		return 0, false
	}
	at, err := strconv.ParseFloat(string(before[bytes.LastIndexByte(before, ' ')+1:]), 64)
	return at, err == nil
}

func TestStamp(t *testing.T) {
	line := []byte("             fio-77      [001] .....  1234.567890: block_bio_queue: 7,9 R 8 + 8 [fio]\n")
	if at, ok := stamp(line); !ok || at != 1234.56789 {
		t.Errorf("%v, %v", at, ok)
	}
	if _, ok := stamp([]byte("# tracer: nop\n")); ok {
		t.Error("a comment has a time")
	}
}
