//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package device

// release is not known here.
func release() string { return "" }
