package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A working directory that is gone has a parent in every name, and takes nothing.
func TestNoFolderWhereTheWorkingDirectoryIsGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a working directory that can be removed, which this machine lacks")
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if err := makeDirs(filepath.Join("results", "run")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
