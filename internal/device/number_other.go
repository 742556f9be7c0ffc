//go:build !linux

package device

// limits of a regular file: the unit of direct I/O and of deletes (holes).
type limits struct{ directBytes, deleteBytes int64 }

// deviceNumber is Linux's way of finding a device.
func deviceNumber(string) (string, bool) { return "", false }
