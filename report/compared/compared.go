// Package compared lays a comparison out as text, Markdown, CSV and JSON. It
// does no arithmetic but to scale units.
package compared

import (
	"fmt"
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

// median is a sample's median with its interval.
func median(s stats.Summary, unit results.Unit) string {
	if s.N == 0 {
		return "n/a"
	}
	if s.N == 1 {
		return figure(s.Center, unit) + " (one trial)"
	}
	return fmt.Sprintf("%s (%s to %s)", figure(s.Center, unit), figure(s.Lo, unit), figure(s.Hi, unit))
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

// header names the columns of people's tables.
func header(t *comparison.Table) []string {
	head := []string{"workload", "load", "setting", "metric", "base", "new", "new/base", "p", "p (Holm)", "trials", "verdict"}
	return drop(head, t)
}

func cells(t *comparison.Table, r *comparison.Row) []string {
	setting := r.Setting
	if r.NewValue != "" {
		setting = strings.TrimSpace(r.Setting + " " + r.BaseValue + " -> " + r.NewValue)
	}
	return drop([]string{
		r.Workload, r.Load, setting, r.Metric, median(r.Comparison.Base, r.Unit), median(r.Comparison.New, r.Unit),
		ratio(&r.Comparison), probability(r.P), probability(r.PAdjusted), trials(r), string(r.Outcome),
	}, t)
}

// drop leaves out the columns for load and setting where no row has any.
func drop(row []string, t *comparison.Table) []string {
	load, setting := false, false
	for i := range t.Rows {
		load = load || t.Rows[i].Load != "own"
		setting = setting || t.Rows[i].Setting != "" || t.Rows[i].NewValue != ""
	}
	kept := row[:1:1]
	if load {
		kept = append(kept, row[1])
	}
	if setting {
		kept = append(kept, row[2])
	}
	return append(kept, row[3:]...)
}

// title says what was compared.
func title(t *comparison.Table) string {
	return fmt.Sprintf("%s against %s", t.New, t.Base)
}

// remarks are what must be known beside the figures, each once.
func remarks(t *comparison.Table) []string {
	var all []string
	seen := map[string]bool{}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	for _, n := range t.Notes {
		add(n)
	}
	for _, u := range t.Unmatched {
		add("not compared: " + u.String())
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, n := range append(r.Notes[:len(r.Notes):len(r.Notes)], warnings(r)...) {
			add(fmt.Sprintf("%s: %s", RowName(r), n))
		}
	}
	return all
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
