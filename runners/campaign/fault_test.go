package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/tunables"
	"github.com/iosweep/iosweep/workloads"
)

// faulty is an engine and a queue on a virtual clock. Each operation takes 1 ms
// until the fault comes.
type faulty struct {
	now  time.Duration
	held []runners.Completion
	open func()
	// reap is called before each Reap, at the queue's time.
	reap func(now time.Duration)
	// stuckAfter is from when on nothing comes back; 0: never.
	stuckAfter time.Duration
	fail       func(op workloads.Op) error
	// knob is the file of the knob under test; meter counts, where it is set.
	// inert is why the knob cannot act.
	knob  string
	inert map[string]string
	meter Meter
	// abandon is the campaign's; closed counts Close.
	abandon <-chan struct{}
	closed  int
}

func (f *faulty) Name() string           { return "faulty" }
func (f *faulty) Probe() error           { return nil }
func (f *faulty) Elapsed() time.Duration { return f.now }
func (f *faulty) Close() error           { f.closed++; return nil }

func (f *faulty) Open(context.Context, runners.Target, runners.Options) (runners.Queue, error) {
	if f.open != nil {
		f.open()
	}
	return f, nil
}

func (f *faulty) Submit(ops []workloads.Op) (int, error) {
	for _, op := range ops {
		c := runners.Completion{Op: op, Issued: f.now, Done: f.now + time.Millisecond, N: op.Len}
		if f.fail != nil {
			c.Err = f.fail(op)
		}
		f.held = append(f.held, c)
	}
	return len(ops), nil
}

func (f *faulty) Reap(dst []runners.Completion, _ int, until time.Duration) (int, error) {
	if f.reap != nil {
		f.reap(f.now)
	}
	if f.stuckAfter > 0 && f.now >= f.stuckAfter || len(f.held) == 0 {
		f.now = max(until, f.now+time.Millisecond)
		return 0, nil
	}
	f.now += time.Millisecond
	n := copy(dst, f.held)
	f.held = f.held[n:]
	for i := range n {
		dst[i].Done = f.now
	}
	return n, nil
}

