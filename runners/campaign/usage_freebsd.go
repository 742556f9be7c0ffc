package campaign

import (
	"syscall"
	"time"

	"github.com/iosweep/iosweep/internal/device"
)

// readUsage reads getrusage(2) and kern.cp_time. FreeBSD does not tell what a
// hypervisor took.
func readUsage() usage {
	var u usage
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.user, u.system = time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
	}
	u.host.total, u.host.idle = device.ProcessorTicks()
	return u
}
