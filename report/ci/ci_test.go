package ci_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/ci"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/iosweep/iosweep/results/recommendation"
	"github.com/iosweep/iosweep/results/stats"
)

// table has a row for each thing that can become of one.
func table() *comparison.Table {
	row := func(workload string, o stats.Outcome, lack comparison.Lack) comparison.Row {
		r := comparison.Row{Device: `Disk "1"`, Workload: workload, Load: "own", Metric: "p99", Unit: results.Seconds, Lack: lack}
		if lack == "" {
			r.Comparison = stats.Compare([]stats.Value{{Figure: 1}}, []stats.Value{{Figure: 2}}, stats.Options{})
		}
		r.Outcome = o
		return r
	}
	return &comparison.Table{Base: "a", New: "b", Confidence: 0.95, Rows: []comparison.Row{
		row("fails", stats.Worse, ""), row("passes", stats.Better, ""), row("open", stats.Undecided, ""),
		row("broken", stats.Undecided, comparison.Unmeasured), row("absent", stats.Undecided, comparison.Unsupported),
	}, Unmatched: []comparison.Unmatched{{Workload: "gone", Load: "own", Side: "base"}}}
}

// measured is a run with its verdicts as its report has them.
func measured(t *testing.T, data *results.RunData) *ci.Suite {
	t.Helper()
	return ci.Measured(data, reporttest.Build(t, data).Verdicts)
}

