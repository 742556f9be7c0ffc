package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/iosweep/iosweep/results"
)

// subject is one job's operations of one kind: what a table is about. Kind is
// empty for a job of which no operation ever completed.
type subject struct{ job, kind string }

func (s subject) metric(quantity string) string {
	if s.kind == "" {
		return s.job + "." + quantity
	}
	return s.job + "." + s.kind + "." + quantity
}

// name is "reader read" or, for a job that is named after its kind, "read".
func (s subject) name() string {
	if s.kind == "" || s.job == s.kind || s.job == s.kind+"s" {
		return s.job
	}
	return s.job + " " + s.kind
}

// subjects lists what the trials of a place measured, jobs in their order and
// kinds in the order of the operations.
func (p *place) subjects() []subject {
	seen := map[string][]string{}
	for _, c := range p.cells {
		for _, t := range c.last {
			for _, j := range t.Jobs {
				seen[j.Name] = addKinds(seen[j.Name], j.Kinds)
			}
		}
	}
	var out []subject
	for _, j := range p.workload.Jobs {
		if len(seen[j.Name]) == 0 {
			out = append(out, subject{job: j.Name})
		}
		for _, kind := range []string{"read", "write", "delete", "flush"} {
			if slices.Contains(seen[j.Name], kind) {
				out = append(out, subject{j.Name, kind})
			}
		}
	}
	return out
}

func addKinds(have []string, kinds []results.KindResult) []string {
	for _, k := range kinds {
		if !slices.Contains(have, k.Kind) {
			have = append(have, k.Kind)
		}
	}
	return have
}

// table makes the table of one subject, a row for each setting and load point,
// measured or not.
func (p *place) table(s subject) Table {
	t := Table{Job: s.job, Kind: s.kind, Title: s.name(), Clock: p.clock(s), Origin: origin(p.run.Run)}
	least, most := math.MaxInt, 0
	for _, setting := range p.settings {
		for _, load := range p.loads {
			row := p.row(s, setting, load)
			t.Rows = append(t.Rows, row)
			if row.cell != nil && len(row.cell.counted) > 0 {
				least, most = min(least, len(row.cell.counted)), max(most, len(row.cell.counted))
			}
		}
		if len(p.loads) == 0 {
			t.Rows = append(t.Rows, p.row(s, setting, results.Load{}))
		}
	}
	t.Interval = intervalOver(least, most)
	return t
}

func (p *place) row(s subject, setting Setting, load results.Load) Row {
	c := p.cells[cellKey{setting.key, load.String()}]
	row := Row{Setting: setting, Load: loadText(load), Trials: c.status(p.run), cell: c}
	for _, q := range Quantities() {
		row.Figures = append(row.Figures, c.bounded(s.metric(q)))
	}
	row.Service = c.service(s)
	if c == nil || len(c.counted) == 0 {
		row.Note = c.why()
		return row
	}
	c.pending(s, &row)
	return row
}

// pending adds what the histograms do not have: operations that were still
// outstanding when the window closed, the oldest for longer than any that
// completed. Their wait is a lower bound of the maximum.
func (c *cell) pending(s subject, row *Row) {
	starved, outlasted := 0, 0
	for _, t := range c.counted {
		done, waited := waitingIn(t, s)
		switch {
		case waited && done:
			outlasted++
		case waited:
			starved++
		}
	}
	maximum := len(row.Figures) - 1
	switch {
	case starved > 0:
		row.Note = starvedText(s, starved, c, row.Figures[maximum])
	case outlasted > 0:
		row.Figures[maximum] = row.Figures[maximum].atLeast("max")
		row.Note = "the longest wait had not ended when the window closed: the maximum is a lower bound"
	}
}

// waitingIn says whether any of a subject's operations was done, and whether
// one that was not had waited for longer than any that was.
func waitingIn(t *results.Trial, s subject) (done, waited bool) {
	for _, j := range t.Jobs {
		if j.Name != s.job {
			continue
		}
		longest := 0.0
		for _, k := range j.Kinds {
			if k.Kind == s.kind && k.Ops > 0 {
				done, longest = true, slowest(k)
			}
		}
		return done, j.Pending > 0 && j.OldestPendingSeconds > longest
	}
	return false, false
}

// slowest is the longest response, or service where that is all there is, in
// seconds.
func slowest(k results.KindResult) float64 {
	if k.Response.Count() > 0 {
		return k.Response.Max().Seconds()
	}
	return k.Service.Max().Seconds()
}

func starvedText(s subject, starved int, c *cell, oldest Figure) string {
	what := s.kind
	if what == "" {
		what = "operation"
	}
	in := ""
	if n := len(c.counted); starved < n {
		in = fmt.Sprintf("in %d of %d trials ", starved, n)
	}
	window := show("max", c.counted[0].WindowSeconds)
	return fmt.Sprintf("%sno %s completed in %s; the oldest had waited %s", in, what, window, show("max", oldest.Median))
}

// clock says from where the latencies of a subject are counted.
func (p *place) clock(s subject) string {
	for _, c := range p.cells {
		for _, t := range c.counted {
			for _, j := range t.Jobs {
				for _, k := range j.Kinds {
					if j.Name == s.job && k.Kind == s.kind && k.Response.Count() > 0 {
						return "response time, counted from when the operation was due"
					}
				}
			}
		}
	}
	return "service time, counted from issue"
}
