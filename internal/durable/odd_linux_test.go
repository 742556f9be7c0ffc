package durable

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is neither waited for nor read.
func TestOddFiles(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	endless := filepath.Join(t.TempDir(), "endless")
	if err := os.Symlink("/dev/zero", endless); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fifo, endless} {
		if _, err := ReadFile(OS{}, name); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := OpenLog(OS{}, name, 0o600); err == nil {
			t.Errorf("%s: opened for appending", name)
		}
	}
}
