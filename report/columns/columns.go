// Package columns lays tables of text out in so many columns of a terminal.
package columns

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table is a header and rows of as many cells. A row without a name in its first
// cell belongs to the one above.
type Table struct {
	Rows [][]string
	// Right aligns all but the first and the last column right.
	Right bool
	// Indent stands before each line.
	Indent string
	// Name is the widest name that stands in the first column; a longer one has a
	// line of its own above its row. 0 is no limit.
	Name int
	// Spare names the columns that may be left out, the first to go first.
	Spare []string
}

const gap = "  "

// Lines lays the table out within width columns; 0 is as wide as it takes. What
// does not fit loses its spare columns, which are told in a last line, and what
// does not fit even so becomes a paragraph for each row.
func (t Table) Lines(width int) []string {
	rows, left := t.Rows, []string(nil)
	for _, name := range t.Spare {
		if width <= 0 || t.wide(rows) <= width {
			break
		}
		if thinner, ok := without(rows, name); ok {
			rows, left = thinner, append(left, name)
		}
	}
	if width > 0 && t.wide(rows) > width {
		return t.paragraphs(width)
	}
	widths := t.widths(rows)
	var out []string
	for _, row := range rows {
		if t.long(row[0]) {
			out = append(out, wrapped(t.Indent, row[0], width)...)
			row = append([]string{""}, row[1:]...)
		}
		out = append(out, strings.TrimRight(t.Indent+t.line(row, widths), " "))
	}
	if len(left) > 0 {
		note := "left out, for a terminal of " + strconv.Itoa(width) + " columns: " + strings.Join(left, ", ")
		out = append(out, wrapped(t.Indent, note, width)...)
	}
	return out
}

func (t Table) line(row []string, widths []int) string {
	parts := make([]string, len(row))
	for i, c := range row {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
		parts[i] = c + space
		if t.Right && i > 0 && i < len(row)-1 {
			parts[i] = space + c
		}
	}
	return strings.Join(parts, gap)
}

// paragraphs are the rows one below the other, a cell a line under its name.
func (t Table) paragraphs(width int) (out []string) {
	head := t.Rows[0]
	for _, row := range t.Rows[1:] {
		if row[0] != "" {
			out = append(out, wrapped(t.Indent, head[0]+" "+row[0], width)...)
		}
		for i, c := range row[1:] {
			if c != "" {
				out = append(out, wrapped(t.Indent+"    ", head[i+1]+" "+c, width)...)
			}
		}
	}
	return out
}

func (t Table) wide(rows [][]string) int {
	total := utf8.RuneCountInString(t.Indent)
	for i, w := range t.widths(rows) {
		if i > 0 {
			total += len(gap)
		}
		total += w
	}
	return total
}

func (t Table) widths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			if i > 0 || !t.long(c) {
				widths[i] = max(widths[i], utf8.RuneCountInString(c))
			}
		}
	}
	return widths
}

// long says that a name has a line of its own.
func (t Table) long(name string) bool { return t.Name > 0 && utf8.RuneCountInString(name) > t.Name }

// without are the rows without the column of that name; false if there is none.
func without(rows [][]string, name string) ([][]string, bool) {
	for i, head := range rows[0] {
		if head != name {
			continue
		}
		out := make([][]string, len(rows))
		for k, row := range rows {
			out[k] = append(append([]string{}, row[:i]...), row[i+1:]...)
		}
		return out, true
	}
	return nil, false
}

// Wrap breaks text at spaces into lines of at most width columns, 0 being one
// line; all but the first begin with indent.
func Wrap(text, indent string, width int) []string {
	var out []string
	line, room := "", false
	for _, word := range strings.Fields(text) {
		if room && width > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			out, line, room = append(out, line), indent, false
		}
		if room {
			line += " "
		}
		line, room = line+word, true
	}
	return append(out, line)
}

func wrapped(indent, text string, width int) []string {
	if width > 0 {
		width = max(8, width-utf8.RuneCountInString(indent))
	}
	lines := Wrap(text, "  ", width)
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	return lines
}

// EscapeMarkdown keeps text from names out of the markup of a Markdown table.
func EscapeMarkdown(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "\n", " ", "\r", " ").Replace(s)
}
