//go:build !linux && !darwin && !freebsd

package device

import (
	"errors"
	"os"
)

func bypassCache(*os.File) error { return errors.ErrUnsupported }
