// Pack makes the packages that neither tar nor nfpm makes: a zip archive for
// Windows, and a package for FreeBSD's pkg(8). The same files and time give the
// same bytes.
//
//	pack zip FILE FOLDER
//	pack pkg FILE FOLDER VERSION GOARCH
//
// The time of every file is SOURCE_DATE_EPOCH, in seconds.
package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string, epoch string) (err error) {
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	at := time.Unix(seconds, 0).UTC()
	var write func(io.Writer) error
	switch {
	case len(args) == 3 && args[0] == "zip":
		write = func(w io.Writer) error { return writeZip(w, args[2], at) }
	case len(args) == 5 && args[0] == "pkg":
		write = func(w io.Writer) error { return writePkg(w, args[2], args[3], args[4], at) }
	default:
		return errors.New("write: pack zip FILE FOLDER, or: pack pkg FILE FOLDER VERSION GOARCH")
	}
	f, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := write(f); err != nil {
		return fmt.Errorf("make %s: %w", args[1], err)
	}
	return nil
}

// file is one file of a folder, by its path in it with slashes.
type file struct {
	path string
	mode fs.FileMode
	data []byte
}

// filesOf reads a folder, in the order of the paths.
func filesOf(dir string) ([]file, error) {
	var all []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		i, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		all = append(all, file{filepath.ToSlash(name), i.Mode().Perm(), data})
		return err
	})
	return all, err
}

func writeZip(w io.Writer, dir string, at time.Time) error {
	files, err := filesOf(dir)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
