package profiles

import (
	"slices"

	"github.com/iosweep/iosweep/results"
)

// Needs is what a profile does to its target besides reading it.
type Needs struct {
	Write, Delete bool
}

// Needs says whether the profile writes or deletes, in a job or in preparing.
func (p *Profile) Needs() Needs {
	var n Needs
	for _, w := range p.Workloads {
		n.Write = n.Write || w.Prepare.Fills > 0 || w.Prepare.Steady != nil
		n.Delete = n.Delete || w.Deletes()
		for _, j := range w.Jobs {
			n.Write = n.Write || j.Spec.Writes()
		}
	}
	return n
}

// JobsAt returns the workload's jobs with a load point applied to those that
// take it: its Depth, or its Rate with the job's own Depth as the most that is
// outstanding. The Rate of a percentage must have been filled in; at Max the
// jobs are closed loops of their own Depth.
func (w Workload) JobsAt(l results.Load) []Job {
	jobs := slices.Clone(w.Jobs)
	for i := range jobs {
		if !jobs[i].Load {
			continue
		}
		if l.Depth > 0 {
			jobs[i].Depth = l.Depth
		}
		jobs[i].Rate = l.Rate
	}
	return jobs
}
