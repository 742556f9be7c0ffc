//go:build !freebsd && !windows

package device

import (
	"fmt"

	"github.com/iosweep/iosweep/results"
)

func systemCounters(i Info) (results.Counters, error) {
	return results.Counters{}, fmt.Errorf("read counters of %s: %w: the system's own are not known for it", i.Path, ErrUnsupported)
}

func deleteLimits(Info) (uncounted string, wraps int64) { return "", 0 }
