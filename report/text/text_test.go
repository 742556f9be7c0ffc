package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
)

func write(t *testing.T, run *results.RunData) string {
	t.Helper()
	m, err := report.Build(reporttest.Set(run), query.Query{}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMatchesGoldens(t *testing.T) {
	for name, run := range map[string]*results.RunData{
		"quick.txt": reporttest.Quick(),
		"gap.txt":   reporttest.Curves(2, 3, func(s, d int) bool { return s == 0 && d == 4 }),
	} {
		reporttest.Golden(t, name, []byte(write(t, run)))
	}
}

func TestFitsTheTerminal(t *testing.T) {
	for _, run := range []*results.RunData{reporttest.Quick(), reporttest.Hostile(), reporttest.Curves(12, 3, nil)} {
		for _, line := range strings.Split(write(t, run), "\n") {
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
	for _, r := range write(t, run) {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			t.Fatalf("control character %U is written", r)
		}
	}
}
