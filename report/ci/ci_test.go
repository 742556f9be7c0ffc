package ci_test

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/ci"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/iosweep/iosweep/results/stats"
)

// table has a row for each thing that can become of one.
func table() *comparison.Table {
	row := func(workload string, o stats.Outcome, lack comparison.Lack) comparison.Row {
		r := comparison.Row{Device: `Disk "1"`, Workload: workload, Load: "own", Metric: "p99", Unit: results.Seconds, Lack: lack}
		r.Outcome = o
		if lack == "" {
			r.Comparison = stats.Compare([]stats.Value{{Figure: 1}}, []stats.Value{{Figure: 2}}, stats.Options{})
			r.Outcome = o
		}
		return r
	}
	return &comparison.Table{Base: "a", New: "b", Confidence: 0.95, Rows: []comparison.Row{
		row("fails", stats.Worse, ""), row("passes", stats.Better, ""), row("open", stats.Undecided, ""),
		row("broken", stats.Undecided, comparison.Unmeasured), row("absent", stats.Undecided, comparison.Unsupported),
	}, Unmatched: []comparison.Unmatched{{Workload: "gone", Load: "own", Side: "base"}}}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := ci.JUnit(&b, table(), comparison.Gate{}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Class   string    `xml:"classname,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 6 || got.Failures != 1 || got.Errors != 1 || got.Skipped != 3 {
		t.Errorf("%+v", got)
	}
	state := map[string]string{}
	for _, c := range got.Cases {
		switch {
		case c.Failure != nil:
			state[c.Class] = "failure"
		case c.Error != nil:
			state[c.Class] = "error"
		case c.Skipped != nil:
			state[c.Class], _, _ = strings.Cut(c.Skipped.Message, ":")
		}
	}
	for class, want := range map[string]string{`Disk "1".fails`: "failure", `Disk "1".passes`: "", `Disk "1".open`: "undecided", `Disk "1".broken`: "error", `Disk "1".absent`: "unsupported", "gone": "gone at own"} {
		if state[class] != want {
			t.Errorf("%s: %q, want %q", class, state[class], want)
		}
	}
}

// Every line must be of OpenMetrics' grammar, each family once, and the end
// marked.
func TestOpenMetrics(t *testing.T) {
	var b bytes.Buffer
	if err := ci.OpenMetrics(&b, table()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "\n# EOF\n") {
		t.Error("no end")
	}
	line := regexp.MustCompile(`^(# (TYPE|UNIT|HELP) iosweep_\w+ .+|iosweep_\w+\{(\w+="([^"\\]|\\["\\n])*",?)+\} \S+|# EOF)$`)
	families := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		if !line.MatchString(l) {
			t.Errorf("not OpenMetrics: %s", l)
		}
		if name, ok := strings.CutPrefix(l, "# TYPE "); ok {
			if families[name] {
				t.Errorf("family %s comes twice", name)
			}
			families[name] = true
		}
	}
	if !strings.Contains(b.String(), `iosweep_verdict{device="Disk \"1\"",workload="fails",load="own",metric="p99",verdict="worse"} 1`) {
		t.Errorf("no verdict in\n%s", &b)
	}
}

// A summary must fit, whatever the number of rows.
func TestSummaryFits(t *testing.T) {
	const limit = ci.MaxSummaryBytes / 4
	long := table()
	for len(long.Rows) < 4000 {
		long.Rows = append(long.Rows, long.Rows[0])
	}
	text := ci.Summary(long, comparison.Fail, limit)
	if len(text) > limit || len(text) < limit/2 || !strings.Contains(text, "more rows are left out") || !strings.HasPrefix(text, "**Gate failed.**") {
		t.Errorf("%d bytes, begins %.40q", len(text), text)
	}
	if text := ci.Summary(table(), comparison.Pass, ci.MaxSummaryBytes); strings.Contains(text, "left out") || !strings.Contains(text, "not compared: gone") {
		t.Errorf("whole table: %s", text)
	}
}
