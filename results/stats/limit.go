package stats

import (
	"fmt"
	"slices"

	"github.com/iosweep/iosweep/results"
)

// goal is an objective with its metrics parsed.
type goal struct {
	objective results.Objective
	metric    results.MetricName
	limits    []results.MetricName
}

func newGoal(o results.Objective) (goal, error) {
	g := goal{objective: o}
	if o.Maximise != "" && o.Minimise != "" {
		return g, fmt.Errorf("judge objective of %s: it both maximises %s and minimises %s: name one", o.Workload, o.Maximise, o.Minimise)
	}
	if name := o.Maximise + o.Minimise; name != "" {
		m, err := results.ParseMetric(name)
		if err != nil {
			return g, fmt.Errorf("judge objective of %s: %w", o.Workload, err)
		}
		g.metric = m
	}
	for _, l := range o.Limits {
		m, err := results.ParseMetric(l.Metric)
		if err != nil {
			return g, fmt.Errorf("judge limit of %s: %w", o.Workload, err)
		}
		if l.Op != "<=" && l.Op != ">=" {
			return g, fmt.Errorf("judge limit %s of %s: operator %q: use <= or >=", l.Metric, o.Workload, l.Op)
		}
		g.limits = append(g.limits, m)
	}
	return g, nil
}

// standing is how a variant stands by its counted trials at one load point.
func (g goal) standing(variant string, trials []*results.Trial, o Options) (Standing, error) {
	s := Standing{Variant: variant, Trials: len(trials)}
	if err := g.value(&s, trials, o); err != nil {
		return s, err
	}
	for i := range g.limits {
		l, err := g.limit(i, trials, o)
		if err != nil {
			return s, err
		}
		s.Limits = append(s.Limits, l)
	}
	if len(trials) == 0 {
		s.Reasons = append(s.Reasons, "no valid trial")
	}
	s.sum()
	return s, nil
}

func (g goal) value(s *Standing, trials []*results.Trial, o Options) error {
	if g.metric.Quantity == "" {
		return nil
	}
	for _, t := range trials {
		r, err := g.metric.Read(t)
		if err != nil {
			return err
		}
		figure := r.Value
		if !figure.Valid {
			s.Missing++
			s.Reasons = appendNew(s.Reasons, r.Note)
			figure = bound(g.metric, r, o.HigherIsBetter)
		}
		if figure.Valid {
			s.values = append(s.values, Value{Block: block(t), Figure: figure.V})
		}
	}
	s.Value = Summarise(figures(s.values), o.Confidence)
	return nil
}

func (g goal) limit(i int, trials []*results.Trial, o Options) (LimitStanding, error) {
	l := LimitStanding{Limit: g.objective.Limits[i]}
	var values []float64
	for _, t := range trials {
		r, err := g.limits[i].Read(t)
		if err != nil {
			return l, err
		}
		b := bound(g.limits[i], r, l.Limit.Op == ">=")
		switch {
		case r.Value.Valid:
			values = append(values, r.Value.V)
		case b.Valid && l.beyond(b.V):
			values = append(values, b.V)
			l.Reasons = appendNew(l.Reasons, r.Note)
		default:
			l.Missing++
			l.Reasons = appendNew(l.Reasons, r.Note)
		}
	}
	l.values, l.Value = values, Summarise(values, o.Confidence)
	l.judge(o.Confidence)
	return l, nil
}

// bound is a reading's bound, unless higher is not what is good about the metric
// by nature: then the bound is on the wrong side.
func bound(m results.MetricName, r results.Reading, higher bool) results.Float {
	if m.HigherIsBetter() != higher {
		return results.Float{}
	}
	return r.Bound
}

// sequentialLimits judges the limits by intervals that hold whenever one stops,
// all of them together with the confidence, and the variants by those.
func (j *Judgement) sequentialLimits(confidence float64) {
	claims := 0
	for _, s := range j.Standings {
		claims += len(s.Limits)
	}
	each := 1 - (1-confidence)/float64(max(1, claims))
	for i := range j.Standings {
		s := &j.Standings[i]
		for k := range s.Limits {
			l := &s.Limits[k]
			if l.Value.N > 0 {
				bounds := sequentialShift(l.values, each)
				l.Value.Lo, l.Value.Hi, l.Value.Confidence = bounds.lo, bounds.hi, bounds.confidence
			}
			l.judge(each)
		}
		s.sum()
	}
}

// sum is the variant's state from those of its limits.
func (s *Standing) sum() {
	s.State, s.Leaning = Feasible, Feasible
	if s.Trials == 0 {
		s.State, s.Leaning = Unclear, Unclear
	}
	for _, l := range s.Limits {
		s.State, s.Leaning = worst(s.State, l.State), worst(s.Leaning, l.Leaning)
	}
}

// beyond says that v breaks the limit.
func (l *LimitStanding) beyond(v float64) bool {
	if l.Limit.Op == "<=" {
		return v > l.Limit.Value
	}
	return v < l.Limit.Value
}

// judge is sure only of an interval that has the confidence and lies on one
// side, of trials that all have the figure.
func (l *LimitStanding) judge(confidence float64) {
	l.State, l.Leaning = Unclear, Unclear
	if l.Value.N == 0 {
		return
	}
	l.Leaning = Feasible
	if l.beyond(l.Value.Center) {
		l.Leaning = Infeasible
	}
	lo, hi := l.beyond(l.Value.Lo), l.beyond(l.Value.Hi)
	if lo == hi && l.Missing == 0 && l.Value.Confidence >= confidence-1e-9 {
		l.State = l.Leaning
	}
}

// worst is infeasible before undecided before feasible.
func worst(a, b State) State {
	for _, s := range []State{Infeasible, Unclear} {
		if a == s || b == s {
			return s
		}
	}
	return Feasible
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
