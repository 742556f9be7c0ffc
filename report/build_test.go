package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
	"github.com/iosweep/iosweep/results/query"
)

func build(t *testing.T, runs ...*results.RunData) *report.Model {
	t.Helper()
	m, err := report.Build(&results.Set{Runs: runs}, query.Query{}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func has(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s has no %q:\n%s", what, p, text)
		}
	}
}

// figure is the figure of a quantity in a row.
func figure(r report.Row, quantity string) report.Figure {
	for i, q := range report.Quantities() {
		if q == quantity {
			return r.Figures[i]
		}
	}
	return report.Figure{}
}

// pair is a run of two settings of which the second does factor times the
// operations of the first, in as many blocks as are asked.
func pair(blocks int, factor float64, jitter int64) *results.RunData {
	r := reporttest.Quick()
	r.Trials, r.Run.Workloads, r.Run.Variants, r.Run.Tunables, r.Run.Objectives = nil, nil, nil, nil, nil
	rng := reporttest.Rand(9)
	vs := reporttest.Sweep(r, "w", "knob", "", "a", []string{"a", "b"}, results.Job{Name: "read"})
	r.Run.Objectives = []results.Objective{{Workload: "w", Maximise: "ops"}}
	for block := range blocks {
		for i, v := range vs {
			n := 2000 + rng.Int64N(jitter)
			if i == 1 {
				n = int64(float64(n) * factor)
			}
			reporttest.Add(r, "w", v, block, reporttest.Job(rng, "read", "read", n, 4096, time.Millisecond))
		}
	}
	r.Run.Planned = len(r.Trials)
	return r
}

func TestVerdictsClaimNoMoreThanTheData(t *testing.T) {
	limited := pair(3, 2, 10)
	limited.Run.Objectives[0].Limits = []results.Limit{{Metric: "p99", Op: "<=", Value: 1e-6, Text: "p99 <= 1 us"}}
	failed := pair(3, 2, 10)
	for i := range failed.Trials {
		failed.Trials[i].Status = results.Failed
	}
	unnamed := pair(3, 2, 10)
	unnamed.Run.Objectives = nil
	for _, c := range []struct {
		name    string
		run     *results.RunData
		outcome string
		best    string
		says    []string
	}{
		{"proven", pair(7, 2, 10), report.Decided, "b", []string{"b has the highest ops", "2 times that of a", "p = 0.016", "95 % interval of the median over 7 trials"}},
		{"apart but few", pair(3, 2, 10), report.Undecided, "b", []string{"undecided: b has", "clear of a with", "3 trials each are too few", "range over 3 trials"}},
		{"overlapping", pair(3, 1, 400), report.Undecided, "", []string{"undecided", "cannot be told from"}},
		{"one trial", pair(1, 2, 10), report.Undecided, "b", []string{"undecided", "one trial each, which decides nothing"}},
		{"limits unmet", limited, report.None, "", []string{"no value meets the limits", "a, whose p99 was"}},
		{"nothing valid", failed, report.Empty, "", []string{"no valid trial"}},
		{"no objective", unnamed, report.Empty, "", []string{"names no objective"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := build(t, c.run).Verdicts[0]
			if v.Outcome != c.outcome || c.best != "" && v.Best != c.best {
				t.Errorf("outcome %s %s, want %s %s: %s", v.Outcome, v.Best, c.outcome, c.best, v.Sentence)
			}
			has(t, "sentence", v.Sentence, c.says...)
			if len(c.run.Trials) < 12 && strings.Contains(v.Sentence, "95 %") {
				t.Errorf("calls a range a 95 %% interval: %s", v.Sentence)
			}
		})
	}
}

func TestStarvedSettingKeepsItsLowerBound(t *testing.T) {
	m := build(t, reporttest.Quick())
	w := m.Workloads[1]
	var row report.Row
	for _, r := range w.Tables[1].Rows {
		if r.Setting.Label == "0 (no limit)" {
			row = r
		}
	}
	has(t, "note", row.Note, "no read completed in 1.00 s", "the oldest had waited 980 ms")
	if f := figure(row, "max"); !f.AtLeast || f.Text != "≥ 980 ms" {
		t.Errorf("max is %+v, want a lower bound of 980 ms", f)
	}
	if f := figure(row, "throughput"); f.Valid() || f.Text != "-" || f.Missing == "" {
		t.Errorf("throughput is %+v, want a dash and a reason", f)
	}
	bound := 0
	for _, l := range w.Pictures[0].Panels[0].Lines {
		for _, p := range l.Points {
			if p.AtLeast {
				bound++
			}
		}
	}
	if bound != 1 {
		t.Errorf("%d marks are drawn as lower bounds, want 1", bound)
	}
	has(t, "verdict", m.Verdicts[1].Sentence, "outside the limits", "0 (no limit), whose reader.mean was at least 980 ms")
	if m.Verdicts[1].Best != "128" {
		t.Errorf("best is %s, want 128: the starved setting has more throughput but no reads", m.Verdicts[1].Best)
	}
}

