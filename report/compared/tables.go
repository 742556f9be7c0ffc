package compared

import (
	"encoding/csv"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/report/columns"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
)

// Text writes an aligned table for a terminal of so many columns; 0 is not a
// terminal, and the lines are as long as they are. It returns the writer's error.
func Text(w io.Writer, t *comparison.Table, width int) error {
	var b strings.Builder
	wrap := func(text, indent string) {
		for _, l := range columns.Wrap(clean(text), indent, width) {
			fmt.Fprintln(&b, l)
		}
	}
	shown := shownOf(t)
	said := append(shown.fold(t), title(t))
	wrap(strings.Join(said, ": "), "  ")
	b.WriteString("\n")
	c := columns.Table{Rows: [][]string{shown.header()}, Spare: []string{"p", "trials", "p (Holm)", "base"}}
	for i := range t.Rows {
		row := shown.cells(&t.Rows[i])
		for k := range row {
			row[k] = clean(row[k])
		}
		c.Rows = append(c.Rows, row)
	}
	for _, l := range c.Lines(width) {
		fmt.Fprintln(&b, l)
	}
	b.WriteString("\n")
	wrap(method(t), "  ")
	for _, r := range remarks(t) {
		wrap("note: "+r, "      ")
	}
	_, err := io.WriteString(w, b.String())
	return err
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

// Markdown writes the table as GitHub has it. It returns the writer's error.
func Markdown(w io.Writer, t *comparison.Table) error {
	_, err := io.WriteString(w, markdown(t, len(t.Rows)))
	return err
}

// markdown has the first rows of the table only.
func markdown(t *comparison.Table, rows int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", columns.EscapeMarkdown(title(t)))
	shown := shownOf(t)
	head := shown.header()
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(head)
	line(strings.Split(strings.Repeat("--- ", len(head)-1)+"---", " "))
	for i := range t.Rows[:rows] {
		row := shown.cells(&t.Rows[i])
		for k := range row {
			row[k] = columns.EscapeMarkdown(row[k])
		}
		line(row)
	}
	fmt.Fprintf(&b, "\n%s\n", method(t))
	if left := len(t.Rows) - rows; left > 0 {
		fmt.Fprintf(&b, "\n%d more rows are left out for length.\n", left)
		return b.String()
	}
	for i, r := range remarks(t) {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", columns.EscapeMarkdown(r))
	}
	return b.String()
}

// CSV writes one line a row in base units, with a header. It returns the
// writer's error.
func CSV(w io.Writer, t *comparison.Table) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"device", "workload", "load", "setting", "base_value", "new_value", "metric", "unit",
		"base_n", "base_median", "base_lo", "base_hi", "new_n", "new_median", "new_lo", "new_hi",
		"ratio", "ratio_lo", "ratio_hi", "p", "p_holm", "test", "verdict", "base_bounds", "new_bounds"}}
	for i := range t.Rows {
		rows = append(rows, csvRow(&t.Rows[i]))
	}
	return c.WriteAll(rows)
}

func csvRow(r *comparison.Row) []string {
	row := []string{r.Device, r.Workload, r.Load, r.Setting, r.BaseValue, r.NewValue, r.Metric, string(r.Unit)}
	for _, s := range []side{sideOf(r.Comparison.Base, r.BaseBounds), sideOf(r.Comparison.New, r.NewBounds)} {
		row = append(row, strconv.Itoa(s.N), number(s.Median), number(s.Lo), number(s.Hi))
	}
	for _, f := range []results.Float{r.Ratio, r.Lo, r.Hi, r.P, r.PAdjusted} {
		row = append(row, number(f))
	}
	return append(row, string(r.Test), string(r.Outcome), strconv.Itoa(r.BaseBounds), strconv.Itoa(r.NewBounds))
}

// number is a figure in full, empty where there is none.
func number(f results.Float) string {
	if !f.Valid {
		return ""
	}
	return strconv.FormatFloat(f.V, 'g', -1, 64)
}

// Shortened is the Markdown table cut to the rows that fit in limit bytes; it
// says how many are left out.
func Shortened(t *comparison.Table, limit int) string {
	whole := markdown(t, len(t.Rows))
	if len(whole) <= limit {
		return whole
	}
	fit := sort.Search(len(t.Rows), func(rows int) bool { return len(markdown(t, rows)) > limit })
	return markdown(t, max(0, fit-1))
}
