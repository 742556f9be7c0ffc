// Package compared lays a comparison out as text, Markdown, CSV and JSON. It
// does no arithmetic but to scale units.
package compared

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/iosweep/iosweep/results/stats"
)

// figure scales a figure in its base unit for people.
func figure(v float64, unit results.Unit) string {
	switch unit {
	case results.Seconds:
		return units.FormatSeconds(v)
	case results.BytesPerSecond:
		return units.FormatRate(v)
	}
	return units.FormatOps(v)
}

// median is a sample's median with its interval, or as the bound that it is where
// trials count with theirs.
func median(s stats.Summary, unit results.Unit, bounds int) string {
	if s.N == 0 {
		return "n/a"
	}
	if bounds > 0 {
		return sign(unit) + " " + figure(s.Center, unit)
	}
	if s.N == 1 {
		return figure(s.Center, unit) + " (one trial)"
	}
	center, low, high := figure(s.Center, unit), figure(s.Lo, unit), figure(s.Hi, unit)
	if _, u, spaced := strings.Cut(center, " "); spaced && strings.HasSuffix(low, " "+u) && strings.HasSuffix(high, " "+u) {
		return fmt.Sprintf("%s (%s to %s)", center, strings.TrimSuffix(low, " "+u), strings.TrimSuffix(high, " "+u))
	}
	return fmt.Sprintf("%s (%s to %s)", center, low, high)
}

// sign is of a bound: a latency is at least that, a rate at most.
func sign(unit results.Unit) string {
	if unit == results.Seconds {
		return "\u2265"
	}
	return "\u2264"
}

// ratio is the ratio and its interval.
func ratio(c *stats.Comparison) string {
	if !c.Ratio.Valid {
		return "n/a"
	}
	return fmt.Sprintf("%s (%s to %s)", times(c.Ratio.V), times(c.Lo.V), times(c.Hi.V))
}

func times(v float64) string {
	if v >= 100 || v > 0 && v < 0.01 {
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// probability prints p as benchstat does: three decimals.
func probability(p results.Float) string {
	if !p.Valid {
		return "n/a"
	}
	return fmt.Sprintf("%.3f", p.V)
}

// trials is how many figures of either side entered.
func trials(r *comparison.Row) string {
	text := fmt.Sprintf("%d, %d", r.Comparison.Base.N, r.Comparison.New.N)
	if r.Test == stats.SignedRank {
		text = fmt.Sprintf("%d pairs", r.Pairs)
	}
	return text
}

// shown are the columns of people's tables: load and setting only where any row has
// them.
type shown struct{ load, setting, workload, metric bool }

func shownOf(t *comparison.Table) (c shown) {
	c.workload, c.metric = true, true
	for i := range t.Rows {
		c.load = c.load || t.Rows[i].Load != "own"
		c.setting = c.setting || t.Rows[i].Setting != "" || t.Rows[i].NewValue != ""
	}
	return c
}

func (c shown) header() []string {
	return c.keep([]string{"workload", "load", "setting", "metric", "base", "new", "new/base", "p", "p (Holm)", "trials", "verdict"})
}

func (c shown) cells(r *comparison.Row) []string {
	setting := r.Setting
	if r.NewValue != "" {
		setting = strings.TrimSpace(r.Setting + " " + r.BaseValue + " -> " + r.NewValue)
	}
	return c.keep([]string{
		r.Workload, r.Load, setting, r.Metric, median(r.Comparison.Base, r.Unit, r.BaseBounds), median(r.Comparison.New, r.Unit, r.NewBounds),
		ratio(&r.Comparison), probability(r.P), probability(r.PAdjusted), trials(r), string(r.Outcome),
	})
}

// fold takes away the columns that say the same in every row, and returns what
// they say, to be said once.
func (c *shown) fold(t *comparison.Table) (said []string) {
	if len(t.Rows) == 0 {
		return nil
	}
	first := &t.Rows[0]
	differs := func(of func(*comparison.Row) string) bool {
		return slices.ContainsFunc(t.Rows, func(r comparison.Row) bool { return of(&r) != of(first) })
	}
	if c.workload = differs(func(r *comparison.Row) string { return r.Workload }); !c.workload {
		said = append(said, first.Workload)
	}
	if c.metric = differs(func(r *comparison.Row) string { return r.Metric }); !c.metric {
		said = append(said, first.Metric)
	}
	return said
}

// keep leaves out the columns that no row needs.
func (c shown) keep(row []string) (kept []string) {
	for i, shown := range []bool{c.workload, c.load, c.setting, c.metric} {
		if shown {
			kept = append(kept, row[i])
		}
	}
	return append(kept, row[4:]...)
}

// title says what was compared.
func title(t *comparison.Table) string {
	return fmt.Sprintf("%s against %s", t.New, t.Base)
}

// remarks are what must be known beside the figures, each once, with the rows
// that it is about.
func remarks(t *comparison.Table) []string {
	all := append([]string{}, t.Notes...)
	for _, u := range t.Unmatched {
		all = append(all, "not compared: "+u.String())
	}
	rows := map[string][]string{}
	var order []string
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, n := range append(r.Notes[:len(r.Notes):len(r.Notes)], warnings(r)...) {
			if rows[n] == nil {
				order = append(order, n)
			}
			rows[n] = append(rows[n], RowName(r))
		}
	}
	for _, n := range order {
		all = append(all, about(rows[n])+": "+n)
	}
	return all
}

// about names a few rows and counts the rest.
func about(rows []string) string {
	const most = 2
	if len(rows) <= most {
		return strings.Join(rows, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(rows[:most], ", "), len(rows)-most)
}

// warnings are those of the statistics.
func warnings(r *comparison.Row) []string {
	var all []string
	for _, side := range []struct {
		name string
		s    stats.Summary
	}{{"base", r.Comparison.Base}, {"new", r.Comparison.New}} {
		for _, w := range side.s.Warnings {
			all = append(all, side.name+": "+w)
		}
	}
	return append(all, r.Warnings...)
}

// RowName names a row: its workload, load point, setting and metric.
func RowName(r *comparison.Row) string {
	parts := []string{r.Workload}
	if r.Load != "own" {
		parts = append(parts, r.Load)
	}
	if r.Setting != "" {
		parts = append(parts, r.Setting)
	}
	if r.NewValue != "" {
		parts = append(parts, r.NewValue)
	}
	return strings.Join(append(parts, r.Metric), " ")
}

// method says how the figures were come by.
func method(t *comparison.Table) string {
	return fmt.Sprintf("Medians over trials with intervals of %.4g %%; the ratio is Hodges and Lehmann's estimate; same means within %.3g %%; p (Holm) is corrected for %d rows.",
		100*t.Confidence, 100*t.Margin, len(t.Rows))
}

// Sentence is a row in words.
func Sentence(r *comparison.Row) string {
	return fmt.Sprintf("%s: %s; base %s, new %s, ratio %s, p %s after Holm", RowName(r), r.Outcome,
		median(r.Comparison.Base, r.Unit, r.BaseBounds), median(r.Comparison.New, r.Unit, r.NewBounds), ratio(&r.Comparison), probability(r.PAdjusted))
}
