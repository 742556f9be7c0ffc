package device

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScratchSizeIsChecked(t *testing.T) {
	for _, size := range []int64{0, -1, 4096, mebi + 512} {
		if s, err := NewScratch(t.Context(), size, t.TempDir()); err == nil {
			s.Close()
			t.Errorf("%d bytes were accepted", size)
		}
	}
}

func TestScratchFile(t *testing.T) {
	dir := t.TempDir()
	s, err := newFileScratch(4*mebi, dir, "a test")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.Info.IsFile() || s.Info.SizeBytes != 4*mebi || !strings.Contains(s.Note, "a test") {
		t.Errorf("info %+v, note %q", s.Info, s.Note)
	}
	if st, err := s.File.Stat(); err != nil || st.Size() != 4*mebi {
		t.Errorf("the file has %v, err %v", st, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the directory: %v, err %v", left, err)
	}
}

// A regular file as target is written only by its absolute path, and is never
// created.
func TestFileTarget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(path, make([]byte, mebi), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, OpenOptions{Write: true, Destroy: "target"}); err == nil {
		t.Error("writing was granted to a relative path as id")
	}
	c, err := Open(path, OpenOptions{Write: true, Destroy: path, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.File.WriteAt(bytes.Repeat([]byte{7}, 512), 0); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

const mebi = 1 << 20
