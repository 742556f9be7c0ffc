//go:build unix

package portable

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapMemory takes memory from the system, and not from Go's heap, which ends
// the program where there is none.
func mapMemory(size int) (memory []byte, free func() error, err error) {
	memory, err = unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	return memory, func() error {
		if err := unix.Munmap(memory); err != nil {
			return fmt.Errorf("unmap buffers: %w", err)
		}
		return nil
	}, nil
}
