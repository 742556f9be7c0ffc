package device

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Scratch is a throw-away target that iosweep made itself: it is empty, needs
// no typed id, and is gone after Close.
type Scratch struct {
	Claim
	// Note says what it is and why, for people.
	Note string
	// remove undoes what closing the file does not; nil: nothing.
	remove func() error
}

// Close gives the target up and removes it. It is safe to call twice.
func (s *Scratch) Close() error {
	err := s.Claim.Close()
	if s.remove == nil {
		return err
	}
	remove := s.remove
	s.remove = nil
	if rerr := remove(); rerr != nil {
		return rerr
	}
	return err
}

// scratchAlign is what the size of a scratch target is a multiple of.
const scratchAlign = 1 << 20

// NewScratch makes a throw-away target of sizeBytes, a multiple of 1 MiB, in
// dir (empty: the system's directory for temporary files). As root on Linux it
// is a loop device, and on FreeBSD, unless dir is named, a memory disk: these
// have the kernel's knobs. Elsewhere it is a file. A file's space is allocated
// at once, so that it cannot run out in a run, and it has no name, so that
// nothing is left of it however the process ends. NewScratch first removes what
// earlier processes that were killed left behind (CleanStale).
func NewScratch(ctx context.Context, sizeBytes int64, dir string) (*Scratch, error) {
	if sizeBytes <= 0 || sizeBytes%scratchAlign != 0 {
		return nil, fmt.Errorf("make scratch target: %d bytes is not a multiple of 1 MiB above 0", sizeBytes)
	}
	asked := dir != ""
	if !asked {
		dir = os.TempDir()
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("make scratch target: %w", err)
	}
	if err := checkSpace(dir, sizeBytes); err != nil {
		return nil, err
	}
	return newScratch(ctx, sizeBytes, dir, asked)
}

// scratchFile is a file without a name, with its space allocated. Path is what
// the kernel calls it, or on systems that keep names of open files its name.
type scratchFile struct {
	*os.File
	path string
}

// createScratchFile makes the file; a process that is killed at any time leaves
// none where the system has files that never had a name.
func createScratchFile(dir string, sizeBytes int64) (*scratchFile, error) {
	f, path, err := createUnnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("make scratch target in %s: %w; give another directory with --scratch-dir", dir, err)
	}
	s := &scratchFile{File: f, path: path}
	if err := allocate(f, sizeBytes); err != nil {
		s.discard()
		return nil, fmt.Errorf("make scratch target: allocate %d MiB in %s: %w; free some space, or give another directory with --scratch-dir", sizeBytes>>20, dir, err)
	}
	return s, nil
}

// createNamed makes a file and takes its name away at once where the system
// allows that.
func createNamed(dir string) (*os.File, string, error) {
	f, err := os.CreateTemp(dir, "iosweep-scratch-")
	if err != nil {
		return nil, "", err
	}
	os.Remove(f.Name()) // Windows refuses; discard removes it then
	return f, f.Name(), nil
}

func (s *scratchFile) discard() error {
	err := s.File.Close()
	if s.named() {
		return os.Remove(s.path)
	}
	return err
}

// named says that the file still has its name.
func (s *scratchFile) named() bool {
	_, err := os.Lstat(s.path)
	return err == nil
}

// newFileScratch makes a scratch target of a file; why says why it is not a
// loop device.
func newFileScratch(sizeBytes int64, dir, why string) (*Scratch, error) {
	f, err := createScratchFile(dir, sizeBytes)
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("scratch file of %d MiB in %s (%s)", sizeBytes>>20, dir, why)
	if err := bypassCache(f.File); err != nil {
		note += fmt.Sprintf("; through the page cache, as direct I/O does not work there: %v", err)
	}
	limits := openLimits(f.File)
	i := Info{
		Name: "scratch file", Path: f.path, ID: f.path, lockID: f.path, Kind: kindFile,
		SizeBytes: sizeBytes, LogicalBlockBytes: limits.directBytes, Writable: true,
		DeleteGranularityBytes: limits.deleteBytes,
	}
	if limits.deleteBytes > 0 {
		i.DeleteMaxBytes = sizeBytes
	}
	if m, ok := holding(parseMountinfo(tree{hostRoot}.selfMounts()), f.path); ok {
		i.Backing = fmt.Sprintf("on %s (%s)", m.fsType, m.source)
	}
	s := &Scratch{Claim: Claim{Info: i, File: f.File}, Note: note}
	if f.named() {
		s.remove = func() error { return os.Remove(f.path) }
	}
	return s, nil
}
