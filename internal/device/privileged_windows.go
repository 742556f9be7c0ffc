package device

import "golang.org/x/sys/windows"

// Privileged says that the process may change the system: that it runs with an
// administrator's token.
func Privileged() bool { return windows.GetCurrentProcessToken().IsElevated() }
