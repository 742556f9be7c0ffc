package markdown

import (
	"bytes"
	"strings"
	"testing"

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
	reporttest.Golden(t, "quick.md", []byte(write(t, reporttest.Quick())))
	reporttest.Golden(t, "hostile.md", []byte(write(t, reporttest.Hostile())))
}

// TestTablesAreWhole counts the cells of every table row: a name with a bar in
// it must not make one more.
func TestTablesAreWhole(t *testing.T) {
	for _, run := range []*results.RunData{reporttest.Quick(), reporttest.Hostile(), reporttest.Curves(2, 2, nil)} {
		want := 0
		for _, line := range strings.Split(write(t, run), "\n") {
			if !strings.HasPrefix(line, "|") {
				want = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if want == 0 {
				want = n
			}
			if n != want {
				t.Errorf("a row has %d bars, its heading %d: %s", n, want, line)
			}
		}
	}
}

func TestNamesAreNoMarkup(t *testing.T) {
	text := write(t, reporttest.Hostile())
	fence := ""
	for _, line := range strings.Split(text, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) > 2:
			fence = ticks
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && strings.Contains(line, "<"):
			t.Errorf("markup is left: %s", line)
		}
	}
	if fence != "" {
		t.Error("the profile's text closed its own fence")
	}
}

func TestOrder(t *testing.T) {
	text, at := write(t, reporttest.Quick()), 0
	for _, part := range []string{"# iosweep", "![", "## Verdicts", "## Workload deletes", "## Workload writes", "## Proof of effect",
		"## Findings", "## Machine and device", "## Method", "## Profile", "## Run it again"} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("no %q after the part before it", part)
		}
		at += i
	}
}
