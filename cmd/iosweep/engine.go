package main

import (
	"fmt"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/portable"
	"github.com/iosweep/iosweep/runners/uring"
)

// chooseEngine finds the engine of a name; auto takes io_uring where it works
// and says why where it does not.
func chooseEngine(name string) (runners.Engine, string, error) {
	switch name {
	case "", "auto":
		e := uring.Engine{}
		if err := e.Probe(); err != nil {
			return portable.Engine{}, fmt.Sprintf("portable, because uring is not available: %v", err), nil
		}
		return e, "", nil
	case "uring":
		return probed(uring.Engine{})
	case "portable":
		return probed(portable.Engine{})
	}
	return nil, "", withCode(exitUsage, fmt.Errorf("engine %q is not known: use auto, uring or portable", name))
}

func probed(e runners.Engine) (runners.Engine, string, error) {
	if err := e.Probe(); err != nil {
		return nil, "", fmt.Errorf("engine %s: %w", e.Name(), err)
	}
	return e, "asked for", nil
}
