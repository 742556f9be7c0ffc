package portable

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/iosweep/iosweep/runners"
)

// deleter frees ranges of a sparse file; deletes of devices are not supported.
type deleter struct {
	handle windows.Handle
	why    error // deletes cannot work, and why
}

// newDeleter marks a writable file as sparse: in any other, FSCTL_SET_ZERO_DATA
// would write zeros, and a delete would be measured as a write.
func newDeleter(t runners.Target) deleter {
	d := deleter{handle: windows.Handle(t.File.Fd())}
	switch {
	case t.Device:
		d.why = fmt.Errorf("delete on a device on Windows: %w; use a file on NTFS", runners.ErrUnsupported)
	case t.Writable:
		if err := d.control(windows.FSCTL_SET_SPARSE, nil, 0); err != nil {
			d.why = fmt.Errorf("delete in %s: make it sparse: %w (%v); use a file on NTFS", t.Name, runners.ErrUnsupported, err)
		}
	}
	return d
}

func (d deleter) delete(off, n int64) error {
	if d.why != nil {
		return d.why
	}
	r := struct{ off, end int64 }{off, off + n}
	return d.control(windows.FSCTL_SET_ZERO_DATA, (*byte)(unsafe.Pointer(&r)), uint32(unsafe.Sizeof(r)))
}

func (d deleter) control(code uint32, in *byte, size uint32) error {
	var returned uint32
	return windows.DeviceIoControl(d.handle, code, in, size, nil, 0, &returned, nil)
}
