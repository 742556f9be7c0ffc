package report

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// candidate is one setting at the load point that serves the objective best.
type candidate struct {
	row  Row
	goal Figure
	// met says that the medians meet every limit, sure that the intervals do.
	met, sure bool
	// missed names the first limit that is not met and by what.
	missed string
}

func (c candidate) name() string {
	if c.row.Load == "" {
		return c.row.Setting.Label
	}
	return c.row.Setting.Label + " at " + c.row.Load
}

// verdicts judges every objective of a place.
func (p *place) verdicts(rows []Row) []Verdict {
	var out []Verdict
	for _, o := range p.run.Run.Objectives {
		if o.Workload == p.workload.Name {
			out = append(out, p.judge(o, rows))
		}
	}
	if len(out) == 0 && len(rows) > 0 {
		v := p.newVerdict("none named")
		v.Outcome = Empty
		v.Sentence = fmt.Sprintf("%s: the profile names no objective for %s, so there is no verdict: see its table.", v.Tunable, p.workload.Name)
		out = append(out, v)
	}
	return out
}

func (p *place) newVerdict(goal string) Verdict {
	v := Verdict{Tunable: strings.Join(p.workload.Varies, " and "), Workload: p.workload.Name, Goal: goal}
	if v.Tunable == "" {
		v.Tunable = p.workload.Name
	}
	return v
}

// judge compares the settings under one objective. It never says more than that
// intervals lie apart: with few trials that is no test, and it says so.
func (p *place) judge(o results.Objective, rows []Row) Verdict {
	metric, more := o.Maximise, true
	if metric == "" {
		metric, more = o.Minimise, false
	}
	v := p.newVerdict(goalText(o))
	var met, missed []candidate
	measured := 0
	for _, c := range p.candidates(o, metric, more, rows) {
		switch {
		case !c.goal.Valid():
			continue
		case c.met:
			met = append(met, c)
		default:
			missed = append(missed, c)
		}
		measured++
	}
	say := sentence{v: &v, metric: metric, more: more, defaults: p.defaults()}
	switch {
	case measured == 0:
		v.Outcome, v.Sentence = Empty, fmt.Sprintf("%s: no valid trial has %s: no verdict.", v.Tunable, metric)
	case len(met) == 0:
		say.noneMet(missed)
	default:
		say.compare(met, missed)
	}
	return v
}

// goalText is "maximise scrub.throughput subject to reader.p99 <= 100 ms".
func goalText(o results.Objective) string {
	text := "maximise " + o.Maximise
	if o.Maximise == "" {
		text = "minimise " + o.Minimise
	}
	for i, l := range o.Limits {
		join := " subject to "
		if i > 0 {
			join = " and "
		}
		text += join + l.Text
	}
	return text
}

// candidates picks for each setting the load point that meets the limits with
// the best goal, or failing that the best goal.
func (p *place) candidates(o results.Objective, metric string, more bool, rows []Row) []candidate {
	var out []candidate
	at := map[string]int{}
	for _, row := range rows {
		c := newCandidate(o, metric, row)
		i, ok := at[row.Setting.key]
		if !ok {
			at[row.Setting.key] = len(out)
			out = append(out, c)
			continue
		}
		if c.over(out[i], more) {
			out[i] = c
		}
	}
	return out
}

// over says that c serves the objective better than d.
func (c candidate) over(d candidate, more bool) bool {
	switch {
	case !c.goal.Valid():
		return false
	case !d.goal.Valid():
		return true
	case c.met != d.met:
		return c.met
	case more:
		return c.goal.Median > d.goal.Median
	}
	return c.goal.Median < d.goal.Median
}

func newCandidate(o results.Objective, metric string, row Row) candidate {
	c := candidate{row: row, goal: row.cell.bounded(metric), met: true, sure: true}
	for _, l := range o.Limits {
		f := row.cell.bounded(l.Metric)
		met, sure := holds(f, l)
		c.sure = c.sure && sure
		if !met && c.met {
			c.met = false
			c.missed = missedText(f, l)
		}
	}
	return c
}

// holds says whether a limit is met by a median, and by the whole interval. A
// figure that is missing, or a lower bound under an upper limit, meets nothing.
func holds(f Figure, l results.Limit) (met, sure bool) {
	switch {
	case !f.Valid():
		return false, false
	case l.Op == ">=":
		return f.Median >= l.Value, f.Low >= l.Value
	case f.AtLeast:
		return false, false
	}
	return f.Median <= l.Value, f.High <= l.Value
}

func missedText(f Figure, l results.Limit) string {
	if !f.Valid() {
		return l.Metric + " is missing (" + f.Missing + ")"
	}
	return l.Metric + " was " + f.Text
}

// defaults are the values in force before the run, by tunable.
func (p *place) defaults() map[string]string {
	out := map[string]string{}
	for _, t := range p.run.Run.Tunables {
		out[t.Name] = t.Default
	}
	return out
}
