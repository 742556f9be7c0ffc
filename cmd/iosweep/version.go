package main

import "runtime/debug"

// version is the module's version, with the commit when it was built from a
// checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	return v
}
