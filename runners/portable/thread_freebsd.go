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

const sigBlock = 1 // SIG_BLOCK, sys/signal.h

// setUpThread blocks every signal on the calling thread but those that a fault
// of its own raises. Preemption stays pending and costs nothing: the thread
// only makes blocking calls.
func setUpThread(cpus []int) error {
	if len(cpus) > 0 {
		return fmt.Errorf("restrict worker to processors %v on FreeBSD: %w; leave the option out, or start iosweep under cpuset(1)",
			cpus, runners.ErrUnsupported)
	}
	set := [4]uint32{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)}
	for _, s := range []unix.Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGFPE, unix.SIGBUS, unix.SIGSEGV, unix.SIGSYS} {
		set[0] &^= 1 << (s - 1)
	}
	if _, _, e := unix.RawSyscall(unix.SYS_SIGPROCMASK, sigBlock, uintptr(unsafe.Pointer(&set)), 0); e != 0 {
		return fmt.Errorf("block signals on a worker's thread: %w", e)
	}
	return nil
}
