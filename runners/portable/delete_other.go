//go:build !linux && !freebsd && !darwin && !windows

package portable

import (
	"fmt"
	"runtime"

	"github.com/iosweep/iosweep/runners"
)

// deleter knows no way to delete on this system.
type deleter struct{ why error }

func newDeleter(runners.Target) deleter {
	return deleter{fmt.Errorf("delete on %s: %w; use a profile without deletes", runtime.GOOS, runners.ErrUnsupported)}
}

func (d deleter) delete(int64, int64) error { return d.why }
