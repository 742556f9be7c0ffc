package tunables

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func (b *bench) apply(h *Host, pairs ...string) *Lease {
	b.t.Helper()
	lease, err := h.Apply(context.Background(), settings(b.t, pairs...))
	if err != nil {
		b.t.Fatal(err)
	}
	return lease
}

func TestApplyReadsBack(t *testing.T) {
	b := newBench(t)
	before := maps.Clone(b.knobs.values)
	lease := b.apply(b.host(), "fifo_batch", "3", "nr_requests", "3", "scheduler", "mq-deadline", "max_sectors_kb", "99999999", "nomerges", "0")
	want := []Applied{
		{"scheduler", "sysfs:queue/scheduler", "kyber", "mq-deadline", "mq-deadline", "", ""},
		{"fifo_batch", "sysfs:queue/iosched/fifo_batch", "16", "3", "3", "", ""},
		{"nr_requests", "sysfs:queue/nr_requests", "100", "3", "4", "asked 3, the kernel made it 4", ""},
		{"max_sectors_kb", "sysfs:queue/max_sectors_kb", "512", "99999999", "1280", "asked 99999999, the kernel made it 1280", ""},
		{"nomerges", "sysfs:queue/nomerges", "0", "0", "0", "", ""},
	}
	if got := lease.Settings(); !slices.Equal(got, want) {
		t.Errorf("settings are\n%v, want\n%v", got, want)
	}
	if text, _ := b.journalText(); strings.Contains(text, "nomerges") {
		t.Error("a value that was there already was written")
	}
	if drifts, err := lease.Check(context.Background()); len(drifts) != 0 || err != nil {
		t.Errorf("Check = %v, %v", drifts, err)
	}
	for range 2 {
		if err := lease.Restore(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	b.mustHold(before)
}

func TestNothingToApply(t *testing.T) {
	b := newBench(t)
	s := settings(t, "delete_max_sectors", "8", "bioq_batchsize", "1")
	s[1].Via = Stack
	lease, err := b.host().Apply(context.Background(), s)
	if err != nil || len(lease.Settings()) != 0 {
		t.Fatalf("Apply of what acts in the stack = %v, %v", lease, err)
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Error(err)
	}
}

// Whatever is refused is refused before anything is touched or written down.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		pairs []string
		prep  func(*bench)
		is    error
		says  string
	}{
		"deletes off":          {[]string{"nomerges", "1", "discard_max_bytes", "0"}, nil, ErrRefused, "cannot be undone"},
		"deletes off, address": {[]string{"sysfs:queue/discard_max_bytes", "0"}, nil, ErrRefused, "cannot be undone"},
		"misaligned chunk":     {[]string{"nomerges", "1", "discard_max_bytes", "5000"}, nil, ErrUnsupported, "4096"},
		"no way back": {[]string{"nomerges", "1", "discard_max_bytes", "8192"},
			func(b *bench) { b.knobs.values["queue/discard_max_bytes"] = "4294966784" }, ErrRefused, "4294963200"},
		"no way back above 4 GiB": {[]string{"discard_max_bytes", "8192"},
			func(b *bench) { b.knobs.values["queue/discard_max_bytes"] = "17179869184" }, ErrRefused, "4294963200"},
		"no deletes": {[]string{"discard_max_bytes", "8192"},
			func(b *bench) { b.knobs.values["queue/discard_granularity"] = "0" }, ErrUnsupported, "does not delete"},
		"below the page":         {[]string{"nomerges", "1", "max_sectors_kb", "1"}, nil, ErrUnsupported, "page size"},
		"no such scheduler":      {[]string{"nomerges", "1", "scheduler", "bfq"}, nil, ErrUnsupported, "offers"},
		"no such knob":           {[]string{"nomerges", "1", "rq_affinity", "1"}, nil, ErrUnsupported, "no such knob"},
		"other scheduler's knob": {[]string{"nomerges", "1", "fifo_batch", "1"}, nil, ErrUnsupported, "set scheduler"},
		"read-only":              {[]string{"nomerges", "1", "sysfs:queue/discard_granularity", "1"}, nil, ErrUnsupported, "read-only"},
		"other system":           {[]string{"nomerges", "1", "nda_max_trim", "1"}, nil, ErrUnsupported, "linux"},
		"twice":                  {[]string{"nomerges", "1", "sysfs:queue/nomerges", "2"}, nil, nil, "twice"},
		"command not allowed": {[]string{"nomerges", "1", `command:{"get":["/bin/true"],"set":["/bin/true"]}`, "1"}, nil,
			ErrUnsupported, "--allow-commands"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if c.prep != nil {
				c.prep(b)
			}
			before := maps.Clone(b.knobs.values)
			_, err := b.host().Apply(context.Background(), settings(t, c.pairs...))
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("err = %v, want %v with %q", err, c.is, c.says)
			}
			b.mustHold(before)
		})
	}
}

