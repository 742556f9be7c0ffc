//go:build !freebsd

package sysctl

import "errors"

// System is FreeBSD's; other systems have no such tree.
func System() (*Tree, error) { return nil, errors.ErrUnsupported }
