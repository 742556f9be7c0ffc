//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package device

import "golang.org/x/sys/unix"

// release is the kernel's release as uname says it.
func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
