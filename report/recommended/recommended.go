// Package recommended lays recommendations out as text, as a Markdown page and
// as JSON.
package recommended

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/report/columns"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/recommendation"
	"github.com/iosweep/iosweep/results/stats"
)

// Text writes the answers for a terminal of so many columns; 0 is not a terminal,
// and the lines are as long as they are. It returns the writer's error.
func Text(w io.Writer, all []recommendation.Recommendation, width int) error {
	var b strings.Builder
	for i := range all {
		r := &all[i]
		lines := append(columns.Wrap(clean(Question(r)+": "+r.Sentence()), "  ", width), columns.Wrap("why: "+clean(r.Reason), "     ", width)...)
		lines = append(append(lines, ""), columns.Table{Rows: cleanRows(rows(r))}.Lines(width)...)
		for _, o := range r.Open {
			lines = append(lines, columns.Wrap("open: "+clean(o), "      ", width)...)
		}
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cleanRows(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = clean(row[i])
		}
	}
	return rows
}

// clean keeps control characters of names from the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// Question names what is asked: tunables, workload, load point and goal.
func Question(r *recommendation.Recommendation) string {
	text := fmt.Sprintf("%s on %s", strings.Join(r.Tunables, " and "), r.Goal.Workload)
	if r.Load != "own" {
		text += " at " + r.Load
	}
	return text + " (" + Goal(r.Goal) + ")"
}

// Goal is an objective in words, such as "maximise delete.throughput subject to
// reader.p99 <= 10ms".
func Goal(o results.Objective) string {
	text := "meet"
	switch {
	case o.Maximise != "":
		text = "maximise " + o.Maximise
	case o.Minimise != "":
		text = "minimise " + o.Minimise
	}
	for i, l := range o.Limits {
		if i == 0 {
			text += " subject to "
		} else {
			text += " and "
		}
		text += l.Text
	}
	return text
}

// rows is the table of losses: a value a row, a device a column.
func rows(r *recommendation.Recommendation) [][]string {
	head := []string{"value"}
	for _, d := range r.Devices {
		head = append(head, d.Title)
	}
	table := [][]string{append(head, "worst loss", "mean loss")}
	for _, v := range r.Values {
		row := []string{mark(r, v.Name)}
		for _, d := range r.Devices {
			g, measured := d.Regrets[v.Name]
			row = append(row, loss(g, measured, r.Goal))
		}
		if !v.Everywhere {
			row = append(row, "n/a", "n/a")
		} else {
			row = append(row, percent(v.Worst.V), percent(v.Mean.V))
		}
		table = append(table, row)
	}
	return table
}

// mark tells the default and its ties from the rest.
func mark(r *recommendation.Recommendation, value string) string {
	switch {
	case value == r.Default:
		return r.Label(value) + " (recommended)"
	case slices.Contains(r.Ties, value):
		return r.Label(value) + " (as good)"
	case slices.Contains(r.NotApart, value):
		return r.Label(value) + " (cannot be told apart)"
	}
	return r.Label(value)
}

// loss is a cell: the median and what it loses to the device's best.
func loss(g recommendation.Regret, measured bool, o results.Objective) string {
	switch {
	case !measured:
		return "not measured"
	case !g.Center.Valid:
		return "no figure"
	case g.State == stats.Infeasible:
		return center(g, o) + ", breaks a limit"
	case g.Outcome == "" && g.Loss == 0:
		return center(g, o) + ", best"
	case g.Outcome == "":
		return center(g, o) + ", may break a limit"
	}
	text := center(g, o) + ", loses " + percent(g.Loss)
	if g.Lo.Valid {
		text += fmt.Sprintf(" (%s to %s)", percent(g.Lo.V), percent(g.Hi.V))
	}
	text += ", " + string(g.Outcome)
	if g.Contrary != "" {
		text += " (" + g.Contrary + ")"
	}
	return text
}

// center is the median, or the bound that it is: a latency is at least that, a
// rate at most.
func center(g recommendation.Regret, o results.Objective) string {
	text := figure(g.Center.V, o)
	m, err := results.ParseMetric(o.Maximise + o.Minimise)
	switch {
	case !g.Bound || err != nil:
		return text
	case m.HigherIsBetter():
		return "\u2264 " + text
	}
	return "\u2265 " + text
}

func percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }

func figure(v float64, o results.Objective) string {
	m, err := results.ParseMetric(o.Maximise + o.Minimise)
	switch {
	case err == nil && m.Unit() == results.Seconds:
		return units.FormatSeconds(v)
	case err == nil && m.Unit() == results.BytesPerSecond:
		return units.FormatRate(v)
	}
	return units.FormatOps(v)
}

// Markdown writes a page with the answers and the runs that they rest on, as
// links. It returns the writer's error.
func Markdown(w io.Writer, all []recommendation.Recommendation) error {
	var b strings.Builder
	b.WriteString("# Recommended settings\n")
	for i := range all {
		section(&b, &all[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func section(b *strings.Builder, r *recommendation.Recommendation) {
	fmt.Fprintf(b, "\n## %s\n\n**%s**\n\n", columns.EscapeMarkdown(Question(r)), columns.EscapeMarkdown(r.Sentence()))
	fmt.Fprintf(b, "Why: %s. By the weighted mean over devices it would be %s. A loss is against the best value on the same device, with its interval; the margin is %s.\n\n",
		columns.EscapeMarkdown(r.Reason), columns.EscapeMarkdown(orNone(r.Label(r.ByMean))), percent(r.Margin))
	for i, row := range rows(r) {
		for k := range row {
			row[k] = columns.EscapeMarkdown(row[k])
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(b, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
	b.WriteString("\nEvidence:\n\n")
	for _, d := range r.Devices {
		what := "measured"
		if d.Simulated {
			what = "simulated"
		}
		for _, e := range append([]recommendation.Evidence{{Run: d.Run, Dir: d.Dir}}, d.More...) {
			fmt.Fprintf(b, "- %s, %s: [%s](<%s>)\n", columns.EscapeMarkdown(d.Title), what, columns.EscapeMarkdown(e.Run), strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A").Replace(e.Dir))
		}
	}
	for i, o := range r.Open {
		if i == 0 {
			b.WriteString("\nMore measurement could change the answer:\n\n")
		}
		fmt.Fprintf(b, "- %s\n", columns.EscapeMarkdown(o))
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// JSON writes the answers for machines: losses are shares, figures in base
// units. It returns the writer's error.
func JSON(w io.Writer, all []recommendation.Recommendation) error {
	out := make([]answer, len(all))
	for i := range all {
		out[i] = answerOf(&all[i])
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
