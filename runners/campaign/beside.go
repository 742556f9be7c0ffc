package campaign

import (
	"fmt"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// Side is a target beside the first, for the jobs that name it. It is load:
// settings act on the first target only.
type Side struct {
	Name   string
	Target runners.Target
	// Meter is nil where the target has no counters, Health where it does not
	// tell of its faults.
	Meter  Meter
	Health Health
}

// on is the target of a name; the first has none. A name that no side has would
// be a fault of who made the campaign, and comes out as an empty target, on
// which no workload fits.
func (c *Campaign) on(name string) runners.Target {
	if name == "" {
		return c.Target
	}
	for _, s := range c.Beside {
		if s.Name == name {
			return s.Target
		}
	}
	return runners.Target{Name: name}
}

// meterOf is a target's meter, or nil; the first has no name.
func (c *Campaign) meterOf(name string) Meter {
	if name == "" {
		return c.Meter
	}
	for _, s := range c.Beside {
		if s.Name == name {
			return s.Meter
		}
	}
	return nil
}

// healthOf is a target's health, or nil; the first has no name.
func (c *Campaign) healthOf(name string) Health {
	if name == "" {
		return c.Health
	}
	for _, s := range c.Beside {
		if s.Name == name {
			return s.Health
		}
	}
	return nil
}

func geometryOf(t runners.Target) workloads.Geometry {
	return workloads.Geometry{SizeBytes: t.SizeBytes, BlockBytes: t.BlockBytes}
}

// accepts refuses deletes where a target has none.
func (c *Campaign) accepts(w *profiles.Workload) error {
	for _, j := range w.Jobs {
		t := c.on(j.Target)
		if (j.Spec.Deletes() || w.Prepare.Delete) && t.DeleteBytes == 0 {
			return fmt.Errorf("delete on %s: %w: the device does not accept deletes", t.Name, runners.ErrUnsupported)
		}
	}
	return nil
}

// sideSpan reads the counters of a target beside the first at the edges of a
// window.
type sideSpan struct {
	name  string
	meter Meter
	first results.Counters
	err   error
}

// spans are those of the targets that a workload's jobs go to.
func (c *Campaign) spans(w *profiles.Workload) []*sideSpan {
	var list []*sideSpan
	for _, name := range w.Targets() {
		for _, s := range c.Beside {
			if s.Name == name && s.Meter != nil {
				list = append(list, &sideSpan{name: name, meter: s.Meter})
			}
		}
	}
	return list
}

func (s *sideSpan) open() { s.first, s.err = s.meter.Read() }

// close returns what was counted since.
func (s *sideSpan) close() (results.BesideCounters, error) {
	if s.err != nil {
		return results.BesideCounters{}, s.err
	}
	last, err := s.meter.Read()
	return results.BesideCounters{Target: s.name, Counters: countersBetween(s.first, last)}, err
}
