//go:build !linux

package privilege

// Drop does nothing: this system has no capabilities to give up.
func Drop([]Capability) error { return nil }
