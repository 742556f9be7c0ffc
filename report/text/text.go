// Package text lays a report out for a terminal: the notes, one table for each
// job and kind of operation, and the verdicts.
package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/columns"
)

// usual is what lines of words are kept to, in columns, where it is not known how
// wide they are shown.
const usual = 110

// page is a text as it is written, within so many columns; tables are whole where
// that is 0.
type page struct {
	strings.Builder
	width int
}

// Write writes the model's tables and verdicts for a terminal of so many
// columns; 0 is not a terminal. It returns the writer's error.
func Write(w io.Writer, m *report.Model, width int) error {
	b := &page{width: width}
	b.wrap("", m.Title)
	b.wrap("", m.Subtitle)
	for _, n := range m.Notes {
		b.wrap("note: ", n)
	}
	for i := range m.Workloads {
		b.workload(&m.Workloads[i])
	}
	b.verdicts(m)
	_, err := io.WriteString(w, b.String())
	return err
}

func (b *page) workload(w *report.Workload) {
	b.WriteString("\n")
	name := w.Name
	if w.Run != "" {
		name += " (run " + w.Run + ")"
	}
	b.wrap("", strings.TrimSuffix(name+": "+w.Summary, ": "))
	if len(w.Tables) == 0 {
		b.line("  nothing was measured")
	}
	for i := range w.Tables {
		b.table(w, &w.Tables[i])
	}
}

// table writes each row's medians and, below them, their intervals.
func (b *page) table(w *report.Workload, t *report.Table) {
	b.wrap("  ", caption(t))
	if utf8.RuneCountInString(w.Key) > nameWidth {
		b.wrap("  settings: ", w.Key)
	}
	c := columns.Table{Rows: [][]string{header(w)}, Right: true, Indent: "     ", Name: nameWidth, Spare: spare()}
	for i := range t.Rows {
		c.Rows = append(c.Rows, medians(&t.Rows[i]))
		if s := spreads(&t.Rows[i]); s != nil {
			c.Rows = append(c.Rows, s)
		}
	}
	for _, l := range c.Lines(b.width) {
		b.line(l)
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Note != "" {
			b.wrap("    ", rowName(r)+": "+r.Note)
		}
	}
}

// spare are the quantities that a narrow terminal is spared, the first first:
// what a throughput and a p99 stand for well enough.
func spare() []string { return []string{"ops", "p99.9", "p50", "max", "mean"} }

func header(w *report.Workload) []string {
	name := "setting"
	if w.Key != "" && utf8.RuneCountInString(w.Key) <= nameWidth {
		name = w.Key
	}
	return append(append([]string{name}, report.Quantities()...), "trials")
}

// nameWidth is the widest name that stands in a table's first column; a longer
// one has a line of its own above its figures.
const nameWidth = 30

func rowName(r *report.Row) string {
	if r.Load == "" {
		return r.Setting.Short
	}
	return r.Setting.Short + ", " + r.Load
}

// caption says what a table's figures are.
func caption(t *report.Table) string {
	text := t.Title + ": " + t.Clock + "; below each median: " + t.Interval
	if t.Origin != "" {
		text += "; " + t.Origin
	}
	return text
}

func medians(r *report.Row) []string {
	out := []string{rowName(r)}
	for _, f := range r.Figures {
		out = append(out, f.Text)
	}
	return append(out, r.Trials)
}

// spreads is the line of intervals, or nil when no figure has one.
func spreads(r *report.Row) []string {
	out := []string{""}
	any := false
	for _, f := range r.Figures {
		out = append(out, f.Spread)
		any = any || f.Spread != ""
	}
	if !any {
		return nil
	}
	return append(out, "")
}

func (b *page) verdicts(m *report.Model) {
	b.WriteString("\n")
	for _, s := range m.Answer {
		b.wrap("", s)
	}
	for _, f := range m.Findings {
		b.wrap("finding: ", fmt.Sprintf("%s in %s: %s", f.Code, count(f), f.Text))
	}
}

// count says where a finding was made and in how many trials.
func count(f report.Finding) string {
	if f.Trials == 0 {
		return f.Where
	}
	if f.Trials == 1 {
		return "1 trial of " + f.Where
	}
	return fmt.Sprintf("%d trials of %s", f.Trials, f.Where)
}

func (b *page) line(s string) {
	b.WriteString(strings.TrimRight(clean(s), " ") + "\n")
}

// clean keeps control characters of names from the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// wrap writes text in lines; the later ones are indented below the first.
func (b *page) wrap(prefix, text string) {
	width := b.width
	if width == 0 {
		width = usual
	}
	indent := strings.Repeat(" ", len(prefix)) + "  "
	first := true
	for _, l := range columns.Wrap(clean(text), "", max(8, width-len(indent))) {
		if first {
			b.line(prefix + l)
		} else {
			b.line(indent + l)
		}
		first = false
	}
}
