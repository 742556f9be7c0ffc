//go:build !linux && !freebsd && !windows

package device

import (
	"fmt"
	"os"
)

// openTarget opens a regular file, without O_CREATE: a file that vanished must
// not come back empty.
func openTarget(i Info, o OpenOptions) (*os.File, error) {
	flags := os.O_RDONLY
	if o.Write {
		flags = os.O_RDWR
	}
	f, err := os.OpenFile(i.Path, flags, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", i.Path, err)
	}
	if o.Direct {
		if err := bypassCache(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("open %s: %w: direct I/O does not work there: %w", i.Path, ErrUnsupported, err)
		}
	}
	return f, nil
}

func inspectOpen(t tree, f *os.File, i Info, _ bool) (Info, error) { return reinspectFile(t, f, i) }