// knobTree is a sysfs of one device, whose max_sectors_kb is 512.
func knobTree(t *testing.T, inert map[string]string) (*tunables.Host, string) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "sys/block/nvme9n9")
	if err := os.MkdirAll(filepath.Join(dir, "queue"), 0o700); err != nil {
		t.Fatal(err)
	}
	knob := filepath.Join(dir, "queue/max_sectors_kb")
	if err := os.WriteFile(knob, []byte("512\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	host, err := tunables.NewHost(tunables.HostOptions{Root: root, StateDir: t.TempDir(), OS: "linux", BootID: "b", Hostname: "h", Inert: inert,
		Device: tunables.Identity{ID: "wwn-1", Name: "nvme9n9", Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	return host, knob
}

const knobProfile = `
schema: 1
name: faults
title: A knob under faults
about: what becomes of the knob
tunables:
  - {name: max_sectors_kb, values: [64, 128, 256], via: kernel, why: to see whether it comes back}
workloads:
  - name: reads
    why: something to do
    jobs: [{name: read, access: random, size: 4KiB, depth: 4}]
measure: {duration: 1s, repeats: 1, seed: 5}
`

// underFault measures knobProfile with an engine that fails, and returns what
// was stored and the knob's value afterwards.
func underFault(t *testing.T, e *faulty, ctx context.Context) ([]results.Trial, Outcome, string, error) {
	t.Helper()
	p, err := profiles.Parse("test.yaml", []byte(knobProfile))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	host, knob := knobTree(t, e.inert)
	e.knob = knob
	kept := &shelf{}
	c := Campaign{Plan: plan, Engine: e, Store: kept, Knobs: host, Meter: e.meter, Abandon: e.abandon,
		Target: runners.Target{Name: "nvme9n9", SizeBytes: 1 << 30, BlockBytes: 512, Writable: true, Device: true}}
	o, err := c.Run(ctx)
	value, readErr := os.ReadFile(knob)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if left, pendErr := host.Pending(); pendErr != nil || len(left) > 0 {
		t.Errorf("the journal holds %v, %v", left, pendErr)
	}
	return kept.trials, o, strings.TrimSpace(string(value)), err
}

// Whatever happens below the campaign, the knob is back, the fault is named and
// the trial is stored as failed.
func TestFaultsBelow(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs Linux's paths, which this machine lacks")
	}
	boom := func(now time.Duration) {
		if now > 100*time.Millisecond {
			panic("boom")
		}
	}
	for name, tt := range map[string]struct {
		engine *faulty
		is     error
		says   string
		code   string
		trials int
	}{
		"panic when opened":    {&faulty{open: func() { panic("boom") }}, ErrPanic, "boom", "panic", 1},
		"panic in the loop":    {&faulty{reap: boom}, ErrPanic, "boom", "panic", 1},
		"stuck at once":        {&faulty{stuckAfter: 1}, ErrTarget, "nvme9n9 does not answer", "target_stuck", 1},
		"stuck in the window":  {&faulty{stuckAfter: 500 * time.Millisecond}, runners.ErrStuck, "did not come back", "target_stuck", 1},
		"removed":              {&faulty{fail: func(op workloads.Op) error { return syscall.ENODEV }}, ErrTarget, "gone", "target_lost", 1},
		"removed, all fails":   {&faulty{fail: eio, reap: slowly, meter: &vanishing{}}, ErrTarget, "was removed", "target_lost", 1},
		"removed, no answer":   {&faulty{stuckAfter: 1, reap: slowly, meter: &vanishing{}}, ErrTarget, "was removed", "target_lost", 1},
		"errors on some range": {&faulty{fail: badRange}, nil, "", "io_errors", 6}, // each is tried twice
	} {
		t.Run(name, func(t *testing.T) {
			trials, o, knob, err := underFault(t, tt.engine, t.Context())
			if knob != "512" {
				t.Errorf("the knob holds %s, want 512", knob)
			}
			if (tt.is == nil) != (err == nil) || tt.is != nil && !errors.Is(err, tt.is) || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %v saying %q", err, tt.is, tt.says)
			}
			if len(trials) != tt.trials || !has(trials[0], tt.code) || trials[0].Status == results.Valid || o.Valid > 0 {
				t.Errorf("%d trials, outcome %+v, first %s %v; want %d with %s", len(trials), o, trials[0].Status, trials[0].Findings, tt.trials, tt.code)
			}
		})
	}
}

// vanishing is the counters of a device that is removed in the trial.
type vanishing struct{ reads atomic.Int64 }

func (v *vanishing) Read() (results.Counters, error) {
	if v.reads.Add(1) > 2 { // before the trial, and when its window opens
		return results.Counters{}, fmt.Errorf("read counters: %w", fs.ErrNotExist)
	}
	return results.Counters{}, nil
}

func eio(workloads.Op) error { return syscall.EIO }

// slowly lets real time pass, so that the removal comes before the end.
func slowly(time.Duration) { time.Sleep(20 * time.Millisecond) }

// badRange fails what touches the second half of the target.
func badRange(op workloads.Op) error {
	if op.Off >= 1<<29 {
		return fmt.Errorf("read: %w", syscall.EIO)
	}
	return nil
}

// TestInterruptedByContext stops a trial halfway: it is kept as interrupted.
func TestInterruptedByContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := &faulty{reap: func(now time.Duration) {
		if now > 300*time.Millisecond {
			cancel()
		}
	}}
	trials, _, knob, err := underFault(t, e, ctx)
	if !errors.Is(err, context.Canceled) || knob != "512" || len(trials) != 1 || trials[0].Status != results.Interrupted {
		t.Errorf("error %v, knob %s, trials %+v", err, knob, trials)
	}
}

