//go:build unix

package results

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a FIFO would wait for a writer for ever.
func TestFIFOsAreRefused(t *testing.T) {
	for _, name := range []string{RunFile, TrialsFile, lockName} {
		dir := store(t, small(0))
		os.Remove(filepath.Join(dir, SumsFile))
		os.Remove(filepath.Join(dir, name))
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); (err == nil) != (name == lockName) {
			t.Errorf("open with a FIFO as %s: %v", name, err)
		}
		if _, _, _, err := Resume(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("resume with a FIFO as %s: %v", name, err)
		}
	}
}
