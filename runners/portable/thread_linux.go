package portable

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ownThread: no call here needs a thread of its own.
const ownThread = false

// setUpThread restricts the calling thread to the processors.
func setUpThread(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("restrict worker to processors %v: %w; name processors that exist and are online", cpus, err)
	}
	return nil
}
