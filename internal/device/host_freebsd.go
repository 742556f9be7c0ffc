package device

import "github.com/iosweep/iosweep/results"

func describeHost(e *results.Environment) { host().describeHost(e) }

// ProcessorTicks are the ticks of all processors since boot, and those in which
// they were idle; 0 of 0 where the system does not tell.
func ProcessorTicks() (total, idle float64) { return host().processorTicks() }
