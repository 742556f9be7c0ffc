package campaign

import (
	"syscall"
	"time"
)

// readUsage reads getrusage(2) and kern.cp_time. FreeBSD does not tell what a
// hypervisor took.
func readUsage() usage {
	var u usage
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.user, u.system = time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
	}
	if raw, err := syscall.Sysctl("kern.cp_time"); err == nil {
		u.host = parseCPTime(raw)
	}
	return u
}
