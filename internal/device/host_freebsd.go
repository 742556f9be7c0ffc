package device

import "github.com/iosweep/iosweep/results"

func describeHost(e *results.Environment) { host().describeHost(e) }

func disksOnFile(same func(path string) bool) ([]string, error) { return host().disksOnFile(same) }
