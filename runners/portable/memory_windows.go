package portable

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapMemory takes memory from the system, and not from Go's heap, which ends
// the program where there is none.
func mapMemory(size int) (memory []byte, free func() error, err error) {
	at, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		if err == windows.ERROR_NOT_ENOUGH_MEMORY || err == windows.ERROR_COMMITMENT_LIMIT {
			err = fmt.Errorf("%w: %w", syscall.ENOMEM, err)
		}
		return nil, nil, err
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), size), func() error {
		if err := windows.VirtualFree(at, 0, windows.MEM_RELEASE); err != nil {
			return fmt.Errorf("free buffers: %w", err)
		}
		return nil
	}, nil
}
