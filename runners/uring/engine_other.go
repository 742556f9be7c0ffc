//go:build !linux

package uring

import (
	"context"
	"fmt"
	"runtime"

	"github.com/iosweep/iosweep/runners"
)

// Probe says that io_uring is Linux's.
func (Engine) Probe() error {
	return fmt.Errorf("io_uring exists on Linux only, this is %s; use the portable engine: %w", runtime.GOOS, runners.ErrUnsupported)
}

// Open returns Probe's error.
func (e Engine) Open(context.Context, runners.Target, runners.Options) (runners.Queue, error) {
	return nil, e.Probe()
}
