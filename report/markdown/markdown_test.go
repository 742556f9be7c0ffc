package markdown

import (
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

func TestMatchesGoldens(t *testing.T) {
	reporttest.Golden(t, "quick.md", []byte(reporttest.Write(t, reporttest.Quick(), Write)))
	reporttest.Golden(t, "hostile.md", []byte(reporttest.Write(t, reporttest.Hostile(), Write)))
}

// TestTablesAreWhole counts the cells of every table row: a name with a bar in
// it must not make one more.
func TestTablesAreWhole(t *testing.T) {
	for _, run := range []*results.RunData{reporttest.Quick(), reporttest.Hostile(), reporttest.Curves(2, 2, nil)} {
		want := 0
		for _, line := range strings.Split(reporttest.Write(t, run, Write), "\n") {
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
	text := reporttest.Write(t, reporttest.Hostile(), Write)
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
	text, at := reporttest.Write(t, reporttest.Quick(), Write), 0
	for _, part := range []string{"# iosweep", "![", "## Verdicts", "## Workload deletes", "## Workload writes", "## Proof of effect",
		"## Validity", "## Machine and device", "## Method", "## Profile", "## Run it again"} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("no %q after the part before it", part)
		}
		at += i
	}
}
