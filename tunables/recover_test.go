package tunables

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/iosweep/iosweep/internal/durable"
	"github.com/iosweep/iosweep/tunables/journal"
)

// die leaves the bench as a killed process does.
func (b *bench) die(pairs ...string) {
	b.t.Helper()
	h := b.host()
	b.apply(h, pairs...)
	h.Close()
}

func TestPendingBlocksApply(t *testing.T) {
	b := newBench(t)
	b.die("nomerges", "2")
	_, err := b.host().Apply(context.Background(), settings(t, "nomerges", "1"))
	if !errors.Is(err, ErrPending) || !strings.Contains(err.Error(), "iosweep restore") || !strings.Contains(err.Error(), "nomerges") {
		t.Errorf("Apply = %v", err)
	}
}

func TestRecoverNothing(t *testing.T) {
	b := newBench(t)
	r, err := Recover(context.Background(), b.options())
	if err != nil || len(r.Restored)+len(r.Skipped)+len(r.Drifted)+len(r.Notes) != 0 {
		t.Errorf("Recover = %+v, %v", r, err)
	}
}

// A boot that could not be told when the journal was written, or now, may be
// this one: what was changed is put back.
func TestRecoverUnknownBoot(t *testing.T) {
	for _, boots := range [][2]string{{"", "boot 1"}, {"boot 1", ""}} {
		b := newBench(t)
		before := maps.Clone(b.knobs.values)
		in := func(boot string) *Host {
			h := b.host()
			h.o.BootID = boot // NewHost would ask this machine
			return h
		}
		dying := in(boots[0])
		b.apply(dying, "nomerges", "2")
		dying.Close()
		if r, err := in(boots[1]).Recover(context.Background()); err != nil || len(r.Restored) != 1 {
			t.Errorf("%q then %q: %+v, %v", boots[0], boots[1], r, err)
		}
		b.mustHold(before)
	}
}

func TestRecoverAfterReboot(t *testing.T) {
	b := newBench(t)
	b.die("nomerges", "2")
	b.boot = "boot 2"
	b.knobs.values["queue/nomerges"] = "1" // whoever set it after the boot meant it
	before := maps.Clone(b.knobs.values)
	r, err := Recover(context.Background(), b.options())
	if err != nil || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "started anew") {
		t.Errorf("Recover = %+v, %v", r, err)
	}
	b.mustHold(before)
}

func TestRecoverRefusesOtherHostAndDevice(t *testing.T) {
	b := newBench(t)
	before := maps.Clone(b.knobs.values)
	b.die("nomerges", "2")
	o := b.options()
	o.Hostname = "elsewhere"
	_, err := Recover(context.Background(), o)
	if !errors.Is(err, ErrOtherHost) || b.knobs.values["queue/nomerges"] != "2" {
		t.Errorf("on another host: %v", err)
	}
	text, _ := b.journalText()
	o = b.options()
	o.Device.ID = "serial/2"
	b.fs.Put(filepath.Join(b.dir, o.Device.key()+".journal"), text) // as if it were its own
	if _, err := Recover(context.Background(), o); !errors.Is(err, ErrRefused) || b.knobs.values["queue/nomerges"] != "2" {
		t.Errorf("on another device: %v", err)
	}
	if err := recoverOnce(b); err != nil {
		t.Fatal(err)
	}
	b.mustHold(before)
}

// A damaged journal leads to no write at all, until --force asks for what is
// whole in it.
func TestRecoverDamaged(t *testing.T) {
	b := newBench(t)
	before := maps.Clone(b.knobs.values)
	b.die("nomerges", "2")
	text, _ := b.journalText()
	b.fs.Put(filepath.Join(b.dir, b.options().Device.key()+".journal"), text+"{}\n")
	_, err := Recover(context.Background(), b.options())
	if !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), "--force") || b.knobs.values["queue/nomerges"] != "2" {
		t.Errorf("Recover = %v", err)
	}
	h := b.host()
	if _, err := h.Apply(context.Background(), settings(t, "nomerges", "1")); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("Apply = %v", err)
	}
	h.Close()
	o := b.options()
	o.Force = true
	r, err := Recover(context.Background(), o)
	if err != nil || len(r.Notes) != 1 {
		t.Fatalf("with force: %+v, %v", r, err)
	}
	b.mustHold(before)
}

// One knob that cannot be put back does not hold the others.
func TestRecoverDoesWhatItCan(t *testing.T) {
	b := newBench(t)
	b.die("nomerges", "2", "wbt_lat_usec", "5")
	b.knobs.refuse = func(path string) error {
		if path == "queue/nomerges" {
			return syscall.EINVAL
		}
		return nil
	}
	if err := recoverOnce(b); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("Recover = %v", err)
	}
	if b.knobs.values["queue/wbt_lat_usec"] != "777" {
		t.Errorf("knobs are %v", b.knobs.values)
	}
	if _, there := b.journalText(); !there {
		t.Error("the journal is gone")
	}
}

func TestJournals(t *testing.T) {
	dir := t.TempDir()
	if left, err := Journals(filepath.Join(dir, "none")); len(left) != 0 || err != nil {
		t.Errorf("no directory: %v, %v", left, err)
	}
	b := newBench(t)
	b.die("nomerges", "2")
	text, _ := b.journalText()
	for name, content := range map[string]string{
		"a.journal": text, "b.journal": text + "{}\n", "c.journal": "{}\n", "d.lock": "", "e.journal": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left, err := Journals(dir)
	if err != nil || len(left) != 3 {
		t.Fatalf("Journals = %+v, %v", left, err)
	}
	for i, want := range []Left{
		{Device: Identity{ID: "serial/1", Name: "sdx", DevNum: "8:0"}},
		{Device: Identity{ID: "serial/1", Name: "sdx", DevNum: "8:0"}, Err: journal.ErrCorrupt},
		{Err: journal.ErrCorrupt},
	} {
		got := left[i]
		if got.Device != want.Device || !errors.Is(got.Err, want.Err) || got.Live {
			t.Errorf("journal %d is %+v", i, got)
		}
	}
	lock, err := durable.NewLock(filepath.Join(dir, "a.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if left, _ := Journals(dir); !left[0].Live || left[1].Live {
		t.Errorf("with a live run: %+v", left)
	}
}
