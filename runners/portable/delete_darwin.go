package portable

import (
	"fmt"

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
	// F_PUNCHHOLE takes an fpunchhole_t: flags and a reserved word, both 0, then
	// offset and length, which is how an fstore_t begins.
	hole := unix.Fstore_t{Offset: off, Length: n}
	for {
		err := unix.FcntlFstore(d.fd, fPunchHole, &hole)
		if err != unix.EINTR {
			return err
		}
	}
}
