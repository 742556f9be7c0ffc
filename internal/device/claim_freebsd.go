package device

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openTarget opens what was inspected, without following a link that came since
// and without O_CREAT. FreeBSD has no exclusive open of a node: GEOM refuses a
// writer (EPERM) where another class has the device to itself, the lock keeps
// other iosweeps away, and looking again after the open finds other writers.
func openTarget(i Info, o OpenOptions) (*os.File, error) {
	f, err := systemKernel{}.Open(i.Path, o.Write)
	if err != nil {
		return nil, explainOpen(i, err)
	}
	if o.Direct && i.IsFile() { // a node is never cached
		if err := bypassCache(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("open %s: %w: direct I/O does not work there: %w", i.Path, ErrUnsupported, err)
		}
	}
	return f, nil
}

func explainOpen(i Info, err error) error {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EBUSY):
		return fmt.Errorf("open %s: %w: GEOM says that it is in use (%w): something has it to itself, such as a mounted file system; stop it", i.Path, ErrRefused, err)
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENXIO), errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK):
		return fmt.Errorf("open %s: %w: the device went away or was replaced since it was looked at (%w)", i.Path, ErrRefused, err)
	case errors.Is(err, unix.EROFS):
		return fmt.Errorf("open %s: %w: it is read-only (%w)", i.Path, ErrRefused, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open %s: %w: this user may not open it so (%w); run as root, or change the node's owner or mode", i.Path, ErrRefused, err)
	}
	return fmt.Errorf("open %s: %w", i.Path, err)
}
