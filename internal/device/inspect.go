package device

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// List describes every block device that has a node, partitions after their
// disk, by name. What cannot be found out of one device is said in its Reason
// and does not hide the others. It wraps ErrUnsupported where the system
// has no list that iosweep reads.
func List(ctx context.Context) ([]Info, error) { return list(ctx, tree{hostRoot}) }

// Inspect describes a block device or a regular file without changing it.
// Symbolic links are resolved once, here. A path that does not exist is refused
// (ErrRefused) and never created; so is anything that is neither.
func Inspect(path string) (Info, error) { return inspect(tree{hostRoot}, path) }

func inspect(t tree, path string) (Info, error) {
	if isDeviceName(path) {
		return inspectBlock(t, path)
	}
	resolved, err := resolve(path)
	if err != nil {
		return Info{}, err
	}
	st, err := os.Stat(resolved)
	if err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w", path, err)
	}
	switch mode := st.Mode(); {
	case mode.IsRegular():
		return inspectFile(t, resolved, st)
	case isDisk(mode):
		return inspectBlock(t, resolved)
	default:
		return Info{}, fmt.Errorf("inspect %s: %w: it is a %s, not a block device or a regular file; `iosweep devices` lists devices", path, ErrRefused, describeMode(mode))
	}
}

func describeMode(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeCharDevice != 0:
		return "character device"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	default:
		return "special file"
	}
}

// resolve makes a path absolute and free of symbolic links.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("inspect %s: %w: there is no such device or file, and iosweep never creates a target: `iosweep devices` lists devices (%w)", path, ErrRefused, err)
	case err != nil:
		return "", fmt.Errorf("inspect %s: %w", path, err)
	}
	return abs, nil
}

// inspectFile describes a regular file. Its id is its absolute path.
func inspectFile(t tree, path string, st fs.FileInfo) (Info, error) {
	limits := fileLimits(path)
	i := Info{
		Name: filepath.Base(path), Path: path, ID: path, lockID: path, Kind: kindFile,
		SizeBytes:              st.Size(),
		LogicalBlockBytes:      limits.directBytes,
		DeleteGranularityBytes: limits.deleteBytes,
		ReadOnly:               st.Mode().Perm()&0o222 == 0,
	}
	if limits.deleteBytes > 0 {
		i.DeleteMaxBytes = st.Size()
	}
	if m, ok := holding(parseMountinfo(t.selfMounts()), path); ok {
		i.Backing = fmt.Sprintf("on %s (%s)", m.fsType, m.source)
	}
	if i.SizeBytes < i.LogicalBlockBytes {
		i.blocked = append(i.blocked, fmt.Sprintf("holds %d bytes, less than one block of %d; give a file of the size to work on", i.SizeBytes, i.LogicalBlockBytes))
	}
	if i.ReadOnly {
		i.blocked = append(i.blocked, "is read-only")
	}
	same := sameFile(st)
	disks, err := disksOnFile(same)
	if err != nil {
		return Info{}, fmt.Errorf("inspect %s: see what uses it: %w", path, err)
	}
	i.Users = append(t.inUse().ofFile(path, same), disks...)
	i.sign()
	i.judge()
	return i, nil
}

// sameFile compares by identity, so that a second name for a file is noticed.
func sameFile(st fs.FileInfo) func(string) bool {
	return func(path string) bool {
		other, err := os.Stat(path)
		return err == nil && os.SameFile(st, other)
	}
}

// sign looks for signatures on the target. One that cannot be read may not be
// written either, whatever the operator says: nobody knows what it carries.
func (i *Info) sign() {
	if i.SizeBytes <= 0 {
		return
	}
	f, err := openProbe(i.Path)
	if err == nil {
		defer f.Close()
		i.Signatures, err = probe(wholeBlocks{f, max(1, i.LogicalBlockBytes)}, i.SizeBytes)
	}
	if err != nil {
		why := fmt.Sprintf("cannot be read to see what it carries: %v", err)
		if errors.Is(err, fs.ErrPermission) && os.Geteuid() != 0 {
			why += " (run as root or administrator, or with read access to it)"
		}
		i.blocked = append(i.blocked, why)
	}
}
