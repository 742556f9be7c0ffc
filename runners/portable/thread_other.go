//go:build !linux && !freebsd

package portable

import (
	"fmt"
	"runtime"

	"github.com/iosweep/iosweep/runners"
)

// ownThread: no call here needs a thread of its own.
const ownThread = false

func setUpThread(cpus []int) error {
	if len(cpus) > 0 {
		return fmt.Errorf("restrict worker to processors %v on %s: %w; leave the option out", cpus, runtime.GOOS, runners.ErrUnsupported)
	}
	return nil
}
