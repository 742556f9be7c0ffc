package report

import (
	"slices"

	"github.com/iosweep/iosweep/results"
)

// axes are the two metrics of a workload's main picture.
type axes struct {
	x, y   subject
	xq, yq string
	// limits are on y, floors on x.
	limits, floors []plottedLimit
	// named says that the objective named y.
	named bool
}

type plottedLimit struct {
	value float64
	text  string
}

// chooseAxes takes the metrics from the workload's objective. Without one, the
// throughput of the first subject stands against the p99 of the last: beside a
// stream, what matters is what the others wait.
func (p *place) chooseAxes(subjects []subject) axes {
	a := axes{x: subjects[0], y: subjects[len(subjects)-1], xq: "throughput", yq: "p99"}
	for _, o := range p.run.Run.Objectives {
		if o.Workload != p.workload.Name {
			continue
		}
		for _, l := range o.Limits {
			if a.take(subjects, l.Metric) {
				a.limits = append(a.limits, plottedLimit{l.Value, l.Text})
			}
		}
		a.take(subjects, o.Maximise)
		a.take(subjects, o.Minimise)
		a.floor(subjects, o.Limits)
	}
	return a
}

// floor keeps the limits on what became the x axis.
func (a *axes) floor(subjects []subject, limits []results.Limit) {
	for _, l := range limits {
		b := *a
		m, err := results.ParseMetric(l.Metric)
		if err == nil && m.HigherIsBetter() && m.Quantity == a.xq && !b.take(subjects, l.Metric) && b.x == a.x {
			a.floors = append(a.floors, plottedLimit{l.Value, l.Text})
		}
	}
}

// take puts a metric on the axis it belongs to, and says whether that is y.
func (a *axes) take(subjects []subject, metric string) bool {
	m, err := results.ParseMetric(metric)
	if err != nil {
		return false
	}
	for _, s := range subjects {
		if m.Job != "" && m.Job != s.job || m.Kind != "" && m.Kind != s.kind {
			continue
		}
		if m.HigherIsBetter() {
			a.x, a.xq = s, m.Quantity
			return false
		}
		a.y, a.yq, a.named = s, m.Quantity, true
		return true
	}
	return false
}

// chart says what the main picture shows.
func (a axes) chart(tables []Table, main Picture) *Chart {
	panel := &main.Panels[0]
	if panel.Empty != "" || isRate(a.yq) {
		return nil
	}
	find := func(s subject) int {
		return slices.IndexFunc(tables, func(t Table) bool { return t.Job == s.job && t.Kind == s.kind })
	}
	c := &Chart{X: find(a.x), Y: find(a.y), XQuantity: a.xq, YQuantity: a.yq, YLabel: "time of " + a.y.plural(), Joined: len(panel.Lines) > 0 && panel.Lines[0].Style >= 0}
	c.XLog = panel.X.Log
	if panel.Limit != nil && panel.Limit.Off == 0 {
		c.Limit = panel.Limit.At
	}
	if panel.Floor != nil && panel.Floor.Off == 0 {
		c.Floor = panel.Floor.At
	}
	return c
}

// fallBack takes another latency where the trials have too few operations for
// the one that is drawn as a rule, or that the objective names: its limits then
// are of something else, and are not drawn.
func (a *axes) fallBack(y Table) {
	if best := y.bestKnown(a.yq, "mean", "max"); best != a.yq {
		a.yq, a.limits = best, nil
	}
}

// knows says whether any row has a metric.
func (t Table) knows(metric string) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.cell.bounded(metric).Valid() })
}
