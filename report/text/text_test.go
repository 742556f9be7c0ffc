package text

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// within is Write for a terminal of so many columns.
func within(width int) func(io.Writer, *report.Model) error {
	return func(w io.Writer, m *report.Model) error { return Write(w, m, width) }
}

func TestMatchesGoldens(t *testing.T) {
	for name, run := range map[string]*results.RunData{
		"quick.txt": reporttest.Quick(),
		"gap.txt":   reporttest.Curves(2, 3, func(s, d int) bool { return s == 0 && d == 4 }),
	} {
		reporttest.Golden(t, strings.Replace(name, ".", "-80.", 1), []byte(reporttest.Write(t, run, within(80))))
		reporttest.Golden(t, name, []byte(reporttest.Write(t, run, within(0))))
	}
}

// TestFitsTheTerminal lets no line be wider, unless it is one word.
func TestFitsTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 80, 100, 130, 200} {
		for _, run := range []*results.RunData{reporttest.Quick(), reporttest.Hostile(), reporttest.Curves(12, 3, nil)} {
			for _, line := range strings.Split(reporttest.Write(t, run, within(width)), "\n") {
				if n := utf8.RuneCountInString(line); n > width && len(strings.Fields(line)) > 1 {
					t.Errorf("on %d columns a line takes %d: %s", width, n, line)
				}
			}
		}
	}
}

func TestNamesCannotDriveTheTerminal(t *testing.T) {
	run := reporttest.Quick()
	run.Run.Workloads[0].Name = "deletes\x1b[2J\x07\u009b31m"
	run.Trials = nil
	for _, r := range reporttest.Write(t, run, within(0)) {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			t.Fatalf("control character %U is written", r)
		}
	}
}
