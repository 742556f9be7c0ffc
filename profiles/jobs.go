package profiles

import (
	"slices"

	"github.com/iosweep/iosweep/results"
)

// Needs is what a profile does to one of its targets besides reading it.
type Needs struct {
	Write, Delete bool
}

// Needs says whether the profile writes to a target or deletes there, in a job
// or in preparing. The first target's name is empty.
func (p *Profile) Needs(target string) Needs {
	var n Needs
	for _, w := range p.Workloads {
		for _, j := range w.Jobs {
			if j.Target == target {
				n.Write = n.Write || j.Spec.Writes() || w.Prepare.Fills > 0 || w.Prepare.Steady != nil
				n.Delete = n.Delete || j.Spec.Deletes() || w.Prepare.Delete
			}
		}
	}
	return n
}

// NamedTargets are the names of the targets beside the first that jobs go to, in the order in
// which the profile names them.
func (p *Profile) NamedTargets() []string {
	var names []string
	for _, w := range p.Workloads {
		for _, name := range w.Targets() {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Targets names those that the workload's jobs go to, in their order; the first
// target's name is empty.
func (w Workload) Targets() []string {
	var names []string
	for _, j := range w.Jobs {
		if !slices.Contains(names, j.Target) {
			names = append(names, j.Target)
		}
	}
	return names
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
