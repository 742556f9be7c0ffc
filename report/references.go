package report

import (
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Reference is a published figure that belongs to a workload, in words. It was
// not measured in the run and enters no statistics.
type Reference struct {
	Label, Value, Metric, Figure string
	Citation, MeasuredOn         string
}

// references are the published figures of a place.
func (p *place) references() []results.Reference {
	var out []results.Reference
	for _, r := range p.run.Run.References {
		if r.Workload == p.workload.Name || r.Workload == "" && p.varies(r.Tunable) {
			out = append(out, r)
		}
	}
	return out
}

// varies says whether the place varies a tunable; no name stands for any.
func (p *place) varies(tunable string) bool {
	for _, t := range p.workload.Varies {
		if t == tunable {
			return true
		}
	}
	return tunable == ""
}

// listed puts the published figures of a place into words.
func (p *place) listed() []Reference {
	var out []Reference
	for _, r := range p.references() {
		figure := show(quantityOf(r.Metric), r.Figure)
		if r.Qualifier != "" {
			figure += " (" + r.Qualifier + ")"
		}
		value := strings.TrimPrefix(r.Tunable+" = "+r.Value, " = ")
		out = append(out, Reference{r.Label, value, r.Metric, figure, r.Citation, r.MeasuredOn})
	}
	return out
}

func publishedEntry() Entry { return Entry{Label: "published elsewhere", Hollow: true} }

// pairs are the marks of values for which both metrics of the main picture were
// published under one label.
func (p *place) pairs(a axes) []Point {
	type pair struct{ x, y *results.Reference }
	found := map[string]*pair{}
	var order []string
	refs := p.references()
	for i := range refs {
		r := &refs[i]
		key := r.Label + "\x00" + r.Value
		if found[key] == nil {
			found[key] = &pair{}
			order = append(order, key)
		}
		if names(r.Metric, a.x.metric(a.xq)) {
			found[key].x = r
		}
		if names(r.Metric, a.y.metric(a.yq)) {
			found[key].y = r
		}
	}
	var out []Point
	for _, key := range order {
		if x, y := found[key].x, found[key].y; x != nil && y != nil {
			out = append(out, Point{
				X: exactly(x.Figure), Y: exactly(y.Figure), Hollow: true, Label: x.Value,
				Text: x.Label + " (published) " + x.Value + ": " + show(a.xq, x.Figure) + ", " + show(a.yq, y.Figure),
			})
		}
	}
	return out
}

func exactly(v float64) Span { return Span{v, v, v} }

// names says whether a metric's name, which may leave out the job or the kind,
// means a metric that is written in full.
func names(name, full string) bool {
	n, err := results.ParseMetric(name)
	if err != nil {
		return false
	}
	f, err := results.ParseMetric(full)
	return err == nil && n.Quantity == f.Quantity && (n.Basis == "request") == (f.Basis == "request") && (n.Job == "" || n.Job == f.Job) && (n.Kind == "" || n.Kind == f.Kind)
}

// published are the marks by value of what was published of a metric.
func (p *place) published(metric string) Line {
	known := Line{Style: Unjoined}
	for _, r := range p.references() {
		at, ok := p.valued(r.Value)
		if !ok || !names(r.Metric, metric) {
			continue
		}
		known.Points = append(known.Points, Point{
			X: exactly(at), Y: exactly(r.Figure), Hollow: true, AtLeast: isLowerBound(r.Qualifier),
			Text: r.Label + " (published) " + r.Value + ": " + show(quantityOf(metric), r.Figure),
		})
	}
	return known
}

// isLowerBound says that a source gives a figure as less than the truth.
func isLowerBound(qualifier string) bool {
	for _, words := range []string{"lower", "over", "at least", "more than"} {
		if strings.HasPrefix(qualifier, words) {
			return true
		}
	}
	return false
}

// valued is where a value stands on the axis of values.
func (p *place) valued(value string) (float64, bool) {
	for _, s := range p.settings {
		if len(s.values) == 1 && s.values[0].Value == value {
			return float64(s.Style), true
		}
	}
	return 0, false
}
