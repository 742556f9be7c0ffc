package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

func TestMatchesGoldens(t *testing.T) {
	for name, run := range map[string]*results.RunData{
		"quick.txt": reporttest.Quick(),
		"gap.txt":   reporttest.Curves(2, 3, func(s, d int) bool { return s == 0 && d == 4 }),
	} {
		reporttest.Golden(t, name, []byte(reporttest.Write(t, run, Write)))
	}
}

func TestFitsTheTerminal(t *testing.T) {
	for _, run := range []*results.RunData{reporttest.Quick(), reporttest.Hostile(), reporttest.Curves(12, 3, nil)} {
		for _, line := range strings.Split(reporttest.Write(t, run, Write), "\n") {
			if n := utf8.RuneCountInString(line); n > 122 {
				t.Errorf("a line is %d columns wide: %s", n, line)
			}
		}
	}
}

func TestNamesCannotDriveTheTerminal(t *testing.T) {
	run := reporttest.Quick()
	run.Run.Workloads[0].Name = "deletes\x1b[2J\x07\u009b31m"
	run.Trials = nil
	for _, r := range reporttest.Write(t, run, Write) {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			t.Fatalf("control character %U is written", r)
		}
	}
}
