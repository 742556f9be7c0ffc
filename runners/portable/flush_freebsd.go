package portable

import (
	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

const diocgFlush = 0x20006487 // _IO('d', 135), sys/disk.h

// flush makes a target's write cache durable. fsync(2) on a node of a disk
// returns without asking the disk. One that has no cache to flush answers
// EOPNOTSUPP, and everything is durable there as it is.
func flush(t runners.Target) error {
	if !t.Device {
		return t.File.Sync()
	}
	_, _, e := unix.Syscall(unix.SYS_IOCTL, t.File.Fd(), diocgFlush, 0)
	if e == unix.EOPNOTSUPP {
		return nil
	}
	return errnoOrNil(e)
}
