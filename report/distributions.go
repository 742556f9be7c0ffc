package report

import (
	"fmt"
	"math"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

// mostNines is how far a percentile curve goes: p99.999.
const mostNines = 5

// distributions are the percentile curves of every subject of a place, a line
// for each setting, at the lowest and the highest load point.
func (p *place) distributions(anchor string, tables []Table) []Picture {
	var out []Picture
	for i := range tables {
		t := &tables[i]
		s := subject{t.Job, t.Kind}
		pic := p.frame(anchor+"-spread-"+safeName(s.job+"-"+s.kind), "", p.workload.Name+": distribution of the "+s.latencyWords(t.Clock))
		pic.Subtitle = p.deviceText() + " · all operations of a setting's valid trials together"
		for _, load := range p.ends() {
			if panel := p.curves(s, load, t.Clock); panel.Empty == "" {
				pic.Panels = append(pic.Panels, panel)
				pic.Desc += describe(pic.Title, panel.Lines)
			}
		}
		if len(pic.Panels) == 0 {
			continue
		}
		pic.Legend = legendOf(p.settings, true)
		pic.Notes = []string{"A curve ends where less than one operation lies beyond. It shows the shape, and is no test: between settings only the trials' own figures are compared."}
		out = append(out, pic)
	}
	return out
}

// ends are the first and the last load point, the one there is, or none.
func (p *place) ends() []results.Load {
	if n := len(p.loads); n > 2 {
		return []results.Load{p.loads[0], p.loads[n-1]}
	}
	return p.loads
}

// latencyWords is "response time of reader reads".
func (s subject) latencyWords(clock string) string {
	time, _ := cutClock(clock)
	return time + " of " + s.plural()
}

// curves is the panel of one load point. Where operations were due at times, it can
// show how long they took from issue instead.
func (p *place) curves(s subject, load results.Load, clock string) Panel {
	lines := p.linesOf(s, load, latencyOf)
	xs, ys := coordinates(lines)
	if len(lines) == 0 {
		return emptyPanel("too few operations")
	}
	_, widest := bounds(xs)
	label := "share of operations that took no longer"
	if text := loadText(load); text != "" {
		label += ", " + text
	}
	words := s.latencyWords(clock)
	time, _ := cutClock(clock)
	panel := Panel{X: ninesAxis(label, widest), Y: axisOver("p99", words, ys, spansDecade(ys)), Lines: lines, Quantity: "p99"}
	panel.Choices = []Choice{{Name: time, Label: words, Lines: lines}}
	if time == "response time" {
		panel.Choices = append(panel.Choices, Choice{Name: "service time", Label: s.latencyWords("service time"), Lines: p.linesOf(s, load, serviceOf)})
	}
	return panel
}

// linesOf are the settings' curves of what is taken of each kind of operation.
func (p *place) linesOf(s subject, load results.Load, take func(*results.KindResult) *hist.Hist) (lines []Line) {
	for _, setting := range p.settings {
		if l := curve(setting, p.cells[cellKey{setting.key, load.String()}].pooled(s, take)); len(l.Points) > 1 {
			lines = append(lines, l)
		}
	}
	return lines
}

// latencyOf is the response time of a kind of operation where there is one, else
// the service time.
func latencyOf(k *results.KindResult) *hist.Hist {
	if k.Response.Count() > 0 {
		return k.Response
	}
	return k.Service
}

func serviceOf(k *results.KindResult) *hist.Hist { return k.Service }

// pooled is every latency of a subject over a cell's valid trials.
func (c *cell) pooled(s subject, take func(*results.KindResult) *hist.Hist) *hist.Hist {
	all := hist.New()
	if c == nil {
		return all
	}
	for _, t := range c.counted {
		for _, j := range t.Jobs {
			for i := range j.Kinds {
				if k := &j.Kinds[i]; j.Name == s.job && k.Kind == s.kind {
					all.Merge(take(k))
				}
			}
		}
	}
	return all
}

// curve is a setting's percentiles on the probability scale: at x nines, a
// share of 1 - 10^-x. Marks stand at p50 and at whole nines.
func curve(s Setting, h *hist.Hist) Line {
	l := Line{Style: s.Style}
	for nines := range mostNines + 1 {
		for _, m := range []float64{1, 0.7, 0.5, 0.3, 0.2, 0.14} {
			beyond := m * math.Pow(10, -float64(nines))
			v, ok := h.QuantileSeconds(1 - beyond)
			if !ok || v <= 0 || nines == mostNines && m < 1 {
				continue
			}
			pt := Point{X: exactly(-math.Log10(beyond) + 0), Y: exactly(v), Style: s.Style, Bare: true}
			if m == 1 && nines > 0 || m == 0.5 && nines == 0 {
				pt.Bare = false
				pt.Text = fmt.Sprintf("%s: p%s %s", s.Label, percentText(beyond), show("p99", v))
			}
			l.Points = append(l.Points, pt)
		}
	}
	return l
}

// percentText is 99.9 for a thousandth beyond.
func percentText(beyond float64) string { return plain(math.Round((1-beyond)*1e7) / 1e5) }

// ninesAxis is the probability scale as far as the curves go.
func ninesAxis(label string, widest float64) Axis {
	a := Axis{Label: label, Min: 0, Max: min(widest+0.1, mostNines+0.1)}
	for _, beyond := range []float64{1, 0.5, 0.1, 0.01, 0.001, 0.0001, 0.00001} {
		if at := -math.Log10(beyond) + 0; at <= a.Max {
			text := "min"
			if beyond < 1 {
				text = percentText(beyond) + " %"
			}
			a.Ticks = append(a.Ticks, Tick{at, text})
		}
	}
	return a
}
