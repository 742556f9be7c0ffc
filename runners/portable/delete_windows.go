package portable

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/iosweep/iosweep/runners"
)

// deleter trims ranges of a disk, or frees ranges of a sparse file.
type deleter struct {
	file   *os.File
	device bool
	why    error // deletes cannot work, and why
}

// newDeleter marks a writable file as sparse: in any other, FSCTL_SET_ZERO_DATA
// would write zeros, and a delete would be measured as a write.
func newDeleter(t runners.Target) deleter {
	d := deleter{file: t.File, device: t.Device}
	switch {
	case t.Device && t.DeleteBytes == 0:
		d.why = fmt.Errorf("delete on %s: %w; the disk reports no TRIM", t.Name, runners.ErrUnsupported)
	case t.DeleteBytes == 0:
		d.why = fmt.Errorf("delete in %s: %w; its volume has no sparse files: use a file on NTFS", t.Name, runners.ErrUnsupported)
	case !t.Device && t.Writable:
		if err := d.control(windows.FSCTL_SET_SPARSE, nil); err != nil {
			d.why = fmt.Errorf("delete in %s: make it sparse: %w (%v); use a file on NTFS", t.Name, runners.ErrUnsupported, err)
		}
	}
	return d
}

func (d deleter) delete(off, n int64) error {
	switch {
	case d.why != nil:
		return d.why
	case d.device:
		return d.control(ioctlDataSet, encodeTrim(off, n))
	}
	r := [2]int64{off, off + n}
	return d.control(windows.FSCTL_SET_ZERO_DATA, unsafe.Slice((*byte)(unsafe.Pointer(&r)), unsafe.Sizeof(r)))
}

// control does not take the handle out of the file, which would end its
// overlapped I/O through the completion port.
func (d deleter) control(code uint32, in []byte) error {
	conn, err := d.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = controlHandle(windows.Handle(fd), code, in) })
	return errors.Join(err, failed)
}

// controlHandle is DeviceIoControl on a handle that may be open for overlapped
// I/O. The low bit of the event keeps its completion from the runtime's port.
// The kernel writes to o after the call, so it may not be on a stack, which moves.
func controlHandle(h windows.Handle, code uint32, in []byte) error {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(event)
	o := &windows.Overlapped{HEvent: event | 1}
	var pinned runtime.Pinner
	pinned.Pin(o)
	defer pinned.Unpin()
	var from *byte
	if len(in) > 0 {
		from = &in[0]
	}
	var n uint32
	err = windows.DeviceIoControl(h, code, from, uint32(len(in)), nil, 0, &n, o)
	if err == windows.ERROR_IO_PENDING {
		err = windows.GetOverlappedResult(h, o, &n, true)
	}
	return err
}
