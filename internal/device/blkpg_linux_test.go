package device

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BLKPG and its operations, from Linux uapi/linux/blkpg.h.
const (
	blkpg       = 0x1269
	blkpgAdd    = 1
	blkpgDelete = 2
)

// partition does one BLKPG operation; start and length are in bytes.
func partition(dev *os.File, op int32, number int, start, length int64) error {
	part := struct {
		start, length int64
		number        int32
		names         [128]byte
	}{start: start, length: length, number: int32(number)}
	arg := struct {
		op, flags, size int32
		data            unsafe.Pointer
	}{op: op, size: int32(unsafe.Sizeof(part)), data: unsafe.Pointer(&part)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, dev.Fd(), blkpg, uintptr(unsafe.Pointer(&arg)))
	runtime.KeepAlive(&part)
	if errno != 0 {
		return errno
	}
	return nil
}
