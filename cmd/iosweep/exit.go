package main

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/iosweep/iosweep/tunables"
)

// The exit codes, as the documentation lists them.
const (
	exitOK           = 0
	exitFailed       = 1
	exitUsage        = 2
	exitGate         = 3
	exitInconclusive = 4
	exitInvalid      = 5
	exitUnsupported  = 6
	exitRefused      = 7
	exitNotRestored  = 8
	exitTransient    = 75
	exitSignal       = 128 // plus the signal's number
)

// coded is an error that knows its exit code.
type coded struct {
	error
	code int
}

// Unwrap returns the error itself.
func (c coded) Unwrap() error { return c.error }

// withCode gives an error an exit code; nil stays nil.
func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return coded{err, code}
}

// exitCode is the code for an error. A code given on the way wins; what could
// not be restored outranks everything else.
func exitCode(err error) int {
	var c coded
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, campaign.ErrRestore), errors.Is(err, tunables.ErrHung), errors.Is(err, tunables.ErrPending), errors.Is(err, tunables.ErrDrift):
		return exitNotRestored
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, device.ErrRefused), errors.Is(err, tunables.ErrRefused):
		return exitRefused
	case errors.Is(err, runners.ErrUnsupported), errors.Is(err, tunables.ErrUnsupported), errors.Is(err, device.ErrUnsupported):
		return exitUnsupported
	case transient(err):
		return exitTransient
	}
	return exitFailed
}

// transient errors may go away by themselves: a lock held by another iosweep,
// memory or space that is short.
func transient(err error) bool {
	for _, e := range []error{syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSPC} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// missing makes a file that is not there a matter of usage.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, device.ErrRefused) {
		return withCode(exitUsage, err)
	}
	return err
}
