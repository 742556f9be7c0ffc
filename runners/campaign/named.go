package campaign

import (
	"fmt"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// NamedTarget is a target beside the first, for the jobs that name it. It is load:
// settings act on the first target only.
type NamedTarget struct {
	Name   string
	Target runners.Target
	// Meter is nil where the target has no counters, Health where it does not
	// tell of its faults.
	Meter  Meter
	Health Health
}

// on is the target of a name; the first has none. A name that none has would be
// a fault of who made the campaign, and comes out as an empty target, on which
// no workload fits.
func (c *Campaign) on(name string) NamedTarget {
	if name == "" {
		return NamedTarget{Target: c.Target, Meter: c.Meter, Health: c.Health}
	}
	for _, t := range c.Named {
		if t.Name == name {
			return t
		}
	}
	return NamedTarget{Name: name, Target: runners.Target{Name: name}}
}

func geometryOf(t runners.Target) workloads.Geometry {
	return workloads.Geometry{SizeBytes: t.SizeBytes, BlockBytes: t.BlockBytes}
}

// accepts refuses deletes where a target has none.
func (c *Campaign) accepts(w *profiles.Workload) error {
	for _, j := range w.Jobs {
		t := c.on(j.Target).Target
		if (j.Spec.Deletes() || w.Prepare.Delete) && t.DeleteBytes == 0 {
			return fmt.Errorf("delete on %s: %w: the device does not accept deletes", t.Name, runners.ErrUnsupported)
		}
	}
	return nil
}

// namedSpan reads the counters of a target beside the first at the edges of a
// window.
type namedSpan struct {
	name  string
	meter Meter
	first results.Counters
	err   error
}

// spans are those of the targets beside the first that a workload's jobs go to.
func (c *Campaign) spans(w *profiles.Workload) []*namedSpan {
	var list []*namedSpan
	for _, name := range w.Targets() {
		if t := c.on(name); name != "" && t.Meter != nil {
			list = append(list, &namedSpan{name: name, meter: t.Meter})
		}
	}
	return list
}

func (s *namedSpan) open() { s.first, s.err = s.meter.Read() }

// close returns what was counted since.
func (s *namedSpan) close() (results.NamedCounters, error) {
	if s.err != nil {
		return results.NamedCounters{}, s.err
	}
	last, err := s.meter.Read()
	return results.NamedCounters{Target: s.name, Counters: countersBetween(s.first, last)}, err
}
