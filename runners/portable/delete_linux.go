package portable

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

// deleter deletes ranges of one target: BLKDISCARD on a device, a hole punched
// into a file.
type deleter struct {
	fd     int
	device bool
}

func newDeleter(t runners.Target) deleter {
	return deleter{fd: int(t.File.Fd()), device: t.Device}
}

func (d deleter) delete(off, n int64) error {
	for {
		err := d.once(off, n)
		if err != unix.EINTR {
			return err
		}
	}
}

func (d deleter) once(off, n int64) error {
	if !d.device {
		return unix.Fallocate(d.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	}
	r := [2]uint64{uint64(off), uint64(n)}
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(d.fd), unix.BLKDISCARD, uintptr(unsafe.Pointer(&r)))
	if e != 0 {
		return e
	}
	return nil
}
