package campaign

import (
	"fmt"
	"runtime"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/stack"
	"github.com/iosweep/iosweep/tunables"
)

// placed says where each setting of a trial acts.
type placed struct {
	kernel []tunables.Setting
	layers stack.Config
	// applied is what the trial reports, in the settings' order; the kernel's
	// part is completed from the lease.
	applied []results.Applied
	// inert are the reasons for which settings cannot act on this device,
	// clamped what the kernel made of values that it did not take as asked.
	inert, clamped []string
}

// layered reports whether any software layer is on.
func (p *placed) layered() bool {
	return p.layers.Delete || p.layers.Bioq || p.layers.Split
}

// place decides for each setting between the kernel's knob and iosweep's own
// layer.
func (c *Campaign) place(settings []tunables.Setting, lowerDepth int) (placed, error) {
	var p placed
	for _, s := range settings {
		via, err := c.via(s)
		if err != nil {
			return p, err
		}
		a := results.Applied{Setting: results.Setting{Tunable: s.Tunable.Name, Value: s.Value, Via: string(via)}}
		if via == tunables.Kernel {
			p.kernel = append(p.kernel, s)
		} else if err := layer(&p.layers, s, c.Target.BlockBytes, lowerDepth); err != nil {
			return p, err
		} else {
			a.Observed, a.After = s.Value, s.Value
		}
		p.applied = append(p.applied, a)
	}
	return p, nil
}

// queueing is implemented by engines whose device has a queue of its own.
type queueing interface{ QueueDepth() int }

// lowerDepth is how many operations a bioq keeps at the device: what the
// workload says, or else what the device itself takes, or else one.
func (c *Campaign) lowerDepth(w *profiles.Workload) int {
	if own, ok := c.Engine.(queueing); ok && w.LowerDepth == 0 {
		return own.QueueDepth()
	}
	return w.LowerDepth
}

// via resolves where one setting acts on this target.
func (c *Campaign) via(s tunables.Setting) (tunables.Via, error) {
	return ResolveVia(s, c.Knobs != nil, c.Simulated)
}

// ResolveVia says where a setting acts: as it asks, or else in the kernel where
// there is such a knob and kernelKnobs is true, or else in iosweep's own layers.
// The error wraps tunables.ErrUnsupported when none of them can.
func ResolveVia(s tunables.Setting, kernelKnobs, simulated bool) (tunables.Via, error) {
	_, hasKnob := s.Tunable.Knob(runtime.GOOS)
	name := s.Tunable.Name
	switch {
	case simulated && s.Tunable.Stack:
		return tunables.Model, nil
	case simulated:
		return "", fmt.Errorf("set %s: %w on a model: only tunables that iosweep's own layers act can be simulated", name, tunables.ErrUnsupported)
	case s.Via == tunables.Kernel && !kernelKnobs:
		return "", fmt.Errorf("set %s: the kernel's knob was asked for, which is %w on this target: run as root on a block device", name, tunables.ErrUnsupported)
	case s.Via == tunables.Kernel || (s.Via == tunables.Auto && hasKnob && kernelKnobs):
		return tunables.Kernel, nil
	case s.Tunable.Stack:
		return tunables.Stack, nil
	}
	return "", fmt.Errorf("set %s: %w: neither this system nor iosweep's own layers have it for this target", name, tunables.ErrUnsupported)
}

// layer turns one setting into the configuration of iosweep's own layers.
func layer(cfg *stack.Config, s tunables.Setting, sectorBytes int64, lowerDepth int) error {
	value, err := s.Tunable.Int(s.Value)
	if err != nil {
		return fmt.Errorf("set %s: %w", s.Tunable.Name, err)
	}
	switch s.Tunable.Name {
	case "delete_max_sectors":
		cfg.Delete, cfg.DeleteChunkBytes = true, value*sectorBytes
	case "bioq_batchsize":
		cfg.Bioq, cfg.BioqBatch, cfg.LowerDepth = true, int(value), max(1, lowerDepth)
	case "physical_breaks":
		cfg.Split, cfg.MaxTransferBytes = true, tunables.TransferBytes(value)
	default:
		return fmt.Errorf("set %s: %w: iosweep's own layers do not have it", s.Tunable.Name, tunables.ErrUnsupported)
	}
	return nil
}

// engine is the engine for a trial, with the layers in front of it.
func (c *Campaign) engine(p *placed) runners.Engine {
	if !p.layered() {
		return c.Engine
	}
	return stack.Wrap(c.Engine, p.layers)
}

// observe completes the kernel's part of what was applied from the lease.
func (p *placed) observe(lease *tunables.Lease) {
	for _, seen := range lease.Settings() {
		for i := range p.applied {
			a := &p.applied[i]
			if a.Tunable == seen.Tunable && a.Via == string(tunables.Kernel) {
				a.Address, a.Before, a.Observed, a.Note = seen.Address, seen.Before, seen.Observed, seen.Note
				a.After = seen.Observed
			}
		}
		if seen.Observed != seen.Asked {
			p.clamped = append(p.clamped, seen.Tunable+": "+seen.Note)
		}
		if seen.Inert != "" {
			p.inert = append(p.inert, seen.Inert)
		}
	}
}