func TestOldestPendingBoundsTheMaximum(t *testing.T) {
	r := pair(2, 2, 10)
	r.Trials[0].Jobs[0].Pending, r.Trials[0].Jobs[0].OldestPendingSeconds = 1, 5
	row := build(t, r).Workloads[0].Tables[0].Rows[0]
	if f := figure(row, "max"); !f.AtLeast {
		t.Errorf("max is %+v, want a lower bound", f)
	}
	if !figure(row, "p99").Valid() {
		t.Error("p99 is missing though operations completed")
	}
}

func TestSettingsThatReadBackAlikeAreOne(t *testing.T) {
	r := pair(2, 1, 10)
	for i := range r.Trials {
		r.Trials[i].Settings[0].Observed = "1280"
	}
	m := build(t, r)
	if n := len(m.Workloads[0].Settings); n != 1 {
		t.Fatalf("%d settings, want 1", n)
	}
	has(t, "notes", strings.Join(m.Notes, "\n"), "a (in force: 1280) = b (in force: 1280) read back alike")
	if got := m.Workloads[0].Tables[0].Rows[0].Trials; got != "4" {
		t.Errorf("the one row stands on %s trials, want 4", got)
	}
}

func TestCellsWithoutFiguresSayWhy(t *testing.T) {
	r := pair(3, 2, 10)
	r.Trials[0].Status = results.Invalid
	r.Trials[0].Findings = []results.Finding{{Code: "drift", Fatal: true, Text: "max_sectors_kb changed"}}
	r.Run.Variants = append(r.Run.Variants, results.Variant{ID: "w-c", Settings: []results.Setting{{Tunable: "knob", Value: "c"}}})
	for i := range r.Trials {
		if r.Trials[i].Variant == "w-1" {
			r.Trials[i].Status, r.Trials[i].Jobs = results.Unsupported, nil
		}
	}
	r.Run.Planned = 9
	m := build(t, r)
	rows := m.Workloads[0].Tables[0].Rows
	for i, want := range []string{"2 of 3 (1 invalid)", "0 of 3 (3 unsupported)", "0"} {
		if rows[i].Trials != want {
			t.Errorf("row %d stands on %q, want %q", i, rows[i].Trials, want)
		}
	}
	has(t, "unsupported row", rows[1].Note, "no valid trial: 3 unsupported")
	has(t, "empty row", rows[2].Note, "not measured")
	has(t, "notes", strings.Join(m.Notes, "\n"), "6 of 9 planned trials")
	if f := m.Findings[0]; f.Code != "drift" || !f.Fatal || f.Trials != 1 {
		t.Errorf("finding %+v", f)
	}
	has(t, "answer", strings.Join(m.Answer, " "), "4 of 6 trials do not count")
}

func TestRepeatedTrialCountsOnce(t *testing.T) {
	r := pair(2, 2, 10)
	again := r.Trials[0]
	r.Trials[0].Status = results.Invalid
	again.Attempt = 1
	r.Trials = append(r.Trials, again)
	m := build(t, r)
	if got := m.Workloads[0].Tables[0].Rows[0].Trials; got != "2" {
		t.Errorf("the row stands on %s trials, want 2", got)
	}
	if len(m.Trials) != 5 {
		t.Errorf("%d trials are listed, want 5: the repeated one too", len(m.Trials))
	}
}

func TestPercentLoadsAreOnePointThoughTheirRatesDiffer(t *testing.T) {
	r := pair(3, 2, 10)
	for i := range r.Trials {
		r.Trials[i].Load = results.Load{Percent: 50, Rate: float64(1000 + i)}
	}
	rows := build(t, r).Workloads[0].Tables[0].Rows
	if len(rows) != 2 || rows[0].Load != "50 % of the maximum" {
		t.Errorf("%d rows, the first at %q", len(rows), rows[0].Load)
	}
}

