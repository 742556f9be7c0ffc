// Package comparison sets one run against another, or the variants of one run
// against each other, and says of each workload, load point and metric which is
// better.
//
//  1. Runs or Variants finds the sides of each row: cells with the same
//     workload, load point and other settings.
//  2. A metric is read off each counted trial of both sides.
//  3. stats.Compare compares them, stats.Decide corrects p by Holm over all rows.
//  4. What has no partner is listed, never averaged over.
//  5. Gate turns the rows into an answer for a lab's CI.
//
// Variants of one run pair by block, since a block's trials were measured under
// like conditions. Two runs do not: their blocks are hours apart.
package comparison

import (
	"fmt"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// DefaultMargin is the relative difference that does not matter unless Options
// say otherwise.
const DefaultMargin = 0.03

// Options say what to compare and how surely. Its zero value asks for 95 %
// confidence, no margin, and the metrics that the profile's objectives name.
type Options struct {
	Confidence float64
	// Margin is relative: 0.03 is 3 %.
	Margin float64
	// Metrics are compared instead of those of the objectives.
	Metrics []string
	// Unpaired compares as independent samples even where blocks pair.
	Unpaired bool
}

// Table is a comparison: rows in the order of the base run's plan.
type Table struct {
	// Base and New name the sides, as run or TUNABLE=VALUE.
	Base, New          string
	Confidence, Margin float64
	// Sequential says that the run was measured until it was decided, so that a
	// test which allows for that is used.
	Sequential bool
	Rows       []Row
	Unmatched  []Unmatched
	// Notes say what to know about the table as a whole.
	Notes []string
}

// Row compares one metric of one cell.
type Row struct {
	// Device is what was measured: its model, or else its name.
	Device, Workload, Load string
	// Setting names the settings that both sides share, or "".
	Setting string
	// BaseValue and NewValue are the values of the tunable that is varied.
	BaseValue, NewValue string
	Metric              string
	Unit                results.Unit
	stats.Comparison
	// BaseMissing and NewMissing count trials that do not have the figure.
	BaseMissing, NewMissing int
	// BaseBounds and NewBounds are how many of those count with a bound: the
	// median is then one too, at least of a latency and at most of a rate.
	BaseBounds, NewBounds int
	// Lack says why a side has no figure at all, or is "".
	Lack  Lack
	Notes []string

	before, after []stats.Value
}

// Lack is why nothing could be compared.
type Lack string

// The reasons: the target cannot do what the workload asks, or no trial of it
// came out valid.
const (
	Unsupported Lack = "unsupported"
	Unmeasured  Lack = "unmeasured"
)

// Unmatched is a cell that only one side has.
type Unmatched struct {
	Workload, Load, Setting string
	// Side is base or new: the one that has it.
	Side string
}

// String says it in words.
func (u Unmatched) String() string {
	text := u.Workload + " at " + u.Load
	if u.Setting != "" {
		text += ", " + u.Setting
	}
	return fmt.Sprintf("%s: only the %s side has it", text, u.Side)
}

// Runs compares two runs, cell by cell. Cells match by workload, load point and
// settings; where each run has one variant only, by workload and load point. The
// error says that a metric is not known, or that nothing matches.
func Runs(base, next *results.RunData, o Options) (*Table, error) {
	a, b := gather(base), gather(next)
	single := len(base.Run.Variants) == 1 && len(next.Run.Variants) == 1
	if single {
		a.anySetting()
		b.anySetting()
	}
	o.Unpaired = true
	t := newTable(base.Run.ID, next.Run.ID, o)
	t.unlike(base, next)
	if single && base.Run.Variants[0].ID != next.Run.Variants[0].ID {
		t.note("the settings differ: %s against %s", base.Run.Variants[0].Label, next.Run.Variants[0].Label)
	}
	for _, at := range a.order {
		other, ok := b.cells[at]
		if !ok {
			t.unmatched(a.cells[at], "base")
			continue
		}
		if err := t.add(a.cells[at], other, o); err != nil {
			return nil, err
		}
	}
	for _, at := range b.order {
		if _, ok := a.cells[at]; !ok {
			t.unmatched(b.cells[at], "new")
		}
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("compare %s with %s: no workload, load point and setting is in both: compare runs of the same profile", base.Dir, next.Dir)
	}
	return t.decide(), nil
}

func newTable(base, next string, o Options) *Table {
	if o.Confidence == 0 {
		o.Confidence = stats.DefaultConfidence
	}
	return &Table{Base: base, New: next, Confidence: o.Confidence, Margin: o.Margin}
}

func (t *Table) note(format string, a ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, a...))
}

func (t *Table) unmatched(c *cell, side string) {
	t.Unmatched = append(t.Unmatched, Unmatched{Workload: c.workload, Load: c.load.String(), Setting: c.label, Side: side})
}

// add compares the metrics of two cells.
func (t *Table) add(base, next *cell, o Options) error {
	names, err := metricsOf(base, o.Metrics)
	if err != nil {
		return err
	}
	for _, name := range names {
		row, err := newRow(base, next, name, o)
		if err != nil {
			return err
		}
		if row != nil {
			t.Rows = append(t.Rows, *row)
		}
	}
	return nil
}

// decide compares and corrects p over all rows. A side whose missing figures all
// have bounds had trials in which too little completed: what is proven against
// it stands, nothing else does. Without bounds those that are left may be the
// better ones, and nothing is proven.
func (t *Table) decide() *Table {
	all := make([]stats.Comparison, len(t.Rows))
	for i := range t.Rows {
		r := &t.Rows[i]
		o := stats.Options{Confidence: t.Confidence, Margin: t.Margin, HigherIsBetter: r.HigherIsBetter(), Family: len(t.Rows), Sequential: t.Sequential}
		all[i] = stats.Compare(r.before, r.after, o)
	}
	stats.Decide(all)
	for i := range t.Rows {
		r := &t.Rows[i]
		r.Comparison = all[i]
		if r.BaseMissing > 0 && r.Outcome != stats.Better || r.NewMissing > 0 && r.Outcome != stats.Worse {
			r.Outcome = stats.Undecided
		}
		if r.BaseMissing > r.BaseBounds || r.NewMissing > r.NewBounds {
			r.Outcome = stats.Undecided
		}
	}
	return t
}

// metricsOf are the metrics to compare in a cell: those asked for, or those that
// its workload is judged by.
func metricsOf(c *cell, asked []string) ([]string, error) {
	for _, name := range asked {
		if _, err := results.ParseMetric(name); err != nil {
			return nil, err
		}
	}
	if len(asked) > 0 {
		return asked, nil
	}
	return c.data.Run.MetricsOf(c.workload), nil
}
