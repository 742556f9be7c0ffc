//go:build !windows

package registry

import "errors"

// System is Windows'; other systems have no registry.
func System() (Store, error) { return Store{}, errors.ErrUnsupported }
