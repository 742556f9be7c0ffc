//go:build !linux

package device

import (
	"context"
	"fmt"
	"os"
	"runtime"
)

func list(context.Context, tree) ([]Info, error) {
	return nil, fmt.Errorf("list devices: %w: iosweep reads Linux's sysfs, and knows no list of devices on %s; name a regular file as target", ErrUnsupported, runtime.GOOS)
}

func inspectBlock(_ tree, path string) (Info, error) {
	return Info{}, fmt.Errorf("inspect %s: %w: block devices can be used on Linux only, as on %s iosweep cannot tell whether one is in use; name a regular file", path, ErrUnsupported, runtime.GOOS)
}

func deviceNumber(string) (string, bool) { return "", false }

func openProbe(path string) (*os.File, error) { return os.Open(path) }

// limits of a regular file: the unit of direct I/O and of deletes (holes).
type limits struct{ directBytes, deleteBytes int64 }

// fileLimits takes 4096 bytes as the unit, which every file system accepts.
func fileLimits(string) limits { return limits{directBytes: 4096} }
