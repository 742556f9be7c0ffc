package device

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// systemKernel is the running FreeBSD.
type systemKernel struct{}

// Sysctl implements bsdKernel. The value may grow between asking for its size
// and reading it, which x/sys answers by ENOMEM.
func (systemKernel) Sysctl(name string) ([]byte, error) {
	const tries = 8
	var raw []byte
	var err error
	for range tries {
		if raw, err = unix.SysctlRaw(name); err != unix.ENOMEM {
			break
		}
	}
	return raw, err
}

// Mounts implements bsdKernel. Mounts may come between the two calls, so room
// for some more is made.
func (systemKernel) Mounts() ([]byte, error) {
	const spare = 16
	n, err := unix.Getfsstat(nil, unix.MNT_NOWAIT)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, (n+spare)*statfsBytes)
	got, _, errno := unix.Syscall(unix.SYS_GETFSSTAT, uintptr(unsafe.Pointer(&raw[0])), uintptr(len(raw)), unix.MNT_NOWAIT)
	if errno != 0 {
		return nil, errno
	}
	return raw[:int(got)*statfsBytes], nil
}

// Open implements bsdKernel.
func (systemKernel) Open(path string, write bool) (*os.File, error) {
	flags := unix.O_RDONLY
	if write {
		flags = unix.O_RDWR
	}
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// mapStats copies the pages of /dev/devstat, which can be mapped but not read.
func mapStats() ([]byte, error) {
	var k systemKernel
	f, err := k.Open("/dev/devstat", false)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := make([]byte, 8)
	if k.Control(f, diocgMediaSize, size) == nil {
		return copyMapped(f, int(binary.LittleEndian.Uint64(size)))
	}
	return growPages(os.Getpagesize(), func(n int) ([]byte, error) { return copyMapped(f, n) })
}

// copyMapped copies the first n bytes of a device that can only be mapped.
func copyMapped(f *os.File, n int) ([]byte, error) {
	mapped, err := unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of %s: %w", n, f.Name(), err)
	}
	raw := bytes.Clone(mapped)
	return raw, unix.Munmap(mapped)
}

// Control implements bsdKernel.
func (systemKernel) Control(f *os.File, request uint, arg []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), uintptr(request), uintptr(unsafe.Pointer(&arg[0])))
	if errno != 0 {
		return errno
	}
	return nil
}
