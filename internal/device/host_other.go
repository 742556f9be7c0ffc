//go:build !freebsd && !windows

package device

import "github.com/iosweep/iosweep/results"

// describeHost has nothing to add to what files tell.
func describeHost(*results.Environment) {}

// disksOnFile has nothing to add to what is found in proc.
func disksOnFile(func(path string) bool) ([]string, error) { return nil, nil }
