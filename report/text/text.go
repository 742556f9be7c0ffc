// Package text lays a report out for a terminal: the notes, one table for each
// job and kind of operation, and the verdicts.
package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/iosweep/iosweep/report"
)

// width is what the lines are kept to, in columns.
const width = 110

// Write writes the model's tables and verdicts. It returns the writer's error.
func Write(w io.Writer, m *report.Model) error {
	var b strings.Builder
	line(&b, m.Title)
	line(&b, m.Subtitle)
	for _, n := range m.Notes {
		wrap(&b, "note: ", n)
	}
	for i := range m.Workloads {
		workload(&b, &m.Workloads[i])
	}
	verdicts(&b, m)
	_, err := io.WriteString(w, b.String())
	return err
}

func workload(b *strings.Builder, w *report.Workload) {
	b.WriteString("\n")
	name := w.Name
	if w.Run != "" {
		name += " (run " + w.Run + ")"
	}
	wrap(b, "", strings.TrimSuffix(name+": "+w.Summary, ": "))
	if len(w.Tables) == 0 {
		line(b, "  nothing was measured")
	}
	for i := range w.Tables {
		table(b, w, &w.Tables[i])
	}
}

// table writes each row's medians and, below them, their intervals.
func table(b *strings.Builder, w *report.Workload, t *report.Table) {
	wrap(b, "  ", caption(t))
	if utf8.RuneCountInString(w.Key) > nameWidth {
		wrap(b, "  settings: ", w.Key)
	}
	cells := [][]string{header(w)}
	for i := range t.Rows {
		cells = append(cells, medians(&t.Rows[i]))
		if s := spreads(&t.Rows[i]); s != nil {
			cells = append(cells, s)
		}
	}
	widths := columns(cells)
	for _, row := range cells {
		if utf8.RuneCountInString(row[0]) > nameWidth {
			wrap(b, "     ", row[0])
			row[0] = ""
		}
		line(b, pad(row, widths))
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Note != "" {
			wrap(b, "    ", rowName(r)+": "+r.Note)
		}
	}
}

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

func columns(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			if i > 0 || utf8.RuneCountInString(c) <= nameWidth {
				widths[i] = max(widths[i], utf8.RuneCountInString(c))
			}
		}
	}
	return widths
}

// pad aligns the first and the last column left, the others right.
func pad(row []string, widths []int) string {
	parts := []string{"   "}
	for i, c := range row {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
		if i == 0 || i == len(row)-1 {
			parts = append(parts, c+space)
		} else {
			parts = append(parts, space+c)
		}
	}
	return strings.Join(parts, "  ")
}

func verdicts(b *strings.Builder, m *report.Model) {
	b.WriteString("\n")
	for _, s := range m.Answer {
		wrap(b, "", s)
	}
	for _, f := range m.Findings {
		wrap(b, "finding: ", fmt.Sprintf("%s in %s: %s", f.Code, count(f), f.Text))
	}
}

// count says where a finding was made and in how many trials.
func count(f report.Finding) string {
	if f.Trials == 0 {
		return f.Where
	}
	return fmt.Sprintf("%d trial(s) of %s", f.Trials, f.Where)
}

func line(b *strings.Builder, s string) {
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

// wrap breaks text at spaces; later lines are indented below the first.
func wrap(b *strings.Builder, prefix, text string) {
	indent := strings.Repeat(" ", len(prefix))
	at := prefix
	used := false
	for _, word := range strings.Fields(clean(text)) {
		if used && utf8.RuneCountInString(at)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(at + "\n")
			at, used = indent+"  ", false
		}
		if used {
			at += " "
		}
		at += word
		used = true
	}
	b.WriteString(at + "\n")
}
