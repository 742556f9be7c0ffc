package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/iosweep/iosweep/internal/durable"
)

// lockName is there while a run is not complete. Close removes it, which is
// safe because whoever gets the lock afterwards finds the sums.
const lockName = "run.lock"

// ErrBusy: another process has the folder open for writing.
var ErrBusy = errors.New("another iosweep is writing to it: wait until it has ended")

// lockFolder makes this process the folder's only writer. Where the system has
// no locks it returns nil.
func lockFolder(root *os.Root) (*durable.Lock, error) {
	info, err := root.Lstat(lockName)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file (%s): remove it", lockName, info.Mode().Type())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	lock, err := durable.NewLock(filepath.Join(root.Name(), lockName))
	switch {
	case errors.Is(err, durable.ErrLocked):
		return nil, ErrBusy
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil
	}
	return lock, err
}

// unlock gives the lock up. It stays given up when the process just ends.
func (w *Writer) unlock() error {
	if w.lock == nil {
		return nil
	}
	return w.lock.Close()
}
