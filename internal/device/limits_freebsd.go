package device

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pathDealloc is _PC_DEALLOC_PRESENT of sys/unistd.h, from FreeBSD 14 on.
const pathDealloc = 65

// fileLimits takes 4096 bytes as the unit, which every file system accepts.
// Where the file system says that it deallocates, it does so in its own blocks:
// elsewhere zeros would be written, and a delete measured as a write.
func fileLimits(path string) limits {
	l := limits{directBytes: 4096}
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return l
	}
	can, _, errno := unix.Syscall(unix.SYS_PATHCONF, uintptr(unsafe.Pointer(name)), pathDealloc, 0)
	var st unix.Stat_t
	if errno == 0 && can == 1 && unix.Stat(path, &st) == nil {
		l.deleteBytes = max(l.directBytes, int64(st.Blksize))
	}
	return l
}

// openLimits asks of an open file, which may have no name any more.
func openLimits(f *os.File) limits {
	l := limits{directBytes: 4096}
	can, _, errno := unix.Syscall(unix.SYS_FPATHCONF, f.Fd(), pathDealloc, 0)
	var st unix.Stat_t
	if errno == 0 && can == 1 && unix.Fstat(int(f.Fd()), &st) == nil {
		l.deleteBytes = max(l.directBytes, int64(st.Blksize))
	}
	return l
}
