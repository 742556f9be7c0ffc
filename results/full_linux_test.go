package results

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The real thing: a file system that has 64 KiB and no more.
func TestRealDiskFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system; TestDiskFull covers the logic")
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	dir := filepath.Join(disk, "run")
	w, err := Create(dir, aRun())
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	for err == nil {
		if err = w.Append(aTrial(stored, "a")); err == nil {
			stored++
		}
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), filepath.Join(dir, TrialsFile)) {
		t.Errorf("append: %v, want no space left for %s", err, TrialsFile)
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if got := open(t, dir); len(got.Trials) != stored || stored == 0 {
		t.Errorf("%d trials read, %d were stored", len(got.Trials), stored)
	}
	if _, err := Create(filepath.Join(disk, "next"), aRun()); err == nil {
		t.Error("a run was created on a full disk")
	}
}
