package ci

import (
	"strings"

	"github.com/iosweep/iosweep/report/recommended"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/recommendation"
	"github.com/iosweep/iosweep/results/stats"
)

// Recommended has a case for the default that answers each question, and one for
// what each device says of it. A case fails when every value is proven to break a
// limit, is in error when no value has a valid figure, and is skipped when it
// is not decided. Its samples are medians, regrets and the defaults.
func Recommended(all []recommendation.Recommendation) *Suite {
	s := &Suite{Name: "iosweep recommend"}
	for i := range all {
		r := &all[i]
		question := recommended.Question(r)
		s.Cases = append(s.Cases, Case{"default", question, answered(r, r.Devices, r.Default, r.Decided), r.Sentence() + ": " + r.Reason})
		for j := range r.Devices {
			s.device(r, &r.Devices[j], question)
		}
		if r.Default != "" {
			s.add(Recommends, results.Some(1), asked(r), Label{"value", r.Default})
		}
	}
	return s
}

func asked(r *recommendation.Recommendation) []Label {
	return []Label{{"tunable", strings.Join(r.Tunables, " ")}, {"workload", r.Goal.Workload}, {"load", r.Load}, {"goal", recommended.Goal(r.Goal)}}
}

// answered is the state of a question to which devices give an answer, or "".
func answered(r *recommendation.Recommendation, devices []recommendation.Device, answer string, decided bool) State {
	figures, infeasible := 0, 0
	for _, d := range devices {
		for _, g := range d.Regrets {
			if g.Center.Valid {
				figures++
			}
			if g.State == stats.Infeasible {
				infeasible++
			}
		}
	}
	switch {
	case answer != "" && decided:
		return Passed
	case answer == "" && figures == 0:
		return Erred
	case answer == "" && infeasible == len(devices)*len(r.Values):
		return Failed
	}
	return Skipped
}

// device adds what a device says.
func (s *Suite) device(r *recommendation.Recommendation, d *recommendation.Device, question string) {
	c := Case{Class: d.Title + "." + r.Goal.Workload, Name: question}
	c.State = answered(r, []recommendation.Device{*d}, d.Best, d.Decided)
	switch {
	case c.State == Passed:
		c.Text = "best is " + r.Label(d.Best)
	case d.Best != "":
		c.Text = r.Label(d.Best) + " leads, not decided"
	default:
		c.Text = "no value can be named"
	}
	s.Cases = append(s.Cases, c)
	metric := r.Goal.Maximise + r.Goal.Minimise
	name, err := results.ParseMetric(metric)
	for _, v := range r.Values {
		g, measured := d.Regrets[v.Name]
		if !measured {
			continue
		}
		at := append([]Label{{"device", d.Title}}, append(asked(r), Label{"value", v.Name})...)
		if err == nil && !g.Bound {
			s.add(familyOf(name.Unit()), g.Center, at, Label{"metric", metric})
		}
		s.add(Regret, results.Some(g.Loss), at, Label{"bound", "estimate"})
		s.add(Regret, g.Lo, at, Label{"bound", "low"})
		s.add(Regret, g.Hi, at, Label{"bound", "high"})
	}
}
