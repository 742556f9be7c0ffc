package main

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/portable"
	"github.com/iosweep/iosweep/runners/sim"
	"github.com/iosweep/iosweep/runners/uring"
)

// simulated begins the name of an engine that is a model; slowAs joins an
// engine's name and the model that slows it.
const (
	simulated = "sim:"
	slowAs    = "+slow-as:"
)

// chooseEngine finds the engine of a name, as --engine and run.json have it:
// auto, uring, portable or sim:MODEL, with +slow-as:MODEL behind a real one.
// The note says why, where there was a choice.
func chooseEngine(name string) (runners.Engine, string, error) {
	base, model, slowed := strings.Cut(name, slowAs)
	if !slowed {
		return baseEngine(base)
	}
	if base == "" || base == "auto" {
		base = portable.Engine{}.Name()
	}
	inner, _, err := baseEngine(base)
	if err != nil {
		return nil, "", err
	}
	if _, simulated := inner.(sim.Engine); simulated {
		return nil, "", withCode(exitUsage, fmt.Errorf("--slow-as slows a real target, and %s is none: leave one of the two out", base))
	}
	m, err := loadModel(model)
	if err != nil {
		return nil, "", err
	}
	return sim.Slow{Inner: inner, Model: m}, "real I/O, whose completions are held back as the model would: " + m.Title, nil
}

// baseEngine finds an engine; auto takes io_uring where it works and says why
// where it does not.
func baseEngine(name string) (runners.Engine, string, error) {
	if model, ok := strings.CutPrefix(name, simulated); ok {
		m, err := loadModel(model)
		if err != nil {
			return nil, "", err
		}
		return sim.Engine{Model: m}, m.Origin, nil
	}
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
	return nil, "", withCode(exitUsage, fmt.Errorf("engine %q is not known: use auto, uring, portable or sim:MODEL (%s)", name, strings.Join(sim.Models(), ", ")))
}

func probed(e runners.Engine) (runners.Engine, string, error) {
	if err := e.Probe(); err != nil {
		return nil, "", fmt.Errorf("engine %s: %w", e.Name(), err)
	}
	return e, "asked for", nil
}

func loadModel(name string) (*sim.Model, error) {
	m, err := sim.Load(name)
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	return m, nil
}
