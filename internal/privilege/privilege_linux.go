package privilege

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
)

// prctl's commands for the bounding set (linux/prctl.h).
const (
	readBounding = 23
	dropBounding = 24
)

// Drop starts the program anew, in the same process, with no capability but
// those that are kept, for itself and all that it will start. It returns where
// there is nothing to give up or no right to (an ordinary user has nothing that
// counts), and with an error when the program cannot be started; the caller must
// then go no further.
//
// The bounding set belongs to a thread, and a program that was built with cgo
// cannot change all of its threads at once. But when one thread starts a program
// in place of this one, the kernel ends the others and gives root no more than
// this thread's set.
func Drop(kept []Capability) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dropped, err := dropFromThread(kept)
	if err != nil || !dropped {
		return err
	}
	// The path and not /proc/self/exe, after which the process would be named.
	self, err := os.Executable()
	if err == nil {
		err = syscall.Exec(self, os.Args, os.Environ())
	}
	return fmt.Errorf("start %s anew without the capabilities that a run does not need: %w", os.Args[0], err)
}

// dropFromThread says whether the calling thread gave anything up.
func dropFromThread(kept []Capability) (dropped bool, err error) {
	for c := Capability(0); ; c++ {
		held, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, readBounding, uintptr(c), 0)
		if errno != 0 {
			return dropped, nil // beyond the last that this kernel knows
		}
		if held == 0 || slices.Contains(kept, c) {
			continue
		}
		_, _, errno = syscall.RawSyscall(syscall.SYS_PRCTL, dropBounding, uintptr(c), 0)
		if errors.Is(errno, syscall.EPERM) {
			return dropped, nil // CAP_SETPCAP is not ours: somebody else decided
		}
		if errno != 0 {
			return dropped, fmt.Errorf("give up capability %d: %w", c, errno)
		}
		dropped = true
	}
}
