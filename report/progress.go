package report

import (
	"fmt"
	"slices"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
	"github.com/iosweep/iosweep/results/validity"
)

// mostSteps bounds the points of a line over time: neighbours are joined.
const mostSteps = 60

// progress is every job's throughput and latency over the measured window, a
// line for each setting, at the highest load point.
func (p *place) progress(anchor string, tables []Table) []Picture {
	if len(p.loads) == 0 {
		return nil
	}
	load := p.loads[len(p.loads)-1]
	var out []Picture
	for _, j := range p.workload.Jobs {
		s := subject{job: j.Name}
		pic := p.frame(anchor+"-time-"+safeName(j.Name), "", p.workload.Name+": "+s.plural()+" over time"+atLoad(load))
		pic.Subtitle = p.deviceText() + " · at each time the median over a setting's valid trials"
		rates, waits, marks := p.overTime(j.Name, load)
		if len(rates) == 0 {
			continue
		}
		pic.Panels = []Panel{timePanel("throughput", "throughput", rates), timePanel("mean", "mean latency", waits)}
		pic.Legend = legendOf(p.settings, true)
		for i := range pic.Legend {
			pic.Legend[i].Label += marks[pic.Legend[i].Style]
		}
		pic.Notes = []string{"Steady: over five rounds of the window the operations ranged over no more than 20 % of their mean and their fitted line moved by no more than 10 % of it, or by less than chance would; in an open loop, the latency did not grow."}
		pic.Desc = describe(pic.Title, ends(rates))
		out = append(out, pic)
	}
	return out
}

func atLoad(l results.Load) string {
	if text := loadText(l); text != "" {
		return " at " + text
	}
	return ""
}

// overTime are a job's lines, and what to add to each setting's legend by style.
func (p *place) overTime(job string, load results.Load) (rates, waits []Line, marks map[int]string) {
	marks = map[int]string{}
	for _, s := range p.settings {
		c := p.cells[cellKey{s.key, load.String()}]
		all := c.series(job)
		if len(all) == 0 {
			continue
		}
		rate, wait := stepLines(s, all)
		if len(rate.Points) < 3 {
			continue
		}
		rates, waits = append(rates, rate), append(waits, wait)
		marks[s.Style] = c.steadiness(job)
	}
	return rates, waits, marks
}

// series are those of a job in a cell's valid trials.
func (c *cell) series(job string) (all []*results.Series) {
	if c == nil {
		return nil
	}
	for _, t := range c.counted {
		for _, j := range t.Jobs {
			if j.Name == job && j.Series != nil && j.Series.IntervalSeconds > 0 {
				all = append(all, j.Series)
			}
		}
	}
	return all
}

// stepLines are the medians over trials of throughput and mean latency. Trials
// whose intervals differ from the first's are left out, and times that not all
// of the others reached.
func stepLines(s Setting, all []*results.Series) (rate, wait Line) {
	step, n := all[0].IntervalSeconds, len(all[0].Bytes)
	all = slices.DeleteFunc(all, func(o *results.Series) bool { return o.IntervalSeconds != step })
	for _, o := range all {
		n = min(n, len(o.Bytes), len(o.Ops), len(o.MeanSeconds))
	}
	join := max(1, (n+mostSteps-1)/mostSteps)
	rate.Style, wait.Style = s.Style, s.Style
	for from := 0; from+join <= n; from += join {
		at := exactly(step * (float64(from) + float64(join)/2))
		var moved, waited []float64
		for _, o := range all {
			b, w, ok := stepOf(o, from, join)
			moved = append(moved, b)
			if ok {
				waited = append(waited, w)
			}
		}
		rate.Points = append(rate.Points, stepPoint(s, "throughput", at, moved))
		if len(waited) > 0 {
			wait.Points = append(wait.Points, stepPoint(s, "mean", at, waited))
		}
	}
	return rate, wait
}

// stepOf is the throughput in bytes per second and the mean latency in seconds
// of some intervals; ok is false where nothing completed in them.
func stepOf(o *results.Series, from, n int) (rate, wait float64, ok bool) {
	ops := 0.0
	for i := from; i < from+n; i++ {
		rate += float64(o.Bytes[i])
		ops += float64(o.Ops[i])
		wait += o.MeanSeconds[i] * float64(o.Ops[i])
	}
	return rate / (o.IntervalSeconds * float64(n)), wait / max(ops, 1), ops > 0
}

func stepPoint(s Setting, quantity string, at Span, values []float64) Point {
	m := stats.Summarise(values, stats.DefaultConfidence).Center
	return Point{X: at, Y: exactly(m), Style: s.Style, Bare: true, Text: s.Label + " after " + show("max", at.Mid) + ": " + show(quantity, m)}
}

// steadiness says in how many of a cell's valid trials a job was not steady, as
// it was judged when they were measured; empty where it could not be judged.
func (c *cell) steadiness(job string) string {
	judged, unsteady := 0, 0
	for _, t := range c.counted {
		for i := range t.Jobs {
			j := &t.Jobs[i]
			if j.Name != job || !validity.Enough(j) {
				continue
			}
			f, found := validity.Series(j, false)
			switch {
			case !found:
				judged++
			case slices.ContainsFunc(t.Findings, func(have results.Finding) bool { return have.Code == f.Code }):
				judged++
				unsteady++
			}
		}
	}
	switch {
	case judged == 0:
		return ""
	case unsteady == 0:
		return " (steady)"
	}
	return fmt.Sprintf(" (not steady in %d of %d)", unsteady, judged)
}

func timePanel(quantity, label string, lines []Line) Panel {
	xs, ys := coordinates(lines)
	p := Panel{
		X:     axisOver("max", "time in the window", append(xs, 0), false),
		Y:     axisOver(quantity, label, ys, !isRate(quantity) && spansDecade(ys)),
		Lines: lines,
	}
	if len(ys) == 0 {
		p.Empty = "nothing completed"
	}
	return p
}

// ends keeps the first and the last point of each line, to be put into words.
func ends(lines []Line) []Line {
	out := slices.Clone(lines)
	for i := range out {
		if n := len(out[i].Points); n > 2 {
			out[i].Points = []Point{out[i].Points[0], out[i].Points[n-1]}
		}
	}
	return out
}
