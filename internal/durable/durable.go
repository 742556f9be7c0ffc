// Package durable writes files so that they survive a crash at any moment: a
// seam over the file system, whole files replaced atomically, and logs whose
// every record is on the disk before Append returns.
//
// What holds after an error: WriteFile leaves the old file or the new one; a
// Log that failed once refuses everything after, so that a record never follows
// half of another.
package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// FS is what durable needs of a file system. OS is the real one; a crashable
// one for tests is in durabletest. Errors are as those of package os.
type FS interface {
	// Open opens a file with the flags of os.OpenFile.
	Open(name string, flag int, perm os.FileMode) (File, error)
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir makes durable which files dir holds.
	SyncDir(dir string) error
}

// File is an open file. Sync makes durable what was written.
type File interface {
	io.Reader
	io.Writer
	Sync() error
	Close() error
}

// OS is the operating system's file system.
type OS struct{}

// Open implements FS.
func (OS) Open(name string, flag int, perm os.FileMode) (File, error) {
	// To open a FIFO waits for ever, and a device may have no end.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: it is not a regular file (%v); move it away", name, info.Mode())
	}
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not f: a nil *os.File is no nil File
	}
	return f, nil
}

// Rename implements FS.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (OS) Remove(name string) error { return os.Remove(name) }

// SyncDir implements FS.
func (OS) SyncDir(dir string) error { return syncDir(dir) }

// ReadFile reads a whole file.
func ReadFile(fs FS, name string) ([]byte, error) {
	f, err := fs.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// WriteFile replaces name by data atomically and durably: after a crash at any
// moment the file is the old one or the new one, whole. It uses name.tmp, so
// one name must have one writer.
func WriteFile(fs FS, name string, data []byte, perm os.FileMode) error {
	tmp := name + ".tmp"
	if err := writeSynced(fs, tmp, data, perm); err != nil {
		_ = fs.Remove(tmp) // the first error is the one to tell
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := fs.Rename(tmp, name); err != nil {
		_ = fs.Remove(tmp)
		return fmt.Errorf("replace %s: %w", name, err)
	}
	return fs.SyncDir(filepath.Dir(name))
}

func writeSynced(fs FS, name string, data []byte, perm os.FileMode) error {
	f, err := fs.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Remove deletes name durably. A file that is not there is no error.
func Remove(fs FS, name string) error {
	if err := fs.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return fs.SyncDir(filepath.Dir(name))
}

// Log appends records to a file. It is for one goroutine.
type Log struct {
	file   File
	name   string
	failed error
}

// OpenLog opens a log for appending, and makes it, durably, where it is not
// there yet.
func OpenLog(fs FS, name string, perm os.FileMode) (*Log, error) {
	f, err := fs.Open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, perm)
	if err != nil {
		return nil, err
	}
	if err := fs.SyncDir(filepath.Dir(name)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Log{file: f, name: name}, nil
}

// Append writes one record and returns when it is durable. After an error the
// log may end in part of a record and takes no more.
func (l *Log) Append(record []byte) error {
	if l.failed != nil {
		return fmt.Errorf("append to %s, which failed before: %w", l.name, l.failed)
	}
	_, err := l.file.Write(record)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		l.failed = err
		return fmt.Errorf("append to %s: %w", l.name, err)
	}
	return nil
}

// Close closes the file. Every record that Append took is durable already.
func (l *Log) Close() error { return l.file.Close() }
