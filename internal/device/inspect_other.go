//go:build !linux && !freebsd && !windows

package device

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

func list(context.Context, tree) ([]Info, error) {
	return nil, fmt.Errorf("list devices: %w: iosweep knows no list of devices on %s; name a regular file as target", ErrUnsupported, runtime.GOOS)
}

func isDisk(mode fs.FileMode) bool { return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0 }

func isDeviceName(string) bool { return false }

func inspectBlock(_ tree, path string) (Info, error) {
	return Info{}, fmt.Errorf("inspect %s: %w: block devices cannot be used here, as on %s iosweep cannot tell whether one is in use; name a regular file", path, ErrUnsupported, runtime.GOOS)
}

func openProbe(path string) (*os.File, error) { return os.Open(path) }
