package sysctl

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's questions about its own tree, sys/kern/kern_sysctl.c.
const (
	askName = 3 // a name's numbers
	askKind = 4 // the numbers' type and format
)

// Values are read into usual bytes at first, and into more where the kernel has
// more to tell, up to most.
const (
	usualBytes = 4096
	mostBytes  = 1 << 20
)

// System is the running kernel's tree.
func System() (*Tree, error) { return New(kernel{}), nil }

type kernel struct{}

func (kernel) OID(name string) ([]int32, error) {
	raw, err := call([]int32{0, askName}, 4*unix.CTL_MAXNAME, []byte(name))
	if err != nil {
		return nil, err
	}
	oid := make([]int32, len(raw)/4)
	for i := range oid {
		n, err := unpack(raw[4*i : 4*i+4])
		if err != nil {
			return nil, err
		}
		oid[i] = int32(n)
	}
	return oid, nil
}

func (kernel) Kind(oid []int32) (uint32, error) {
	raw, err := call(append([]int32{0, askKind}, oid...), usualBytes, nil)
	if err != nil {
		return 0, err
	}
	if len(raw) < 4 {
		return 0, errors.New("the kernel's answer is too short")
	}
	kind, err := unpack(raw[:4])
	return uint32(kind), err
}

func (kernel) Get(oid []int32) ([]byte, error) {
	for room := usualBytes; ; room *= 4 {
		raw, err := call(oid, room, nil)
		if err != unix.ENOMEM || room >= mostBytes {
			return raw, err
		}
	}
}

func (kernel) Set(oid []int32, value []byte) error {
	_, err := call(oid, 0, value)
	return err
}

// call makes the system call: it reads up to room bytes, and writes value
// unless it is empty.
func call(oid []int32, room int, value []byte) ([]byte, error) {
	var old, fresh unsafe.Pointer
	buffer := make([]byte, room)
	size := uintptr(room)
	sizeAt := unsafe.Pointer(&size)
	if room > 0 {
		old = unsafe.Pointer(&buffer[0])
	} else {
		sizeAt = nil
	}
	if len(value) > 0 {
		fresh = unsafe.Pointer(&value[0])
	}
	_, _, errno := unix.Syscall6(unix.SYS___SYSCTL, uintptr(unsafe.Pointer(&oid[0])), uintptr(len(oid)),
		uintptr(old), uintptr(sizeAt), uintptr(fresh), uintptr(len(value)))
	if errno != 0 {
		return nil, errno
	}
	return buffer[:min(int(size), room)], nil
}
