package recommendation

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/iosweep/iosweep/results"
)

// source is a run, or several of one device that asked the same.
type source struct {
	*results.RunData
	// more are the further runs that were pooled.
	more []Evidence
}

// pool joins the runs that measured the same workloads for the same objectives on
// one device: else the device would count twice. Their blocks stay apart.
func pool(runs []*results.RunData) []source {
	var all []source
	for _, next := range runs {
		at := slices.IndexFunc(all, func(s source) bool { return poolable(s.Run, next.Run) })
		if at < 0 {
			all = append(all, source{RunData: next})
			continue
		}
		all[at].RunData = join(all[at].RunData, next)
		all[at].more = append(all[at].more, Evidence{Run: next.Run.ID, Dir: next.Dir})
	}
	return all
}

func poolable(a, b *results.Run) bool {
	return a.Device.ID != "" && a.Device.ID == b.Device.ID && a.Simulated == b.Simulated && a.Engine == b.Engine &&
		a.Repeat == nil && b.Repeat == nil && // when those stopped depends on their figures
		reflect.DeepEqual(a.Workloads, b.Workloads) && reflect.DeepEqual(a.Objectives, b.Objectives)
}

// join is a new run of the trials of both, with next's numbered after a's.
func join(a, next *results.RunData) *results.RunData {
	run, joined := *a.Run, *a
	run.Variants = slices.Clone(run.Variants)
	for _, v := range next.Run.Variants {
		if !slices.ContainsFunc(run.Variants, func(o results.Variant) bool { return o.ID == v.ID }) {
			run.Variants = append(run.Variants, v)
		}
	}
	joined.Run, joined.Trials = &run, slices.Clone(a.Trials)
	index, block := 0, 0
	for _, t := range a.Trials {
		index, block = max(index, t.Index+1), max(block, t.Block+1)
	}
	for _, t := range next.Trials {
		t.Index, t.Block = t.Index+index, t.Block+block
		joined.Trials = append(joined.Trials, t)
	}
	return &joined
}

// twice refuses a device that two runs would answer for, each in its own way.
func (r *Recommendation) twice(d *Device) error {
	for _, o := range r.Devices {
		if d.ID != "" && o.ID == d.ID && o.Simulated == d.Simulated {
			return fmt.Errorf("recommend from run %s: run %s measured the same device (%s) in another way or until it was decided, so that they cannot be pooled: give one of them", d.Dir, o.Dir, d.ID)
		}
	}
	return nil
}
