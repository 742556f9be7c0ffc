package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// deleteObserver adds up the deletes that were reported as done, from the first
// operation of a trial to the last, the warm-up and what came after the window
// included.
type deleteObserver struct {
	runners.Observer
	ops, bytes int64
	longest    int64 // bytes of the longest one
}

// Completed counts.
func (o *deleteObserver) Completed(cs []runners.Completion, at time.Duration) {
	for i := range cs {
		if cs[i].Op.Kind == workloads.Delete && cs[i].Err == nil {
			o.ops++
			o.bytes += cs[i].Op.Len
			o.longest = max(o.longest, cs[i].Op.Len)
		}
	}
	o.Observer.Completed(cs, at)
}

// deleteProof compares what was reported as deleted with what the device was
// seen to delete. Kernels lie about deletes: FreeBSD's call succeeds for a
// prefix of the range when a signal comes, and spins to no effect where the
// chunk overflows; Linux's succeeds where a device refuses the command.
type deleteProof struct {
	on           string // the target's name; the first has none
	meter        Meter
	granuleBytes int64
	before       results.Counters
	// uncounted is why the system counts no deletes, wraps where its count of
	// one request's bytes starts anew (0: nowhere).
	uncounted string
	wraps     int64
}

// deleteLimited is a Meter that knows what its counts cannot tell of deletes.
type deleteLimited interface {
	DeleteLimits() (uncounted string, wraps int64)
}

// proveDeletes takes the first reading on each target that a workload deletes
// from and where there is something to compare with.
func (c *Campaign) proveDeletes(w *profiles.Workload) []*deleteProof {
	if c.Simulated {
		return nil
	}
	var list []*deleteProof
	for _, name := range w.Targets() {
		deletes := func(j profiles.Job) bool { return j.Target == name && j.Spec.Deletes() }
		on := c.on(name)
		if on.Meter == nil || !on.Target.Device || !slices.ContainsFunc(w.Jobs, deletes) {
			continue
		}
		p := &deleteProof{on: name, meter: on.Meter, granuleBytes: on.Target.DeleteBytes}
		if m, ok := on.Meter.(deleteLimited); ok {
			p.uncounted, p.wraps = m.DeleteLimits()
		}
		var err error
		if p.before, err = on.Meter.Read(); err == nil { // else the window's own reading says so
			list = append(list, p)
		}
	}
	return list
}

// judge takes the second reading, when nothing is outstanding any more. A
// device may leave out what is less than its granule at both ends of a range.
func (p *deleteProof) judge(t *results.Trial, lanes []*lane) {
	if p.uncounted != "" {
		finding(t, "deletes_unproved", false, fmt.Sprintf("that %s deleted what was reported as deleted is not proved: %s", deviceOf(p.on), p.uncounted))
		return
	}
	after, err := p.meter.Read()
	if err != nil {
		return
	}
	var ops, asked, longest int64
	for _, l := range lanes {
		if l.named != p.on {
			continue // another device's
		}
		ops, asked, longest = ops+l.deleted.ops, asked+l.deleted.bytes, max(longest, l.deleted.longest)
	}
	seen := after.Delete.Bytes - p.before.Delete.Bytes
	short := asked - seen
	if p.wraps > 0 && longest >= p.wraps && short > 0 {
		short %= p.wraps
	}
	if short > 2*ops*p.granuleBytes {
		finding(t, "deletes_short", true, fmt.Sprintf("%d deletes of %d bytes were reported as done, and %s deleted %d: the system ended some early and did not say so (a signal, a device that refuses the command, or a chunk size that overflows)", ops, asked, deviceOf(p.on), seen))
	}
}
