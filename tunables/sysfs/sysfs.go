// Package sysfs reads and writes the knobs that Linux keeps as files: those of
// a block device's queue and driver, and the parameters of kernel modules. The
// root of the tree is given, so that a tree of plain files serves tests.
package sysfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the most that a sysfs file holds, in bytes: a page, of 64 KiB at
// most.
const maxFile = 64 << 10

// Files are the knobs of one device, or of all modules, by relative path.
// Errors wrap fs.ErrNotExist and fs.ErrPermission where they apply.
type Files struct {
	base string
	// missing is why there is no base.
	missing error
	modules bool
	// seq is the disk's number in the kernel's count of all disks, which no
	// other disk will have; empty where the kernel does not count.
	seq string
}

// Device returns the knobs of the block device with the directory dir, as
// Resolve found it. A partition has the knobs of its disk.
// It notices, and then fails, when another disk has taken its place.
func Device(dir string, missing error) *Files {
	f := &Files{base: dir, missing: missing}
	if missing == nil {
		f.seq = f.diskSeq()
	}
	return f
}

func (f *Files) diskSeq() string { return DiskSeq(f.base) }

// DiskSeq is the number of the disk with the directory dir in the kernel's
// count of all disks; empty where the kernel does not count.
func DiskSeq(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "diskseq"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Modules returns the parameters of the kernel's modules, as MODULE/PARAMETER.
func Modules(root string) *Files {
	return &Files{base: filepath.Join(root, "sys/module"), modules: true}
}

// Resolve finds the directory of the disk with the device number devNum, such
// as 8:0, or else with the directory dir, by the kernel's own links and never
// by its name. For a partition it is the disk's.
func Resolve(root, devNum, dir string) (string, error) {
	if devNum != "" {
		dir = filepath.Join(root, "sys/dev/block", devNum)
	}
	if dir == "" {
		return "", fmt.Errorf("device has neither a number nor a directory: %w", fs.ErrNotExist)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find device in sysfs: %w", err)
	}
	if _, err := os.Stat(filepath.Join(real, "partition")); err == nil {
		return filepath.Dir(real), nil
	}
	return real, nil
}

func (f *Files) path(knob string) (string, error) {
	if f.missing != nil {
		return "", f.missing
	}
	if !filepath.IsLocal(knob) {
		return "", fmt.Errorf("path %q leaves the tree: %w", knob, fs.ErrInvalid)
	}
	if now := f.diskSeq(); f.seq != "" && now != "" && now != f.seq {
		return "", fmt.Errorf("%s is not the disk any more that it was: another one was attached in its place: %w", f.base, fs.ErrNotExist)
	}
	if f.modules {
		module, parameter, _ := strings.Cut(knob, "/")
		knob = module + "/parameters/" + parameter
	}
	return filepath.Join(f.base, knob), nil
}

// Read returns what the file of a knob holds, without the line break at its
// end.
func (f *Files) Read(_ context.Context, knob string) (string, error) {
	path, err := f.path(knob)
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	// One read call: each further one makes the kernel compute the value again,
	// so two pieces may be of two values.
	text := make([]byte, maxFile)
	n, err := file.Read(text)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSuffix(string(text[:n]), "\n"), nil
}

// Write writes a value in one call, as the kernel wants it. It never makes a
// file.
func (f *Files) Write(_ context.Context, knob, value string) error {
	path, err := f.path(knob)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(value)
	return errors.Join(err, file.Close())
}

// Probe says whether a knob is there and may be read and written. It opens the
// file and writes nothing.
func (f *Files) Probe(knob string) error {
	path, err := f.path(knob)
	if err != nil {
		return err
	}
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		file, err := os.OpenFile(path, flag, 0)
		if err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return f.probeMode(path)
}

// probeMode looks at the mode too: root may open a file of a plain tree that
// says it is read-only.
func (f *Files) probeMode(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is read-only: %w", path, fs.ErrPermission)
	}
	return nil
}

// List returns the knobs of a directory that can be read and written, in order
// of their names. A directory that is not there has none.
func (f *Files) List(dir string) ([]string, error) {
	path, err := f.path(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var knobs []string
	for _, e := range entries {
		knob := dir + "/" + e.Name()
		if e.Type().IsRegular() && f.Probe(knob) == nil {
			knobs = append(knobs, knob)
		}
	}
	return knobs, nil
}
