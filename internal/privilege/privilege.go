// Package privilege lets a run as root give up what it does not need.
package privilege

// Capability is a Linux capability by its number (linux/capability.h).
type Capability uint

// The capabilities that a run uses; docs/security.md says what for.
const (
	DACOverride Capability = 1  // knobs, nodes and folders whatever their modes
	IPCLock     Capability = 14 // buffers pinned beyond the limit
	SysRawIO    Capability = 17 // smartctl's commands to a disk
	SysAdmin    Capability = 21 // loop devices, tracefs, disk commands
	SysResource Capability = 24 // a watchdog that is spared when memory is short
)

// Kept returns the capabilities that a run uses.
func Kept() []Capability {
	return []Capability{DACOverride, IPCLock, SysRawIO, SysAdmin, SysResource}
}
