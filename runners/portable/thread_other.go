//go:build !linux && !freebsd

package portable

import (
	"fmt"
	"runtime"

	"github.com/iosweep/iosweep/runners"
)

// ownThread: no call here needs a thread of its own.
const ownThread = false

// setUpThread has nothing to set up, and restore nothing to put back.
func setUpThread(cpus []int) (restore func() error, err error) {
	if len(cpus) > 0 {
		err = fmt.Errorf("restrict worker to processors %v on %s: %w; leave the option out", cpus, runtime.GOOS, runners.ErrUnsupported)
	}
	return func() error { return nil }, err
}

// checkThreads leaves the bound to MaxDepth.
func checkThreads(int) error { return nil }