func TestResponseTimeIsNamed(t *testing.T) {
	r := pair(2, 2, 10)
	h := hist.New()
	for range 1000 {
		h.Record(int64(time.Second))
	}
	for i := range r.Trials {
		r.Trials[i].Jobs[0].Kinds[0].Response = h
	}
	w := build(t, r).Workloads[0]
	has(t, "clock", w.Tables[0].Clock, "response time, counted from when the operation was due")
	has(t, "axis", w.Pictures[0].Panels[0].Y.Label, "p99 response time of reads", "counted from when")
	if f := figure(w.Tables[0].Rows[0], "p99"); f.Text != "1.00 s" {
		t.Errorf("p99 is %s, want the response time", f.Text)
	}
}

func TestReferencesStandApart(t *testing.T) {
	r := pair(2, 2, 10)
	r.Run.References = []results.Reference{
		{Label: "paper", Value: "x", Metric: "ops", Figure: 100}, {Label: "paper", Value: "x", Metric: "p99", Figure: 0.1},
	}
	pic := build(t, r).Workloads[0].Pictures[0]
	lines := pic.Panels[0].Lines
	last := lines[len(lines)-1]
	if last.Style != report.Unjoined || len(last.Points) != 1 || !last.Points[0].Hollow {
		t.Errorf("the reference is drawn as %+v", last)
	}
	if e := pic.Legend[len(pic.Legend)-1]; !e.Hollow {
		t.Errorf("the legend ends with %+v", e)
	}
}

func TestZeroLatencyIsMaskedAndTold(t *testing.T) {
	r := pair(1, 2, 10)
	rng := reporttest.Rand(1)
	v := results.Variant{ID: "w-c", Settings: []results.Setting{{Tunable: "knob", Value: "c"}}}
	r.Run.Variants = append(r.Run.Variants, v)
	reporttest.Add(r, "w", v, 0, reporttest.Job(rng, "read", "read", 1000, 4096, 50*time.Millisecond))
	r.Trials[0].Jobs[0].Kinds[0].Service = reporttest.Job(rng, "read", "read", 1000, 4096, 0).Kinds[0].Service
	pic := build(t, r).Workloads[0].Pictures[0]
	has(t, "notes", strings.Join(pic.Notes, "\n"), "1 mark at zero latency")
	if p := pic.Panels[0]; !p.Y.Log || len(p.Lines[0].Points) != 2 {
		t.Errorf("log %v with %d marks", p.Y.Log, len(p.Lines[0].Points))
	}
}

func TestSettingKeepsItsStyle(t *testing.T) {
	for _, w := range build(t, reporttest.Quick()).Workloads {
		styles := map[string]int{}
		for _, s := range w.Settings {
			styles[s.Label] = s.Style
		}
		for _, p := range w.Pictures {
			for _, e := range p.Legend {
				if e.Style >= 0 && styles[e.Label] != e.Style {
					t.Errorf("%s: %s has style %d, elsewhere %d", p.Name, e.Label, e.Style, styles[e.Label])
				}
			}
		}
	}
}

func TestSeveralRunsStandApart(t *testing.T) {
	a, b := pair(2, 2, 10), pair(2, 2, 10)
	b.Run.ID = "other"
	m := build(t, a, b)
	if len(m.Workloads) != 2 || m.Workloads[1].Run != "other" || m.Workloads[0].Anchor == m.Workloads[1].Anchor {
		t.Errorf("the runs are mixed up: %d workloads", len(m.Workloads))
	}
	if len(m.Profiles) != 1 {
		t.Errorf("the one profile is shown %d times", len(m.Profiles))
	}
}

// Each target's device is named, the first one's without a name of its own.
func TestTargetsAreNamed(t *testing.T) {
	r := reporttest.Quick()
	r.Run.NamedTargets = []results.NamedTarget{{Target: "log", Device: results.Device{Model: "Fast 9", SizeBytes: 1e12, ID: "wwn-5"}}}
	var lines []string
	for _, f := range build(t, r).Machine {
		lines = append(lines, f.Name+"="+f.Value)
	}
	text := strings.Join(lines, "\n")
	has(t, "machine", text, "target log=Fast 9, 931 GiB")
	has(t, "machine", text, "target log: id=wwn-5")
	if strings.Contains(text, "firmware=\n") || strings.Contains(text, "target log: firmware") {
		t.Errorf("what is not known is told:\n%s", text)
	}
}

