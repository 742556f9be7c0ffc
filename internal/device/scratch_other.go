//go:build !linux && !freebsd

package device

import (
	"context"
	"runtime"
)

func newScratch(_ context.Context, sizeBytes int64, dir string, _ bool) (*Scratch, error) {
	return newFileScratch(sizeBytes, dir, "scratch devices are made on Linux and FreeBSD, this is "+runtime.GOOS)
}

// CleanStale has nothing to do: no devices are made here that could be left.
func CleanStale() error { return nil }
