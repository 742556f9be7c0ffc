package device

import (
	"os"

	"golang.org/x/sys/unix"
)

// bypassCache turns direct I/O on for an open file.
func bypassCache(f *os.File) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags|unix.O_DIRECT)
	return err
}
