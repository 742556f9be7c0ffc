package portable

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

// ownThread: a signal that reaches a thread in DIOCGDELETE ends the delete
// early and with success, and the Go runtime sends SIGURG to preempt.
const ownThread = true

// The ways to change a signal mask, sys/signal.h.
const (
	sigBlock   = 1 // SIG_BLOCK
	sigSetMask = 3 // SIG_SETMASK
)

// spareThreads are those of the rest of the process.
const spareThreads = 64

// checkThreads refuses a depth for which the kernel would not give the threads:
// the Go runtime ends a program that cannot have one.
func checkThreads(depth int) error {
	const name = "kern.threads.max_threads_per_proc"
	most, err := unix.SysctlUint32(name)
	if err == nil && depth > int(most)-spareThreads {
		return fmt.Errorf("depth %d needs as many threads, and %s allows %d in all; lower the depth, or raise that", depth, name, most)
	}
	return nil
}

// setUpThread blocks every signal on the calling thread but those that a fault
// of its own raises, and returns what puts the mask back; that is never nil.
// Preemption stays pending and costs nothing: the thread only makes blocking
// calls.
func setUpThread(cpus []int) (restore func() error, err error) {
	if len(cpus) > 0 {
		return func() error { return nil }, fmt.Errorf("restrict worker to processors %v on FreeBSD: %w; "+
			"leave the option out, or start iosweep under cpuset(1)", cpus, runners.ErrUnsupported)
	}
	set := [4]uint32{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)}
	for _, s := range []unix.Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGFPE, unix.SIGBUS, unix.SIGSEGV, unix.SIGSYS} {
		set[0] &^= 1 << (s - 1)
	}
	var before [4]uint32
	if err := changeMask(sigBlock, &set, &before); err != nil {
		return func() error { return err }, fmt.Errorf("block signals on a worker's thread: %w", err)
	}
	return func() error { return changeMask(sigSetMask, &before, nil) }, nil
}

func changeMask(how uintptr, set, before *[4]uint32) error {
	_, _, e := unix.RawSyscall(unix.SYS_SIGPROCMASK, how, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(before)))
	return errnoOrNil(e)
}
