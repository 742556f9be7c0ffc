package device

import "golang.org/x/sys/windows/registry"

// Privileged says that the process may change the system: that it may set
// values of services, as an administrator's elevated process may.
func Privileged() bool {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `SYSTEM\CurrentControlSet\Services`, registry.SET_VALUE)
	if err != nil {
		return false
	}
	k.Close()
	return true
}
