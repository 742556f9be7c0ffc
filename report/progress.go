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
		lines, marks := p.overTime(j.Name, load)
		if len(lines.rates) == 0 {
			continue
		}
		wait := timePanel("mean", "mean latency", lines.means)
		wait.Choices = append(wait.Choices, Choice{"max", "greatest latency", lines.greatest})
		pic.Panels = []Panel{timePanel("throughput", "throughput", lines.rates), wait}
		pic.Legend = legendOf(p.settings, true)
		for i := range pic.Legend {
			pic.Legend[i].Label += marks[pic.Legend[i].Style]
		}
		pic.Notes = []string{"Steady: over five rounds of the window the operations ranged over no more than 20 % of their mean and their fitted line moved by no more than 10 % of it, or by less than chance would; in an open loop, the latency did not grow."}
		pic.Desc = describe(pic.Title, ends(lines.rates))
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

// timeLines are a job's lines over time, one for each setting.
type timeLines struct{ rates, means, greatest []Line }

// overTime are a job's lines, and what to add to each setting's legend by style.
func (p *place) overTime(job string, load results.Load) (all timeLines, marks map[int]string) {
	marks = map[int]string{}
	for _, s := range p.settings {
		c := p.cells[cellKey{s.key, load.String()}]
		series := c.series(job)
		if len(series) == 0 {
			continue
		}
		rate, mean, greatest := stepLines(s, series)
		if len(rate.Points) < 3 {
			continue
		}
		all.rates, all.means, all.greatest = append(all.rates, rate), append(all.means, mean), append(all.greatest, greatest)
		marks[s.Style] = c.steadiness(job)
	}
	return all, marks
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

// stepLines are the medians over trials of throughput, mean and greatest latency.
// Trials whose intervals differ from the first's are left out, and times that not
// all of the others reached. A line's last point has the setting's mark.
func stepLines(s Setting, all []*results.Series) (rate, mean, greatest Line) {
	step, n := all[0].IntervalSeconds, len(all[0].Bytes)
	all = slices.DeleteFunc(all, func(o *results.Series) bool { return o.IntervalSeconds != step })
	for _, o := range all {
		n = min(n, len(o.Bytes), len(o.Ops), len(o.MeanSeconds), len(o.MaxSeconds))
	}
	join := max(1, (n+mostSteps-1)/mostSteps)
	for from := 0; from+join <= n; from += join {
		at := exactly(step * (float64(from) + float64(join)/2))
		var moved, means, most []float64
		for _, o := range all {
			of := stepOf(o, from, join)
			moved = append(moved, of.rate)
			if of.ops > 0 {
				means, most = append(means, of.mean), append(most, of.greatest)
			}
		}
		rate.Points = append(rate.Points, stepPoint(s, "throughput", at, moved))
		if len(means) > 0 {
			mean.Points = append(mean.Points, stepPoint(s, "mean", at, means))
			greatest.Points = append(greatest.Points, stepPoint(s, "max", at, most))
		}
	}
	for _, l := range []*Line{&rate, &mean, &greatest} {
		l.Style = s.Style
		if n := len(l.Points); n > 0 {
			l.Points[n-1].Bare = false
		}
	}
	return rate, mean, greatest
}

// stepSum is what happened in some intervals: bytes per second, operations and
// their latencies in seconds, which are 0 where nothing completed.
type stepSum struct{ rate, ops, mean, greatest float64 }

func stepOf(o *results.Series, from, n int) (s stepSum) {
	for i := from; i < from+n; i++ {
		s.rate += float64(o.Bytes[i])
		s.ops += float64(o.Ops[i])
		s.mean += o.MeanSeconds[i] * float64(o.Ops[i])
		s.greatest = max(s.greatest, o.MaxSeconds[i])
	}
	s.rate /= o.IntervalSeconds * float64(n)
	s.mean /= max(s.ops, 1)
	return s
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
		Lines: lines, Quantity: quantity, Choices: []Choice{{quantity, label, lines}},
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
