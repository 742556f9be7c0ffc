//go:build !freebsd

package portable

import "github.com/iosweep/iosweep/runners"

// flush makes a target's write cache durable.
func flush(t runners.Target) error { return t.File.Sync() }
