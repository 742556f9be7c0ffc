//go:build !windows

package device

import "os"

// Privileged says that the process may change the system: that it is root's.
func Privileged() bool { return os.Geteuid() == 0 }
