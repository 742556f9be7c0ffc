package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// openForWriting opens an existing regular file of the folder, or makes it. A
// symbolic link is refused: what it points to is not the run's.
func openForWriting(root *os.Root, name string) (*os.File, error) {
	path := filepath.Join(root.Name(), name)
	before, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	}
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("write %s: it is not a regular file but %s: remove it, or name another folder", path, before.Mode().Type())
	}
	file, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	after, err := file.Stat()
	if err != nil || !os.SameFile(before, after) {
		file.Close()
		return nil, fmt.Errorf("write %s: it was replaced while it was being opened", path)
	}
	return file, nil
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
