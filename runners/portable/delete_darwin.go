package portable

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

// fPunchHole is F_PUNCHHOLE of sys/fcntl.h.
const fPunchHole = 99

// deleter punches holes into a file; deletes of devices are not supported.
type deleter struct {
	fd  uintptr
	why error // deletes cannot work, and why
}

func newDeleter(t runners.Target) deleter {
	d := deleter{fd: t.File.Fd()}
	if t.Device {
		d.why = fmt.Errorf("delete on a device on macOS: %w; use a file on APFS", runners.ErrUnsupported)
	}
	return d
}

func (d deleter) delete(off, n int64) error {
	if d.why != nil {
		return d.why
	}
	hole := struct {
		flags, reserved uint32
		off, n          int64
	}{off: off, n: n}
	for {
		_, _, e := unix.Syscall(unix.SYS_FCNTL, d.fd, fPunchHole, uintptr(unsafe.Pointer(&hole)))
		switch e {
		case 0:
			return nil
		case unix.EINTR:
			continue
		}
		return e
	}
}
