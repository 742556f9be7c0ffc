package device

import (
	"os"

	"golang.org/x/sys/unix"
)

// bypassCache asks macOS not to cache this file's data.
func bypassCache(f *os.File) error {
	_, err := unix.FcntlInt(f.Fd(), unix.F_NOCACHE, 1)
	return err
}
