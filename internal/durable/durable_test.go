package durable_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/internal/durable"
	"github.com/iosweep/iosweep/internal/durable/durabletest"
)

// crashAt makes every step from the n-th on fail, as after the end of a
// process, and returns a function that tells how many steps were asked for.
func crashAt(fs *durabletest.FS, n int) (steps func() int) {
	count := 0
	fs.Fault = func(durabletest.Op) error {
		count++
		if count > n {
			return errors.New("crashed")
		}
		return nil
	}
	return func() int { return count }
}

func losses() []durabletest.Loss {
	return []durabletest.Loss{durabletest.Nothing, durabletest.Half, durabletest.Everything}
}

// After a crash at any step, whatever it loses, the file is the old or the new
// one; and the new one once WriteFile has returned.
func TestWriteFileIsAtomic(t *testing.T) {
	for _, loss := range losses() {
		for step := 0; ; step++ {
			fs := durabletest.New()
			fs.Put("d/f", "old")
			steps := crashAt(fs, step)
			err := durable.WriteFile(fs, "d/f", []byte("the new one"), 0o600)
			fs.Fault = nil
			fs.Crash(loss)
			got, _ := fs.Text("d/f")
			if got != "old" && got != "the new one" || err == nil && got != "the new one" {
				t.Fatalf("loss %d, step %d: file is %q after %v", loss, step, got, err)
			}
			if err == nil {
				if steps() < 5 {
					t.Fatalf("only %d steps: is something not synced?", steps())
				}
				break
			}
		}
	}
}

// After a crash at any step, the log begins with every record that was taken,
// and what follows is a piece of the next one.
func TestLogKeepsWhatItTook(t *testing.T) {
	records := []string{"first\n", "second\n", "third\n"}
	for _, loss := range losses() {
		for step := 0; step < 12; step++ {
			fs := durabletest.New()
			crashAt(fs, step)
			taken := appendAll(fs, records)
			fs.Fault = nil
			fs.Crash(loss)
			got, _ := fs.Text("d/log")
			kept := ""
			for _, r := range records[:taken] {
				kept += r
			}
			next := ""
			if taken < len(records) {
				next = records[taken]
			}
			if len(got) < len(kept) || got[:len(kept)] != kept || len(got) > len(kept+next) || (kept + next)[:len(got)] != got {
				t.Fatalf("loss %d, step %d: %d records taken, log is %q", loss, step, taken, got)
			}
		}
	}
}

func appendAll(fs durable.FS, records []string) (taken int) {
	log, err := durable.OpenLog(fs, "d/log", 0o600)
	if err != nil {
		return 0
	}
	for _, r := range records {
		if log.Append([]byte(r)) != nil {
			return taken
		}
		taken++
	}
	return taken
}

// A record must never follow half of another.
func TestLogRefusesAfterFailure(t *testing.T) {
	fs := durabletest.New()
	log, err := durable.OpenLog(fs, "d/log", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space")
	fs.Fault = func(op durabletest.Op) error {
		if op.Name == "write" {
			return full
		}
		return nil
	}
	if err := log.Append([]byte("one\n")); !errors.Is(err, full) {
		t.Fatalf("Append = %v", err)
	}
	fs.Fault = nil
	if err := log.Append([]byte("two\n")); !errors.Is(err, full) {
		t.Errorf("Append after a failure = %v", err)
	}
	if got, _ := fs.Text("d/log"); got != "on" {
		t.Errorf("log is %q", got)
	}
}

func TestRemove(t *testing.T) {
	fs := durabletest.New()
	fs.Put("d/f", "x")
	if err := errors.Join(durable.Remove(fs, "d/f"), durable.Remove(fs, "d/f")); err != nil {
		t.Fatal(err)
	}
	fs.Crash(durabletest.Everything)
	if _, ok := fs.Text("d/f"); ok {
		t.Error("a removed file came back")
	}
}

func TestOnDisk(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	for i := range 3 {
		want := fmt.Sprint("content ", i)
		if err := durable.WriteFile(durable.OS{}, name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := durable.ReadFile(durable.OS{}, name)
		if err != nil || string(got) != want {
			t.Fatalf("read %q, %v; want %q", got, err, want)
		}
	}
	if err := durable.Remove(durable.OS{}, name); err != nil {
		t.Fatal(err)
	}
	if _, err := durable.ReadFile(durable.OS{}, name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("read after remove: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := durable.NewLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := durable.NewLock(path); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("second lock = %v, want ErrLocked", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := durable.NewLock(path)
	if err != nil {
		t.Fatalf("lock after it was given up: %v", err)
	}
	again.Close()
}
