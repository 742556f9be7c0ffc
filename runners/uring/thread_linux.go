package uring

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// shortSlice is the time slice, in nanoseconds, that a queue's thread asks for:
// what it forfeits when it yields.
const shortSlice = 100_000

// thread is what the queue's thread was before the queue changed it; a zero or
// nil field was not changed.
type thread struct {
	slack    int
	cpus     *unix.CPUSet
	schedule *unix.SchedAttr
}

// place keeps the thread on the processors asked for, makes its timers exact and
// lets the device's own threads go first.
func (t *thread) place(cpus []int) error {
	if slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err == nil {
		t.slack = slack
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("set timer slack: %w", err)
		}
	}
	t.stepBack()
	if len(cpus) == 0 {
		return nil
	}
	before, set := new(unix.CPUSet), new(unix.CPUSet)
	if err := unix.SchedGetaffinity(0, before); err != nil {
		return fmt.Errorf("read the thread's processors: %w", err)
	}
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, set); err != nil {
		return fmt.Errorf("keep the thread on processors %v: %w", cpus, err)
	}
	t.cpus = before
	return nil
}

// stepBack makes the thread one that does not preempt others when it wakes up.
// Where threads of this machine do the device's work (loop, zram), they then end
// what they are at before more is issued. Otherwise the kernel gives the next
// operation to a thread on another processor, whose wake-up costs more than the
// operation, and full queues wait for the slices of the threads that fill them.
// A kernel that refuses leaves the thread as it was: slower on such devices, and
// no different on others.
func (t *thread) stepBack() {
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil || before.Policy != unix.SCHED_NORMAL {
		return
	}
	a := *before
	a.Policy, a.Runtime = unix.SCHED_BATCH, shortSlice
	if unix.SchedSetAttr(0, &a, 0) == nil {
		t.schedule = before
	}
}

// restore undoes place.
func (t *thread) restore() error {
	var errs []error
	if t.cpus != nil {
		errs = append(errs, unix.SchedSetaffinity(0, t.cpus))
	}
	if t.schedule != nil {
		errs = append(errs, unix.SchedSetAttr(0, t.schedule, 0))
	}
	if t.slack > 0 {
		errs = append(errs, unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(t.slack), 0, 0, 0))
	}
	return errors.Join(errs...)
}

// yield lets another thread have the processor, if one waits for it: a thread
// that polls without keeps the device's own threads (a loop device's, say) from
// running for as long as the scheduler gives it, some milliseconds.
func yield() { syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// procs makes changes of GOMAXPROCS by several queues add up.
var procs sync.Mutex

func addProcs(n int) {
	procs.Lock()
	defer procs.Unlock()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
}
