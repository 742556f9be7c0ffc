package ci

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
	"github.com/iosweep/iosweep/results/stats"
)

// Measured has a case for each cell of a run, a workload at a load point with a
// setting: in error when the lab could not measure it, a trial failed or none is
// valid, and skipped when the target does not support it. After them comes one
// for each verdict of the run's report: failed when every value is proven
// to break a limit, skipped when it is not decided. Its samples are medians and counts of trials.
func Measured(data *results.RunData, verdicts []report.Verdict) *Suite {
	s := &Suite{Name: "iosweep run " + data.Run.ID}
	// Only a filter can fail, and there is none.
	records, _ := query.Select(&results.Set{Runs: []*results.RunData{data}}, query.Query{})
	for _, c := range query.Group(records, "workload", "load", "label") {
		s.cell(data, newCell(c))
	}
	for _, v := range verdicts {
		if v.Goal != "" && v.Outcome != report.Empty {
			s.Cases = append(s.Cases, judged(data.Run, v))
		}
	}
	return s
}

// cell is the last trials of the places of the plan that share a workload, a
// load point and a setting.
type cell struct {
	workload, load, label string
	statuses              map[results.Status]int
	valid                 []*results.Trial
	// reasons say why trials do not count.
	reasons []string
}

// newCell takes of each place the last valid trial, else the last.
func newCell(c query.Cell) *cell {
	found := &cell{workload: c.Key[0].Value, load: c.Key[1].Value, label: c.Key[2].Value, statuses: map[results.Status]int{}}
	last := map[int]*results.Trial{}
	for _, r := range c.Records {
		other := last[r.Trial.Index]
		if other == nil || r.Trial.Status == results.Valid || other.Status != results.Valid {
			last[r.Trial.Index] = r.Trial
		}
	}
	for _, at := range slices.Sorted(maps.Keys(last)) {
		found.take(last[at])
	}
	return found
}

func (c *cell) take(t *results.Trial) {
	c.statuses[t.Status]++
	if t.Status == results.Valid {
		c.valid = append(c.valid, t)
		return
	}
	for _, f := range t.Findings {
		if f.Fatal && !slices.Contains(c.reasons, f.Text) {
			c.reasons = append(c.reasons, f.Text)
		}
	}
}

// state follows the exit code that such a cell gives the run.
func (c *cell) state() State {
	switch {
	case c.statuses[results.Failed] > 0:
		return Erred
	case len(c.valid) > 0:
		return Passed
	case c.statuses[results.Invalid] == 0 && c.statuses[results.Unsupported] > 0:
		return Skipped
	}
	return Erred
}

// text counts the trials by status, and says why some do not count.
func (c *cell) text() string {
	var counts []string
	for _, status := range statuses() {
		if n := c.statuses[status]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, status))
		}
	}
	text := "trials: " + strings.Join(counts, ", ")
	if len(c.reasons) > 0 {
		text += ": " + strings.Join(c.reasons, "; ")
	}
	return text
}

func statuses() []results.Status {
	return []results.Status{results.Valid, results.Invalid, results.Failed, results.Unsupported, results.Interrupted}
}

// cell adds a case and its samples.
func (s *Suite) cell(data *results.RunData, c *cell) {
	device := data.Run.Device.Title()
	s.Cases = append(s.Cases, Case{device + "." + c.workload, strings.TrimSpace(c.load + " " + c.label), c.state(), c.text()})
	at := []Label{{"device", device}, {"workload", c.workload}, {"load", c.load}, {"setting", c.label}}
	for _, status := range statuses() {
		if n := c.statuses[status]; n > 0 {
			s.add(TrialCounts, results.Some(float64(n)), at, Label{"status", string(status)})
		}
	}
	for _, name := range data.Run.MetricsOf(c.workload) {
		if m, err := results.ParseMetric(name); err == nil {
			s.median(m.Unit(), c.summary(m), at, Label{"metric", name})
		}
	}
}

// summary is of a metric over the valid trials: of none where one of them has no
// figure, since those that are left may be the better ones.
func (c *cell) summary(m results.MetricName) stats.Summary {
	var figures []float64
	for _, t := range c.valid {
		r, err := m.Read(t)
		if err != nil || !r.Value.Valid {
			return stats.Summary{}
		}
		figures = append(figures, r.Value.V)
	}
	return stats.Summarise(figures, 0)
}

// judged is the case of a verdict.
func judged(run *results.Run, v report.Verdict) Case {
	c := Case{Class: run.Device.Title() + "." + v.Workload, Name: strings.TrimSpace(v.Load + " " + v.Goal), State: Passed, Text: v.Sentence}
	switch {
	case v.Outcome == report.None && v.Proven:
		c.State = Failed
	case v.Outcome != report.Decided:
		c.State = Skipped
	}
	return c
}
