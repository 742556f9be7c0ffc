package durable

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked means that another process, or another part of this one, holds the
// lock.
var ErrLocked = errors.New("locked")

// Lock is an exclusive lock on a file. The system gives it up when the process
// ends, however it ends.
type Lock struct{ file *os.File }

// NewLock takes the lock at path, and makes the file where it is not there. It
// does not wait: a lock that is held wraps ErrLocked. The file stays when the
// lock is given up, since to remove it would let two holders in.
func NewLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return &Lock{file: f}, nil
}

// Close gives the lock up.
func (l *Lock) Close() error { return l.file.Close() }
