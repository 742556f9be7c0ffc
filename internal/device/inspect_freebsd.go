package device

import (
	"context"
	"io/fs"
	"os"
)

// host is the running kernel.
func host() bsd {
	return bsd{kernel: systemKernel{}, dev: "/dev", pages: mapStats, pageBytes: os.Getpagesize()}
}

func list(ctx context.Context, _ tree) ([]Info, error) { return host().list(ctx) }

// isDisk: FreeBSD has no block devices, every disk is a character device.
func isDisk(mode fs.FileMode) bool { return mode&fs.ModeCharDevice != 0 }

func isDeviceName(string) bool { return false }

func inspectBlock(_ tree, path string) (Info, error) { return host().inspect(path) }

func openProbe(path string) (*os.File, error) { return systemKernel{}.Open(path, false) }

func inspectOpen(t tree, f *os.File, i Info, write bool) (Info, error) {
	if i.IsFile() {
		return reinspectFile(t, f, i)
	}
	return host().inspectOpen(f, i, write)
}
