package device

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/windows"
)

const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// openTarget opens a target for overlapped I/O, past the cache of system and
// drive where direct I/O is asked. A writer shares with readers only, so that
// there is one; a disk that is written is shared with nobody.
func openTarget(i Info, o OpenOptions) (*os.File, error) {
	asked, share := uint32(windows.GENERIC_READ), uint32(shareAll)
	if o.Write {
		asked |= windows.GENERIC_WRITE
		share = windows.FILE_SHARE_READ
		if !i.IsFile() {
			share = 0
		}
	}
	flags := uint32(windows.FILE_FLAG_OVERLAPPED)
	if o.Direct {
		flags |= windows.FILE_FLAG_NO_BUFFERING | windows.FILE_FLAG_WRITE_THROUGH
	}
	f, err := create(i.Path, asked, share, flags)
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION):
		return nil, fmt.Errorf("open %s: %w: something else has it open (%w); close that", i.Path, ErrRefused, err)
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return nil, fmt.Errorf("open %s: %w: this user may not open it so (%w); run as administrator", i.Path, ErrRefused, err)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", i.Path, err)
	}
	return f, nil
}

// openDrive opens a disk or volume; with no access at all it can still be
// asked for its properties, without an administrator's rights.
func openDrive(path string, access uint32) (*os.File, error) {
	return create(path, access, shareAll, windows.FILE_FLAG_OVERLAPPED)
}

// create opens what exists; it never makes a file.
func create(path string, access, share, flags uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, access, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// control is DeviceIoControl on a file that is open for overlapped I/O. The low
// bit of the event keeps its completion from the runtime's completion port.
func control(f *os.File, code uint32, in []byte, room uint32) (out []byte, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { out, failed = controlHandle(windows.Handle(fd), code, in, room) })
	return out, errors.Join(err, failed)
}

// controlHandle waits for the answer. The kernel writes to o after the call, so it
// may not be on a stack, which moves.
func controlHandle(h windows.Handle, code uint32, in []byte, room uint32) ([]byte, error) {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(event)
	o := &windows.Overlapped{HEvent: event | 1}
	var pinned runtime.Pinner
	pinned.Pin(o)
	defer pinned.Unpin()
	out := make([]byte, room)
	var from, to *byte
	if len(in) > 0 {
		from = &in[0]
	}
	if room > 0 {
		to = &out[0]
	}
	var n uint32
	err = windows.DeviceIoControl(h, code, from, uint32(len(in)), to, room, &n, o)
	if err == windows.ERROR_IO_PENDING {
		err = windows.GetOverlappedResult(h, o, &n, true)
	}
	if err != nil {
		return nil, err
	}
	return out[:n], nil
}