// A knob whose own value it does not take is not changed at all.
func TestNoWayBackOfUnknownKnob(t *testing.T) {
	b := newBench(t)
	before := maps.Clone(b.knobs.values)
	_, err := b.host().Apply(context.Background(), settings(t, "nomerges", "1", "sysfs:queue/odd", "x"))
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "put back") {
		t.Errorf("err = %v", err)
	}
	b.mustHold(before)
}

func TestScratchIsLeftAtNearestValue(t *testing.T) {
	b := newBench(t)
	b.knobs.values["queue/discard_max_bytes"] = "4294966784"
	o := b.options()
	o.Scratch = true
	h, err := NewHost(o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	lease := b.apply(h, "discard_max_bytes", "4194304")
	if note := lease.Settings()[0].Note; !strings.Contains(note, "4294963200") {
		t.Errorf("note is %q", note)
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := b.knobs.values["queue/discard_max_bytes"]; got != "4294963200" {
		t.Errorf("left at %s", got)
	}
}

func TestCheckFindsDrift(t *testing.T) {
	b := newBench(t)
	lease := b.apply(b.host(), "max_sectors_kb", "64")
	b.knobs.values["queue/max_sectors_kb"] = "512" // as a udev rule does
	drifts, err := lease.Check(context.Background())
	want := Drift{"max_sectors_kb", "sysfs:queue/max_sectors_kb", "64", "512"}
	if err != nil || len(drifts) != 1 || drifts[0] != want {
		t.Errorf("Check = %v, %v", drifts, err)
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Errorf("Restore of what is back already: %v", err)
	}
}

func TestCheckFindsKnobThatLeft(t *testing.T) {
	b := newBench(t)
	lease := b.apply(b.host(), "scheduler", "mq-deadline", "fifo_batch", "1")
	b.knobs.schedule("none")
	drifts, err := lease.Check(context.Background())
	if err != nil || len(drifts) != 2 || drifts[1].Got != missing {
		t.Errorf("Check = %v, %v", drifts, err)
	}
}

// The same host serves FreeBSD's knobs of the whole machine.
func TestSysctlKnobs(t *testing.T) {
	b := newBench(t)
	b.knobs.values = map[string]string{"debug.bioq_batchsize": "128", "kern.geom.dev.delete_max_sectors": "-1"} // 2^64-1 as the kernel's signed quad
	before := maps.Clone(b.knobs.values)
	o := b.options()
	o.OS = "freebsd"
	o.Backends = map[string]Backend{SpaceSysctl: b.knobs}
	h, err := NewHost(o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	lease := b.apply(h, "bioq_batchsize", "-1", "delete_max_sectors", "0")
	if b.knobs.values["debug.bioq_batchsize"] != "-1" || b.knobs.values["kern.geom.dev.delete_max_sectors"] != "0" {
		t.Errorf("knobs are %v", b.knobs.values)
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Fatal(err)
	}
	b.mustHold(before)
}

// What something else has set is left alone, everything else is put back, and
// the journal stays until the operator has decided.
func TestDriftAtRestore(t *testing.T) {
	b := newBench(t)
	before := maps.Clone(b.knobs.values)
	h := b.host()
	lease := b.apply(h, "nomerges", "2", "wbt_lat_usec", "5")
	b.knobs.values["queue/nomerges"] = "1"
	err := lease.Restore(context.Background())
	if !errors.Is(err, ErrDrift) || !strings.Contains(err.Error(), "holds 1") || !strings.Contains(err.Error(), "--force") {
		t.Fatalf("Restore = %v", err)
	}
	if b.knobs.values["queue/nomerges"] != "1" || b.knobs.values["queue/wbt_lat_usec"] != "777" {
		t.Errorf("knobs are %v", b.knobs.values)
	}
	h.Close()
	if left, err := b.host().Pending(); len(left) != 2 || err != nil {
		t.Errorf("Pending = %q, %v", left, err)
	}
	if _, err := Recover(context.Background(), b.options()); !errors.Is(err, ErrDrift) {
		t.Errorf("Recover = %v", err)
	}
	o := b.options()
	o.Force = true
	if _, err := Recover(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	b.mustHold(before)
}

func TestDriftedSchedulerKeepsItsKnobs(t *testing.T) {
	b := newBench(t)
	lease := b.apply(b.host(), "scheduler", "mq-deadline", "fifo_batch", "1")
	b.knobs.schedule("none")
	if err := lease.Restore(context.Background()); !errors.Is(err, ErrDrift) {
		t.Fatalf("Restore = %v", err)
	}
	if b.knobs.values["queue/scheduler"] != "none" || b.knobs.values["queue/nr_requests"] != "100" {
		t.Errorf("knobs are %v", b.knobs.values)
	}
}

func TestCancelledContext(t *testing.T) {
	b := newBench(t)
	before := maps.Clone(b.knobs.values)
	h := b.host()
	lease := b.apply(h, "nomerges", "2")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := lease.Restore(ctx); err != nil {
		t.Fatalf("Restore: %v", err)
	}
	b.mustHold(before)
	if _, err := h.Apply(ctx, settings(t, "nomerges", "2")); !errors.Is(err, context.Canceled) {
		t.Errorf("Apply: %v", err)
	}
	b.mustHold(before)
}

func TestBusyKernelIsTriedAgain(t *testing.T) {
	b := newBench(t)
	lease := b.apply(b.host(), "nomerges", "2")
	refuse := 2
	b.knobs.refuse = func(string) error {
		if refuse--; refuse >= 0 {
			return syscall.EBUSY
		}
		return nil
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Fatal(err)
	}
	if refuse >= 0 || b.knobs.values["queue/nomerges"] != "0" {
		t.Errorf("%d refusals left, knob is %s", refuse, b.knobs.values["queue/nomerges"])
	}
}

func TestOneHostPerDevice(t *testing.T) {
	b := newBench(t)
	first := b.host()
	lease := b.apply(first, "nomerges", "2")
	if _, err := first.Apply(context.Background(), settings(t, "nomerges", "1")); !errors.Is(err, ErrPending) {
		t.Errorf("a second lease: %v", err)
	}
	if _, err := b.host().Apply(context.Background(), settings(t, "nomerges", "1")); !errors.Is(err, ErrBusy) {
		t.Errorf("a second host: %v", err)
	}
	if _, err := Recover(context.Background(), b.options()); !errors.Is(err, ErrBusy) {
		t.Errorf("recovery of a run that is alive: %v", err)
	}
	if b.knobs.values["queue/nomerges"] != "2" {
		t.Errorf("knob is %s", b.knobs.values["queue/nomerges"])
	}
	if err := errors.Join(lease.Restore(context.Background()), first.Close()); err != nil {
		t.Fatal(err)
	}
	b.apply(b.host(), "nomerges", "1")
}

func TestCurrent(t *testing.T) {
	b := newBench(t)
	h := b.host()
	v, err := h.Current(context.Background(), lookup(t, "scheduler"))
	if err != nil || v.Current != "kyber" || !slices.Equal(v.Possible, []string{"none", "mq-deadline", "kyber"}) || !v.Writable {
		t.Errorf("scheduler: %+v, %v", v, err)
	}
	v, err = h.Current(context.Background(), lookup(t, "sysfs:queue/discard_granularity"))
	if err != nil || v.Writable || v.Note == "" {
		t.Errorf("a read-only knob: %+v, %v", v, err)
	}
	if _, err := h.Current(context.Background(), lookup(t, "bioq_batchsize")); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a knob of another system: %v", err)
	}
}

func TestKeysOfDevicesDiffer(t *testing.T) {
	keys := map[string]string{}
	for _, id := range []Identity{{ID: "a/b"}, {ID: "a_b"}, {ID: "../../etc"}, {Name: "a/b"}, {}, {ID: strings.Repeat("x", 500)}} {
		key := id.key()
		if other, ok := keys[key]; ok || len(key) > 60 || strings.ContainsAny(key, "/.") {
			t.Errorf("key of %+v is %q, as of %q", id, key, other)
		}
		keys[key] = id.ID
	}
}

// A device that is stuck keeps the kernel from returning from its knobs. Apply
// gives up, and nothing is written any more: the write may still happen.
func TestHungKnob(t *testing.T) {
	b := newBench(t)
	h := b.host()
	h.o.Patience = 20 * time.Millisecond
	stuck, calls := make(chan struct{}), 0
	b.knobs.refuse = func(path string) error {
		if calls++; path == "queue/nr_requests" {
			<-stuck
		}
		return nil
	}
	_, err := h.Apply(context.Background(), settings(t, "nomerges", "1", "nr_requests", "50"))
	if !errors.Is(err, ErrHung) || !strings.Contains(err.Error(), "nr_requests") {
		t.Errorf("Apply = %v, want ErrHung and the knob's name", err)
	}
	if calls != 2 {
		t.Errorf("%d writes, want the two of Apply and none after it hung", calls)
	}
	if left, err := h.Pending(); err != nil || len(left) != 2 {
		t.Errorf("pending %v, %v; want both changes", left, err)
	}
	close(stuck)
}
