//go:build !linux && !freebsd && !windows

package device

import "os"

// fileLimits takes 4096 bytes as the unit, which every file system accepts.
func fileLimits(string) limits { return limits{directBytes: 4096} }

func openLimits(*os.File) limits { return fileLimits("") }
