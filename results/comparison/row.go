package comparison

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
	"github.com/iosweep/iosweep/results/stats"
)

// newRow compares one metric of two cells. It is nil where neither side has the
// metric's job: another workload of the run is meant.
func newRow(base, next *cell, name string, o Options) (*Row, error) {
	m, err := results.ParseMetric(name)
	if err != nil {
		return nil, err
	}
	if !base.has(m) && !next.has(m) {
		return nil, nil
	}
	before, after := base.read(m, o.Unpaired), next.read(m, o.Unpaired)
	row := &Row{
		Device: base.data.Run.Device.Title(), Workload: base.workload, Load: base.load.String(), Setting: base.label,
		Metric: name, Unit: m.Unit(), BaseMissing: before.missing, NewMissing: after.missing,
		BaseBounds: before.bounds, NewBounds: after.bounds,
	}
	row.before, row.after = before.values, after.values
	row.Lack = cmp.Or(base.lack(before), next.lack(after))
	row.Notes = append(base.notes("base", before), next.notes("new", after)...)
	return row, nil
}

// has says whether the cell's workload has the metric's job.
func (c *cell) has(m results.MetricName) bool {
	if m.Job == "" {
		return true
	}
	w := c.data.Run.Workloads[c.place()]
	return slices.ContainsFunc(w.Jobs, func(j results.Job) bool { return j.Name == m.Job })
}

// reading is a metric over a cell's counted trials.
type reading struct {
	values  []stats.Value
	missing int
	bounds  int
	reasons []string
}

func (c *cell) read(m results.MetricName, unpaired bool) reading {
	var all reading
	for _, t := range c.counted {
		r, err := m.Read(t)
		if err != nil {
			r.Note = err.Error()
		}
		figure := r.Value
		if !figure.Valid {
			all.missing++
			if !slices.Contains(all.reasons, r.Note) {
				all.reasons = append(all.reasons, r.Note)
			}
			figure = r.Bound
			if figure.Valid {
				all.bounds++
			}
		}
		if !figure.Valid {
			continue
		}
		v := stats.Value{Figure: figure.V}
		if !unpaired {
			v.Block = strconv.Itoa(t.Block)
		}
		all.values = append(all.values, v)
	}
	return all
}

// lack says why a side has no figure.
func (c *cell) lack(r reading) Lack {
	unsupported := func(code string) bool { return code == string(results.Unsupported) }
	switch {
	case len(r.values) > 0:
		return ""
	case len(c.counted) == 0 && slices.ContainsFunc(c.reasons, unsupported):
		return Unsupported
	}
	return Unmeasured
}

// notes say what of a side does not count, and why.
func (c *cell) notes(side string, r reading) (notes []string) {
	if n := c.stored - len(c.counted); n > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %d trials do not count (%s)", side, n, c.stored, orUnknown(strings.Join(c.reasons, ", "))))
	}
	if r.missing > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %d trials have no figure: %s", side, r.missing, len(c.counted), strings.Join(r.reasons, "; ")))
	}
	return notes
}

func orUnknown(s string) string {
	if s == "" {
		return "no reason is stored"
	}
	return s
}

// unlike notes in what two runs differ although both must share it for their
// figures to be comparable.
func (t *Table) unlike(base, next *results.RunData) {
	records, err := query.Select(&results.Set{Runs: []*results.RunData{base, next}}, query.Query{})
	if err != nil {
		return // only a filter can fail, and there is none
	}
	for _, c := range query.Group(records) {
		for _, m := range c.Mixed {
			t.note("%s", m)
		}
	}
	for _, d := range []*results.RunData{base, next} {
		if !d.Complete {
			t.note("run %s is not complete", d.Run.ID)
		}
	}
}
