package report

import (
	"fmt"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
)

// notes say what is wrong with the runs as a whole.
func notes(set *results.Set, q query.Query) []string {
	var out []string
	for _, r := range set.Runs {
		switch {
		case len(r.Trials) == 0:
			out = append(out, fmt.Sprintf("run %s has no trials", r.Run.ID))
		case r.Run.Planned > 0 && places(r) < r.Run.Planned && (r.Run.Repeat == nil || !r.Complete):
			out = append(out, fmt.Sprintf("run %s is incomplete: %d of %d planned trials are stored", r.Run.ID, places(r), r.Run.Planned))
		case !r.Complete:
			out = append(out, fmt.Sprintf("run %s was not closed, or its files do not match their sums", r.Run.ID))
		}
		if r.Run.Simulated {
			out = append(out, fmt.Sprintf("run %s measured a model, not a device", r.Run.ID))
		}
		out = append(out, r.Problems...)
	}
	if text := q.String(); text != "" {
		out = append(out, "only trials with "+text+" are shown")
	}
	return out
}

// places counts the places of the plan that have a trial.
func places(r *results.RunData) int {
	seen := map[int]bool{}
	for i := range r.Trials {
		seen[r.Trials[i].Index] = true
	}
	return len(seen)
}

// merged says which settings read back alike.
func (p *place) merged() []string {
	var out []string
	for _, s := range p.settings {
		if len(s.variants) > 1 {
			out = append(out, fmt.Sprintf("%s: the settings %s read back alike and are shown as one", p.workload.Name, s.Label))
		}
	}
	return out
}

// trialRows lists every trial of a place by job and kind, attempts that were
// repeated among them.
func (p *place) trialRows() []TrialRow {
	var out []TrialRow
	p.each(func(s Setting, _ results.Load, c *cell) {
		for i := range c.last {
			out = append(out, p.rowsOf(s, c, i)...)
		}
	})
	return out
}

// rowsOf lists the i-th trial of a cell.
func (p *place) rowsOf(s Setting, c *cell, i int) []TrialRow {
	t := c.last[i]
	base := TrialRow{
		Run: p.run.Run.ID, Workload: t.Workload, Setting: s.Label, Variant: t.Variant, Load: t.Load.String(),
		Index: t.Index, Attempt: t.Attempt, Block: t.Block, Status: t.Status, WindowSeconds: t.WindowSeconds,
	}
	for _, f := range t.Findings {
		base.Findings = append(base.Findings, f.Code)
	}
	if len(t.Jobs) == 0 {
		base.Figures = make([]results.Float, len(Quantities()))
		return []TrialRow{base}
	}
	var out []TrialRow
	for _, j := range t.Jobs {
		out = append(out, jobRows(base, c, i, j)...)
	}
	return out
}

func jobRows(base TrialRow, c *cell, i int, j results.JobResult) []TrialRow {
	base.Job, base.Depth, base.Rate, base.AchievedDepth = j.Name, j.Depth, j.Rate, j.AchievedDepth
	base.Pending, base.OldestPendingSeconds = j.Pending, j.OldestPendingSeconds
	kinds := j.Kinds
	if len(kinds) == 0 {
		kinds = []results.KindResult{{}}
	}
	var out []TrialRow
	for _, k := range kinds {
		row := base
		row.Kind, row.Ops, row.Bytes, row.Errors = k.Kind, k.Ops, k.Bytes, k.Errors
		row.Figures = nil
		for _, q := range Quantities() {
			name := results.MetricName{Job: j.Name, Kind: k.Kind, Quantity: q}
			row.Figures = append(row.Figures, c.readings(name)[i].Value)
		}
		out = append(out, row)
	}
	return out
}
