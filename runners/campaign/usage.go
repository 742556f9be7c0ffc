package campaign

import (
	"time"

	"github.com/iosweep/iosweep/results"
)

// usage is processor time used so far: iosweep's own, and the host's where the
// system tells (ticks of all processors).
type usage struct {
	user, system time.Duration
	host         hostTicks
}

// hostTicks are cumulative ticks over all processors; total 0 means unknown.
type hostTicks struct{ total, idle, steal float64 }

// since is the use between two readings.
func (u usage) since(before usage) results.CPU {
	cpu := results.CPU{
		UserSeconds:   (u.user - before.user).Seconds(),
		SystemSeconds: (u.system - before.system).Seconds(),
	}
	if total := u.host.total - before.host.total; total > 0 {
		cpu.HostBusy = results.Some(1 - (u.host.idle-before.host.idle)/total)
		cpu.Steal = results.Some((u.host.steal - before.host.steal) / total)
	}
	return cpu
}
