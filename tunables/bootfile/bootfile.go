// Package bootfile reads and writes settings that a system takes from files
// when it boots or loads a module: FreeBSD's loader.conf.local and Linux's
// modprobe.d. A setting that no line makes reads Absent, and writing Absent
// removes its line. Other lines are kept as they are.
package bootfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/durable"
)

// Absent is the text of a setting that no line makes.
const Absent = "absent"

// File is the settings of one file.
type File struct {
	fs   durable.FS
	path string
	// line writes a setting as a line of the file, prefix is how that begins.
	prefix func(name string) string
	quote  bool
}

// Loader is FreeBSD's /boot/loader.conf.local, which the loader reads after
// loader.conf on every release: name="value".
func Loader(f durable.FS, root string) File {
	return File{f, filepath.Join(root, "boot/loader.conf.local"), func(name string) string { return name + "=" }, true}
}

// Modprobe is a file of iosweep's own in Linux's /etc/modprobe.d, by names
// MODULE/PARAMETER: options MODULE PARAMETER=VALUE. A module that is loaded
// from the initial RAM disk needs that made anew.
func Modprobe(f durable.FS, root string) File {
	return File{f, filepath.Join(root, "etc/modprobe.d/iosweep.conf"), func(name string) string {
		module, parameter, _ := strings.Cut(name, "/")
		return "options " + module + " " + parameter + "="
	}, false}
}

// Read returns the value that the last line for the name gives.
func (f File) Read(_ context.Context, name string) (string, error) {
	lines, err := f.lines()
	if err != nil {
		return "", err
	}
	value := Absent
	for _, l := range lines {
		if v, ok := strings.CutPrefix(strings.TrimSpace(l), f.prefix(name)); ok {
			value = strings.Trim(v, `"`)
		}
	}
	return value, nil
}

// Write replaces the name's lines by one, durably: after a crash the file is
// the old one or the new one.
func (f File) Write(_ context.Context, name, value string) error {
	if strings.ContainsAny(value, "\"\n\r\\ ") {
		return fmt.Errorf("write %s to %s: value %q may hold no blanks, quotes or line breaks", name, f.path, value)
	}
	lines, err := f.lines()
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), f.prefix(name))
	})
	if value != Absent && f.quote {
		value = `"` + value + `"`
	}
	if value != Absent {
		lines = append(lines, f.prefix(name)+value+"\n")
	}
	if len(lines) == 0 {
		return durable.Remove(f.fs, f.path)
	}
	return durable.WriteFile(f.fs, f.path, []byte(strings.Join(lines, "")), 0o644)
}

// Probe says whether the file's directory can be written.
func (f File) Probe(string) error {
	dir := filepath.Dir(f.path)
	st, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !st.IsDir() || st.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s cannot be written: %w", dir, fs.ErrPermission)
	}
	return nil
}

// lines are the file's lines, each with its end.
func (f File) lines() ([]string, error) {
	text, err := durable.ReadFile(f.fs, f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	if n := len(lines); n > 0 && !strings.HasSuffix(lines[n-1], "\n") {
		lines[n-1] += "\n"
	}
	return lines, nil
}
