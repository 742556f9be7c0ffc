package campaign

import (
	"encoding/binary"
	"time"

	"github.com/iosweep/iosweep/results"
)

// usage is processor time used so far: iosweep's own, and the host's where the
// system tells (ticks of all processors).
type usage struct {
	user, system time.Duration
	host         hostTicks
	// up is how long the machine runs, the time that it slept included; 0 where
	// that is not known. Our clocks stand still while it sleeps.
	up time.Duration
}

// maxAsleep is what reading the clocks in turn may make of no sleep at all.
const maxAsleep = 500 * time.Millisecond

// asleep is how long the machine slept between two readings that are elapsed
// apart on a clock that sleeps too.
func (u usage) asleep(before usage, elapsed time.Duration) time.Duration {
	if u.up == 0 || before.up == 0 {
		return 0
	}
	if gap := u.up - before.up - elapsed; gap > maxAsleep {
		return gap
	}
	return 0
}

// hostTicks are cumulative ticks over all processors; total 0 means unknown.
type hostTicks struct {
	total, idle, steal float64
	// tellsSteal says that the system counts what a hypervisor took.
	tellsSteal bool
}

// The states by which FreeBSD counts a processor's ticks, sys/resource.h: user,
// nice, system, interrupt, idle.
const (
	cpuStates = 5
	cpuIdle   = 4
)

// parseCPTime reads kern.cp_time, a long for each state. What takes a zero at
// the end for a string's is made up for.
func parseCPTime(raw string) hostTicks {
	const long = 8
	var t hostTicks
	if len(raw) != cpuStates*long && len(raw) != cpuStates*long-1 {
		return t
	}
	counts := append([]byte(raw), 0)
	for i := range cpuStates {
		n := float64(binary.LittleEndian.Uint64(counts[long*i:]))
		t.total += n
		if i == cpuIdle {
			t.idle = n
		}
	}
	return t
}

// since is the use between two readings.
func (u usage) since(before usage) results.CPU {
	cpu := results.CPU{
		UserSeconds:   (u.user - before.user).Seconds(),
		SystemSeconds: (u.system - before.system).Seconds(),
	}
	if total := u.host.total - before.host.total; total > 0 {
		cpu.HostBusy = results.Some(1 - (u.host.idle-before.host.idle)/total)
		if u.host.tellsSteal {
			cpu.Steal = results.Some((u.host.steal - before.host.steal) / total)
		}
	}
	return cpu
}