func TestNothingToReport(t *testing.T) {
	if _, err := report.Build(&results.Set{}, query.Query{}, report.Options{}); err == nil {
		t.Error("a set without runs gives a report")
	}
	r := reporttest.Quick()
	r.Trials = nil
	m := build(t, r)
	has(t, "notes", strings.Join(m.Notes, "\n"), "has no trials")
	if m.Workloads[0].Pictures[0].Panels[0].Empty == "" {
		t.Error("the empty picture does not say so")
	}
	q, err := query.Parse("nosuchkey=1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := report.Build(reporttest.Set(reporttest.Quick()), q, report.Options{}); err == nil {
		t.Error("a filter on a key that no trial has gives a report")
	}
}

func TestQuerySelects(t *testing.T) {
	q, err := query.Parse("workload=scrub")
	if err != nil {
		t.Fatal(err)
	}
	m, err := report.Build(reporttest.Set(reporttest.Quick()), q, report.Options{Title: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Workloads) != 1 || m.Workloads[0].Name != "scrub" || m.Title != "mine" {
		t.Errorf("%d workloads, title %q", len(m.Workloads), m.Title)
	}
	has(t, "notes", strings.Join(m.Notes, "\n"), "only trials with workload=scrub")
}

func TestVerdictsOverLoadPointsAreSummedUp(t *testing.T) {
	r := reporttest.Curves(2, 7, nil)
	r.Run.Objectives = []results.Objective{{Workload: "curve", Maximise: "ops"}}
	m := build(t, r)
	if len(m.Verdicts) != 6 || m.Verdicts[5].Load != "depth 32" {
		t.Errorf("%d verdicts, want one for each of 6 depths", len(m.Verdicts))
	}
	if len(m.Answer) != 1 {
		t.Fatalf("the answer has %d sentences, want 1", len(m.Answer))
	}
	has(t, "answer", m.Answer[0], "128 leads at all 6 load points", "decided at 6 of 6")
}

func TestObjectiveThatCannotBeReadIsAnError(t *testing.T) {
	r := pair(2, 2, 10)
	r.Run.Objectives[0].Maximise = "speed"
	if _, err := report.Build(reporttest.Set(r), query.Query{}, report.Options{}); err == nil || !strings.Contains(err.Error(), "speed") {
		t.Errorf("error %v, want one that names the metric", err)
	}
}

// TestStarvingInSomeTrialsIsNotFlattered counts the trials in which nothing
// completed with what was waited.
func TestStarvingInSomeTrialsIsNotFlattered(t *testing.T) {
	r := pair(3, 1, 10)
	r.Trials[0].Jobs[0], r.Trials[2].Jobs[0] = reporttest.Starved("read"), reporttest.Starved("read")
	row := build(t, r).Workloads[0].Tables[0].Rows[0]
	if f := figure(row, "mean"); !f.AtLeast || f.Median != 0.98 || f.Spread != "" {
		t.Errorf("mean is %+v, want at least 0.98 s", f)
	}
	if f := figure(row, "throughput"); !f.AtMost || f.Median != 0 {
		t.Errorf("throughput is %+v, want at most 0", f)
	}
	has(t, "note", row.Note, "in 2 of 3 trials no read completed")
}

// TestPictureFallsBackOnAFigureThatThereIs has too few operations for the p99
// that is drawn as a rule.
func TestPictureFallsBackOnAFigureThatThereIs(t *testing.T) {
	r := pair(3, 1, 10)
	for i := range r.Trials {
		r.Trials[i].Jobs[0] = reporttest.Job(reporttest.Rand(uint64(i)), "read", "read", 3, 4096, time.Second/3)
	}
	pic := build(t, r).Workloads[0].Pictures[0]
	has(t, "title", pic.Title, "mean service time")
	if pic.Panels[0].Empty != "" {
		t.Errorf("the picture is empty: %s", pic.Panels[0].Empty)
	}
}

// What cannot act is said before any verdict, once for each reason, and clamped
// values are told apart.
func TestAnswerBeginsWithWarnings(t *testing.T) {
	r := pair(2, 1, 10)
	for i := range r.Trials {
		r.Trials[i].Findings = []results.Finding{
			{Code: "no_effect_expected", Text: "read_ahead_kb cannot act"},
			{Code: "setting_clamped", Text: "knob: " + r.Trials[i].Variant},
		}
	}
	m := build(t, r)
	if want := "Beware: read_ahead_kb cannot act."; m.Answer[0] != want || len(m.Answer) < 2 || m.Answer[1] == want {
		t.Errorf("the answer is %q", m.Answer)
	}
	clamped := 0
	for _, f := range m.Findings {
		if f.Code == "setting_clamped" {
			clamped++
		}
	}
	if clamped != 2 {
		t.Errorf("%d clamped settings are told of, want 2: %+v", clamped, m.Findings)
	}
}
