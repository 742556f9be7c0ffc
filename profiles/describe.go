package profiles

import (
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/tunables"
)

// Describe fills in what a run folder says about the plan. Target, engine, tool
// and time are the caller's to add.
func (p *Plan) Describe() *results.Run {
	run := &results.Run{
		Profile: p.Profile.Name, ProfileText: p.Profile.Text, Seed: p.Seed,
		Repeats: p.Profile.Measure.Repeats, Planned: len(p.Trials), Repeat: p.Profile.Measure.Repeat,
		Objectives: p.Profile.Objectives, References: p.Profile.references(),
	}
	for _, t := range p.Profile.Tunables {
		run.Tunables = append(run.Tunables, results.Tunable{
			Name: t.Def.Name, Unit: t.Def.Unit, Summary: t.Def.Summary, Source: t.Def.Source, Values: slices.Clone(t.Values),
		})
	}
	for _, v := range p.Variants {
		run.Variants = append(run.Variants, v.describe())
	}
	for i := range p.Profile.Workloads {
		run.Workloads = append(run.Workloads, p.Profile.Workloads[i].describe())
	}
	return run
}

// references are the published figures that belong beside runs by the profile's
// engine: those of one model's hardware only beside it, simulated or slowed as.
func (p *Profile) references() []results.Reference {
	var out []results.Reference
	for _, f := range p.References {
		if f.Model == "" || strings.HasSuffix(p.Engine, ":"+f.Model) {
			out = append(out, f)
		}
	}
	return out
}

func (v Variant) describe() results.Variant {
	out := results.Variant{ID: v.ID, Label: v.Label}
	for _, s := range v.Settings {
		setting := results.Setting{Tunable: s.Tunable.Name, Value: s.Value, Via: string(s.Via)}
		if label := s.Tunable.Label(s.Value); label != s.Value {
			setting.Label = label
		}
		out.Settings = append(out.Settings, setting)
	}
	return out
}

func (w *Workload) describe() results.Workload {
	out := results.Workload{Name: w.Name, Summary: oneLine(w.Why), Varies: append([]string{}, w.Vary...)}
	for _, j := range w.Jobs {
		summary := j.Summary()
		if j.Target != "" {
			summary += ", on target " + j.Target
		}
		out.Jobs = append(out.Jobs, results.Job{Name: j.Name, Target: j.Target, Summary: summary, Load: j.Load, CPUs: slices.Clone(j.CPUs)})
	}
	return out
}

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Deletes reports whether any job of the workload, or its preparation, deletes.
func (w *Workload) Deletes() bool {
	for _, j := range w.Jobs {
		if j.Spec.Deletes() {
			return true
		}
	}
	return w.Prepare.Delete
}

// Verifies reports whether any workload stamps what it writes.
func (p *Profile) Verifies() bool {
	for _, w := range p.Workloads {
		if w.Verify {
			return true
		}
	}
	return false
}

// UsesCommands reports whether a tunable is read and written by running
// programs, which the operator must allow.
func (p *Profile) UsesCommands() bool {
	for _, t := range p.Tunables {
		if t.Command != nil || runsCommand(t.Def) {
			return true
		}
	}
	return false
}

// runsCommand reports whether a tunable's address is a command, also where a
// profile names it as such an address.
func runsCommand(t tunables.Tunable) bool {
	return slices.ContainsFunc(t.Kernel, func(k tunables.Knob) bool {
		return strings.HasPrefix(k.Address, tunables.SpaceCommand+":")
	})
}
