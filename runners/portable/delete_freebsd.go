package portable

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

const (
	diocgDelete = 0x80106488 // _IOW('d', 136, off_t[2]), sys/disk.h

	// fspacectl(2) punches holes into files since FreeBSD 14.0. An older kernel
	// answers an unknown call with SIGSYS, so its version is asked first.
	sysFspacectl     = 580
	spacectlDealloc  = 1
	fspacectlRelease = 1400097
)

// deleter deletes ranges of one target: DIOCGDELETE on a device, a hole
// punched into a file.
type deleter struct {
	fd     uintptr
	device bool
	why    error // deletes cannot work, and why
}

func newDeleter(t runners.Target) deleter {
	d := deleter{fd: t.File.Fd(), device: t.Device}
	if d.device {
		return d
	}
	release, err := unix.SysctlUint32("kern.osreldate")
	if err != nil || release < fspacectlRelease {
		d.why = fmt.Errorf("delete part of a file on FreeBSD before 14.0: %w; use an md device", runners.ErrUnsupported)
	}
	return d
}

// delete is one system call: the kernel reports success for a prefix when a
// signal ends the loop inside DIOCGDELETE, which is why the worker's thread has
// them blocked.
func (d deleter) delete(off, n int64) error {
	if d.why != nil {
		return d.why
	}
	r := [2]int64{off, n}
	if d.device {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, d.fd, diocgDelete, uintptr(unsafe.Pointer(&r)))
		return errnoOrNil(e)
	}
	return d.punch(r)
}

// punch deallocates a range of a file. The kernel may stop early and says in
// rest what is left.
func (d deleter) punch(rest [2]int64) error {
	for rest[1] > 0 {
		p := uintptr(unsafe.Pointer(&rest))
		_, _, e := unix.Syscall6(sysFspacectl, d.fd, spacectlDealloc, p, 0, p, 0)
		if e != 0 && e != unix.EINTR {
			return e
		}
	}
	return nil
}

func errnoOrNil(e unix.Errno) error {
	if e != 0 {
		return e
	}
	return nil
}
