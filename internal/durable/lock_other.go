//go:build !linux && !freebsd && !darwin && !netbsd && !openbsd && !dragonfly && !windows

package durable

import (
	"errors"
	"os"
)

func lockFile(*os.File) error { return errors.ErrUnsupported }