// TestAbandoned gives up a device that holds on to a trial's last operations:
// the trial is kept as interrupted, names them, and the knob is back.
func TestAbandoned(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan struct{})
	close(given)
	e := &faulty{stuckAfter: 200 * time.Millisecond, abandon: given, reap: func(now time.Duration) {
		if now > 300*time.Millisecond {
			cancel()
		}
	}}
	trials, _, knob, err := underFault(t, e, ctx)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, runners.ErrStuck) || !strings.Contains(fmt.Sprint(err), "4 operations were given up") {
		t.Errorf("error %v, want the operations that were given up", err)
	}
	if knob != "512" || len(trials) != 1 || trials[0].Status != results.Interrupted {
		t.Errorf("knob %s, trials %+v", knob, trials)
	}
	if e.closed > 0 {
		t.Error("the queue was closed, which waits for the device once more")
	}
}

// A machine that slept is known by its uptime, which our clock does not follow.
func TestAsleep(t *testing.T) {
	for _, tt := range []struct{ before, after, elapsed, want time.Duration }{
		{10 * time.Second, 15 * time.Second, 5 * time.Second, 0},
		{10 * time.Second, 15 * time.Second, 4900 * time.Millisecond, 0},
		{10 * time.Second, time.Hour, 5 * time.Second, time.Hour - 15*time.Second},
		{0, time.Hour, time.Second, 0}, {time.Hour, 0, time.Second, 0},
	} {
		if got := (usage{up: tt.after}).asleep(usage{up: tt.before}, tt.elapsed); got != tt.want {
			t.Errorf("from %v to %v in %v: asleep %v, want %v", tt.before, tt.after, tt.elapsed, got, tt.want)
		}
	}
}

// A daemon that puts a knob back in the middle of a trial makes it invalid.
func TestKnobPutBackByOthers(t *testing.T) {
	e := &faulty{}
	e.reap = func(now time.Duration) {
		if now > 500*time.Millisecond {
			os.WriteFile(e.knob, []byte("512\n"), 0o600)
		}
	}
	trials, o, knob, err := underFault(t, e, t.Context())
	if err != nil || knob != "512" || o.Valid > 0 || !has(trials[0], "drift") || trials[0].Settings[0].After != "512" {
		t.Errorf("error %v, knob %s, outcome %+v, first %+v", err, knob, o, trials[0].Findings)
	}
}

// counted is a device that counts nothing, as one whose cache takes everything.
type counted struct{}

func (counted) Read() (results.Counters, error) { return results.Counters{Source: "test"}, nil }

// A knob that cannot act on the device is said so in each trial.
func TestInertKnobIsSaid(t *testing.T) {
	trials, o, _, err := underFault(t, &faulty{inert: map[string]string{"max_sectors_kb": "it cannot act"}}, t.Context())
	if err != nil || o.Valid != 3 {
		t.Fatalf("error %v, outcome %+v", err, o)
	}
	for _, trial := range trials {
		if !has(trial, "no_effect_expected") {
			t.Errorf("trial %d: %+v", trial.Index, trial.Findings)
		}
	}
}

// unsized counts requests and not their bytes.
type unsized struct{ n *int64 }

func (u unsized) Read() (c results.Counters, err error) {
	*u.n += 100
	c.Read.Requests, c.Write.Requests = *u.n, *u.n
	return c, nil
}

// A system that counts no bytes of a device proves nothing against its I/O.
func TestUncountedBytesAreSaid(t *testing.T) {
	trials, o, _, err := underFault(t, &faulty{meter: unsized{new(int64)}}, t.Context())
	if err != nil || o.Valid == 0 || !has(trials[0], "bytes_uncounted") {
		t.Errorf("error %v, outcome %+v, first %+v", err, o, trials[0].Findings)
	}
}

// Direct I/O that was buffered in silence shows in the device's own counters.
func TestBufferedIsFound(t *testing.T) {
	trials, o, _, err := underFault(t, &faulty{meter: counted{}}, t.Context())
	if err != nil || o.Valid > 0 || !has(trials[0], "counters_differ") {
		t.Errorf("error %v, outcome %+v, first %+v", err, o, trials[0].Findings)
	}
}
