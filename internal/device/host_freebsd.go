package device

import "github.com/iosweep/iosweep/results"

func describeHost(e *results.Environment) { host().describeHost(e) }