func recommended(t *testing.T, data *results.RunData) *ci.Suite {
	t.Helper()
	all, err := recommendation.Of(reporttest.Set(data), recommendation.Options{Margin: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	return ci.Recommended(all)
}

// suites are of each kind, with names that mean something to XML, Markdown and
// OpenMetrics.
func suites(t *testing.T) map[string]*ci.Suite {
	return map[string]*ci.Suite{
		"compared":          ci.Compared(table(), comparison.Gate{}),
		"recommended":       recommended(t, reporttest.Quick()),
		"measured":          measured(t, reporttest.Quick()),
		"measured, curves":  measured(t, reporttest.OpenLoop()),
		"measured, hostile": measured(t, reporttest.Hostile()),
	}
}

func states(s *ci.Suite) map[string]ci.State {
	all := map[string]ci.State{}
	for _, c := range s.Cases {
		all[c.Class] = c.State
	}
	return all
}

func TestCompared(t *testing.T) {
	got := states(ci.Compared(table(), comparison.Gate{}))
	for class, want := range map[string]ci.State{`Disk "1".fails`: ci.Failed, `Disk "1".passes`: ci.Passed, `Disk "1".open`: ci.Skipped,
		`Disk "1".broken`: ci.Erred, `Disk "1".absent`: ci.Skipped, "gone": ci.Skipped} {
		if got[class] != want {
			t.Errorf("%s: %q, want %q", class, got[class], want)
		}
	}
}

// A cell's state follows from the statuses of its places' last trials.
func TestMeasuredStates(t *testing.T) {
	type trial struct {
		index, attempt int
		status         results.Status
	}
	for name, c := range map[string]struct {
		trials []trial
		want   ci.State
		text   string
	}{
		"valid":              {[]trial{{0, 0, results.Valid}, {1, 0, results.Valid}}, ci.Passed, "trials: 2 valid"},
		"valid when again":   {[]trial{{0, 0, results.Invalid}, {0, 1, results.Valid}}, ci.Passed, "trials: 1 valid"},
		"some invalid":       {[]trial{{0, 0, results.Valid}, {1, 0, results.Invalid}}, ci.Passed, "trials: 1 valid, 1 invalid: too busy"},
		"all invalid":        {[]trial{{0, 0, results.Invalid}, {0, 1, results.Invalid}}, ci.Erred, "trials: 1 invalid: too busy"},
		"one failed":         {[]trial{{0, 0, results.Valid}, {1, 0, results.Failed}}, ci.Erred, "trials: 1 valid, 1 failed: too busy"},
		"unsupported":        {[]trial{{0, 0, results.Unsupported}}, ci.Skipped, "trials: 1 unsupported: too busy"},
		"stopped by someone": {[]trial{{0, 0, results.Interrupted}}, ci.Erred, "trials: 1 interrupted: too busy"},
	} {
		t.Run(name, func(t *testing.T) {
			data := reporttest.Quick()
			one := data.Trials[0]
			data.Trials = nil
			for _, x := range c.trials {
				one.Index, one.Attempt, one.Status, one.Findings = x.index, x.attempt, x.status, nil
				if x.status != results.Valid {
					one.Findings = []results.Finding{{Code: "busy", Fatal: true, Text: "too busy"}}
				}
				data.Trials = append(data.Trials, one)
			}
			s := ci.Measured(data, nil)
			if len(s.Cases) != 1 || s.Cases[0].State != c.want || s.Cases[0].Text != c.text {
				t.Errorf("%+v, want %s, %q", s.Cases, c.want, c.text)
			}
		})
	}
}

// Verdicts of a run are cases too; one without a goal or a trial is none.
func TestMeasuredVerdicts(t *testing.T) {
	data := reporttest.Quick()
	data.Trials = nil
	var got []ci.State
	for _, c := range ci.Measured(data, []report.Verdict{
		{Workload: "w", Goal: "minimise p99", Outcome: report.Decided, Proven: true}, {Workload: "w", Goal: "minimise p99", Load: "max", Outcome: report.Undecided},
		{Workload: "v", Goal: "minimise p99", Outcome: report.None, Proven: true}, {Workload: "v", Goal: "minimise p50", Outcome: report.None}, {Workload: "u", Goal: "none named", Outcome: report.Empty},
	}).Cases {
		got = append(got, c.State)
	}
	if want := []ci.State{ci.Passed, ci.Skipped, ci.Failed, ci.Skipped}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestRecommendedStates(t *testing.T) {
	device := func(best string, decided bool, state stats.State, center results.Float) recommendation.Device {
		return recommendation.Device{Title: "Disk", Best: best, Decided: decided, Regrets: map[string]recommendation.Regret{"1": {State: state, Center: center}}}
	}
	figure := results.Some(2)
	for name, c := range map[string]struct {
		device recommendation.Device
		want   ci.State
	}{
		"decided":        {device("1", true, stats.Feasible, figure), ci.Passed},
		"undecided":      {device("1", false, stats.Feasible, figure), ci.Skipped},
		"breaks a limit": {device("", true, stats.Infeasible, figure), ci.Failed},
		"limit open":     {device("", false, stats.Unclear, figure), ci.Skipped},
		"no figure":      {device("", false, stats.Unclear, results.Float{}), ci.Erred},
	} {
		t.Run(name, func(t *testing.T) {
			s := ci.Recommended([]recommendation.Recommendation{{
				Tunables: []string{"x"}, Goal: results.Objective{Workload: "w", Minimise: "p99"}, Load: "own", Default: c.device.Best, Decided: c.device.Decided,
				Values: []recommendation.Value{{Name: "1", Label: "1"}}, Devices: []recommendation.Device{c.device},
			}})
			if got := states(s); len(got) != 2 || got["default"] != c.want || got["Disk.w"] != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}

// schema is, by element, inside of which it stands and its attributes, as JUnit's
// readers know them.
func schema() map[string]struct{ inside, attributes []string } {
	return map[string]struct{ inside, attributes []string }{
		"testsuite":  {[]string{""}, []string{"name", "tests", "failures", "errors", "skipped"}},
		"testcase":   {[]string{"testsuite"}, []string{"classname", "name"}},
		"failure":    {[]string{"testcase"}, []string{"message"}},
		"error":      {[]string{"testcase"}, []string{"message"}},
		"skipped":    {[]string{"testcase"}, []string{"message"}},
		"system-out": {[]string{"testcase"}, nil},
	}
}

// Every element must be where JUnit has it, with its attributes, each case have
// one outcome and a name of its own, and the counts be right.
func TestJUnitKeepsToTheSchema(t *testing.T) {
	for name, s := range suites(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := ci.JUnit(&b, s); err != nil {
				t.Fatal(err)
			}
			counts := elements(t, &b)
			if counts["testcase"] != len(s.Cases) || len(s.Cases) == 0 {
				t.Errorf("%d cases, want %d and some", counts["testcase"], len(s.Cases))
			}
			for _, of := range [][2]string{{"tests", "testcase"}, {"failures", "failure"}, {"errors", "error"}, {"skipped", "skipped"}} {
				if counts["@"+of[0]] != counts[of[1]] {
					t.Errorf("%s says %d, there are %d of %s", of[0], counts["@"+of[0]], counts[of[1]], of[1])
				}
			}
		})
	}
}

// elements holds a document to the schema, and counts its elements and what the
// attributes of the suite say.
func elements(t *testing.T, r io.Reader) map[string]int {
	t.Helper()
	counts, names, path := map[string]int{}, map[string]bool{}, []string{""}
	for d := xml.NewDecoder(r); ; {
		token, err := d.Token()
		if err == io.EOF {
			return counts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			rule, known := schema()[e.Name.Local]
			if !known || !slices.Contains(rule.inside, path[len(path)-1]) {
				t.Errorf("<%s> in %v", e.Name.Local, path)
			}
			var attributes []string
			for _, a := range e.Attr {
				attributes = append(attributes, a.Name.Local)
				if n, err := strconv.Atoi(a.Value); err == nil && e.Name.Local == "testsuite" {
					counts["@"+a.Name.Local] = n
				}
			}
			if !slices.Equal(attributes, rule.attributes) {
				t.Errorf("<%s> has %v, want %v", e.Name.Local, attributes, rule.attributes)
			}
			if e.Name.Local == "testcase" {
				id := e.Attr[0].Value + "\x00" + e.Attr[1].Value
				if names[id] {
					t.Errorf("case %q comes twice", id)
				}
				names[id] = true
			}
			counts[e.Name.Local]++
			path = append(path, e.Name.Local)
		case xml.EndElement:
			path = path[:len(path)-1]
		}
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

func TestMarkdownFits(t *testing.T) {
	s := ci.Compared(table(), comparison.Gate{})
	whole := s.Markdown(ci.MaxSummaryBytes)
	if failed, passed := strings.Index(whole, "| failed |"), strings.Index(whole, "| passed |"); failed < 0 || passed < failed || !strings.Contains(whole, "1 passed, 1 failed, 1 in error, 3 skipped") {
		t.Errorf("whole: %s", whole)
	}
	for limit := len(whole) - 1; limit > 400; limit-- {
		if text := s.Markdown(limit); len(text) > limit || !strings.Contains(text, "left out") {
			t.Fatalf("%d bytes of %d:\n%s", len(text), limit, text)
		}
	}
}
