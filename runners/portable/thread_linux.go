package portable

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ownThread: no call here needs a thread of its own.
const ownThread = false

// setUpThread restricts the calling thread to the processors, and returns what
// lifts the restriction; that is never nil.
func setUpThread(cpus []int) (restore func() error, err error) {
	if len(cpus) == 0 {
		return func() error { return nil }, nil
	}
	var before, set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	err = unix.SchedGetaffinity(0, &before)
	if err == nil {
		err = unix.SchedSetaffinity(0, &set)
	}
	if err != nil {
		err = fmt.Errorf("restrict worker to processors %v: %w; name processors that exist and are online", cpus, err)
	}
	return func() error { return unix.SchedSetaffinity(0, &before) }, err
}

// checkThreads leaves the bound to MaxDepth.
func checkThreads(int) error { return nil }
