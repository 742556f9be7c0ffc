package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// The widths, in columns, that prose and lines of tables are kept within.
const (
	proseWidth = 100
	lineWidth  = 120
)

// wrap breaks text at spaces into lines of at most width columns, each but the
// first beginning with indent. Blank lines part paragraphs and stay.
func wrap(text string, width int, indent string) string {
	var paragraphs []string
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		line, done := "", ""
		for _, word := range strings.Fields(p) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
				done, line = done+line+"\n", indent+word
			default:
				line += " " + word
			}
		}
		paragraphs = append(paragraphs, done+line)
	}
	return strings.Join(paragraphs, "\n\n"+indent)
}

// clipped is a line of at most lineWidth columns.
func clipped(line string) string {
	line = strings.TrimRight(line, " ")
	if utf8.RuneCountInString(line) <= lineWidth {
		return line
	}
	return string([]rune(line)[:lineWidth-3]) + "..."
}

// count is a number with its noun: 1 variant, 2 variants.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// widthOf is how many columns a terminal has that w is; 0 where it is none.
func widthOf(w io.Writer) int {
	if p, ok := w.(plain); ok {
		w = p.w
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return max(width, 30)
}
