package tunables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/iosweep/iosweep/internal/durable/durabletest"
)

// fakeKnobs is a queue in memory that behaves as Linux's does: a scheduler
// brings its own knobs and resets others, numbers are clamped in silence.
type fakeKnobs struct {
	values map[string]string
	// step is asked before each call and after each write.
	step func() error
	// refuse, where it is set, may answer a write with an error.
	refuse func(path string) error
}

func newFakeKnobs() *fakeKnobs {
	return &fakeKnobs{
		values: map[string]string{
			"queue/scheduler": "kyber", "queue/nr_requests": "100", "queue/wbt_lat_usec": "777",
			"queue/iosched/read_lat_nsec": "5000000", "queue/iosched/async_depth": "7",
			"queue/max_sectors_kb": "512", "queue/read_ahead_kb": "300", "queue/nomerges": "0",
			"queue/discard_max_bytes": "4294963200", "queue/discard_granularity": "4096",
			"queue/odd": "shown",
		},
		step: func() error { return nil },
	}
}

func iosched(scheduler string) map[string]string {
	switch scheduler {
	case "mq-deadline":
		return map[string]string{"fifo_batch": "16", "read_expire": "500", "async_depth": "256"}
	case "kyber":
		return map[string]string{"read_lat_nsec": "2000000", "async_depth": "192"}
	}
	return nil
}

func (f *fakeKnobs) Read(_ context.Context, path string) (string, error) {
	if err := f.step(); err != nil {
		return "", err
	}
	value, ok := f.values[path]
	if !ok {
		return "", fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	if path == "queue/scheduler" {
		return strings.Replace("none mq-deadline kyber \n", value, "["+value+"]", 1), nil
	}
	return value + "\n", nil
}

func (f *fakeKnobs) Write(_ context.Context, path, value string) error {
	if err := f.step(); err != nil {
		return err
	}
	if _, ok := f.values[path]; !ok {
		return fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	if f.refuse != nil {
		if err := f.refuse(path); err != nil {
			return err
		}
	}
	if err := f.set(path, value); err != nil {
		return err
	}
	return f.step()
}

func (f *fakeKnobs) set(path, value string) error {
	n, _ := strconv.ParseInt(value, 10, 64)
	switch path {
	case "queue/scheduler":
		f.schedule(value)
		return nil
	case "queue/nr_requests":
		value = strconv.FormatInt(max(n, 4), 10)
		if _, ok := f.values["queue/iosched/async_depth"]; ok {
			f.values["queue/iosched/async_depth"] = value
		}
	case "queue/max_sectors_kb":
		value = strconv.FormatInt(min(n, 1280), 10)
		f.values["queue/read_ahead_kb"] = "2560"
	case "queue/iosched/read_expire", "queue/odd":
		return syscall.EINVAL
	}
	f.values[path] = value
	return nil
}

func (f *fakeKnobs) schedule(name string) {
	if f.values["queue/scheduler"] == name {
		return
	}
	maps.DeleteFunc(f.values, func(path, _ string) bool { return strings.HasPrefix(path, "queue/iosched/") })
	for knob, value := range iosched(name) {
		f.values["queue/iosched/"+knob] = value
	}
	depth := map[string]string{"none": "128", "kyber": "192", "mq-deadline": "256"}[name]
	f.values["queue/scheduler"], f.values["queue/nr_requests"], f.values["queue/wbt_lat_usec"] = name, depth, "2000"
}

func (f *fakeKnobs) Probe(path string) error {
	if err := f.step(); err != nil {
		return err
	}
	if _, ok := f.values[path]; !ok {
		return fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	if path == "queue/discard_granularity" {
		return fs.ErrPermission
	}
	return nil
}

func (f *fakeKnobs) List(dir string) ([]string, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	var paths []string
	for path := range f.values {
		if strings.HasPrefix(path, dir+"/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// bench is a machine for tests: knobs and a journal that outlive the hosts.
type bench struct {
	t     *testing.T
	knobs *fakeKnobs
	fs    *durabletest.FS
	dir   string
	boot  string
}

func newBench(t *testing.T) *bench {
	return &bench{t: t, knobs: newFakeKnobs(), fs: durabletest.New(), dir: t.TempDir(), boot: "boot 1"}
}

func (b *bench) options() HostOptions {
	return HostOptions{StateDir: b.dir, Device: Identity{ID: "serial/1", Name: "sdx", DevNum: "8:0"},
		BootID: b.boot, Hostname: "lab", OS: "linux", FS: b.fs,
		Backends: map[string]Backend{SpaceSysfs: b.knobs}}
}

func (b *bench) host() *Host {
	b.t.Helper()
	h, err := NewHost(b.options())
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { h.Close() })
	return h
}

// journalText is what the journal's file holds, and whether it is there.
func (b *bench) journalText() (string, bool) {
	b.t.Helper()
	return b.fs.Text(b.dir + "/" + b.options().Device.key() + ".journal")
}

// mustHold fails unless the knobs are as want and nothing is pending.
func (b *bench) mustHold(want map[string]string) {
	b.t.Helper()
	if !maps.Equal(b.knobs.values, want) {
		b.t.Fatalf("knobs are\n%v, want\n%v", b.knobs.values, want)
	}
	if text, there := b.journalText(); there {
		b.t.Fatalf("journal stayed:\n%s", text)
	}
}

// settings makes settings of name, value pairs.
func settings(t *testing.T, pairs ...string) []Setting {
	t.Helper()
	var all []Setting
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, Setting{Tunable: lookup(t, pairs[i]), Value: pairs[i+1]})
	}
	return all
}

var errCrashed = errors.New("crashed")

// crashAfter makes every step of the machine from the n-th on fail, as if the
// process had ended there, and returns a function that says whether it did.
func (b *bench) crashAfter(n int) (crashed func() bool) {
	count := 0
	step := func() error {
		count++
		if count > n {
			return errCrashed
		}
		return nil
	}
	b.knobs.step = step
	b.fs.Fault = func(durabletest.Op) error { return step() }
	return func() bool { return count > n }
}

// reboot ends the crash; what was not synced suffers loss.
func (b *bench) revive(loss durabletest.Loss) {
	b.knobs.step, b.fs.Fault = func() error { return nil }, nil
	b.fs.Crash(loss)
}
