package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/iosweep/iosweep/internal/durable"
)

// The files of a run folder.
const (
	RunFile    = "run.json"
	TrialsFile = "trials.jsonl"
	SumsFile   = "SHA256SUMS"
)

// What is read of a folder is bounded, so that a damaged or hostile one costs
// an error and not the memory.
const (
	// MaxRunBytes is the largest run.json, MaxLineBytes the longest line of
	// trials.jsonl without its newline: some hundred times a usual trial.
	MaxRunBytes  = 16 << 20
	MaxLineBytes = 16 << 20
	maxSumsBytes = 64 << 10
)

// Errors of a run folder, for errors.Is.
var (
	// ErrCorrupt: a file is not what Writer writes.
	ErrCorrupt = errors.New("corrupt")
	// ErrNewer: the folder's schema version is newer than SchemaVersion.
	ErrNewer = errors.New("newer schema version")
	// ErrComplete: the run has its SHA256SUMS, so nothing can be added to it.
	ErrComplete = errors.New("run is complete")
	// ErrBroken: an earlier append failed, so the Writer takes no more.
	ErrBroken = errors.New("an earlier append failed")
)

// openRegular opens name in root for reading. os.Root keeps symbolic links from
// leading out of the folder; what is not a regular file is refused before it is
// opened, since opening a FIFO would wait for ever.
func openRegular(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: %w", filepath.Join(root.Name(), name), ErrCorrupt)
	}
	return root.Open(name)
}

// folderFS writes in a run folder, and nowhere else: os.Root keeps it there, and
// a name that is not a regular file is refused, since what a symbolic link
// points to is not the run's.
type folderFS struct{ root *os.Root }

// Open implements durable.FS.
func (f folderFS) Open(name string, flag int, perm os.FileMode) (durable.File, error) {
	file, err := f.open(name, flag, perm)
	if err != nil {
		return nil, err // not file: a nil *os.File is no nil File
	}
	return file, nil
}

func (f folderFS) open(name string, flag int, perm os.FileMode) (*os.File, error) {
	before, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f.root.OpenFile(name, flag|os.O_EXCL, perm)
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.root.Name(), name)
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("write %s: it is not a regular file (%s): remove it, or name another folder", path, before.Mode().Type())
	}
	file, err := f.root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	after, err := file.Stat()
	if err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(fmt.Errorf("write %s: it was replaced while it was being opened", path), file.Close())
	}
	return file, nil
}

// Rename implements durable.FS.
func (f folderFS) Rename(from, to string) error { return f.root.Rename(from, to) }

// Remove implements durable.FS.
func (f folderFS) Remove(name string) error {
	err := f.root.Remove(name)
	if runtime.GOOS == "windows" && errors.Is(err, notImplemented) {
		return os.Remove(filepath.Join(f.root.Name(), name))
	}
	return err
}

// notImplemented is Windows' ERROR_INVALID_FUNCTION, with which Wine answers
// that it cannot remove a file by its folder's handle.
const notImplemented = syscall.Errno(1)

// SyncDir implements durable.FS.
func (f folderFS) SyncDir(dir string) error {
	return durable.OS{}.SyncDir(filepath.Join(f.root.Name(), dir))
}

// makeDirs makes dir and what is missing above it, durably.
func makeDirs(dir string) error {
	parent := filepath.Dir(filepath.Clean(dir))
	switch err := os.Mkdir(dir, 0o755); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist) && parent != dir:
		if err := makeDirs(parent); err != nil {
			return err
		}
		// Where it is still missing, the working directory itself is gone.
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	return durable.OS{}.SyncDir(parent)
}

// readBounded reads the whole of name, or fails when it is longer than limit
// bytes.
func readBounded(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(root.Name(), name), err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("read %s: longer than %d bytes: %w", filepath.Join(root.Name(), name), limit, ErrCorrupt)
	}
	return text, nil
}
