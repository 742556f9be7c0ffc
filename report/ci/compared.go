package ci

import (
	"strings"

	"github.com/iosweep/iosweep/report/compared"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
)

// Compared has a case for each device, workload and metric: it fails when the
// gate does, is in error when the lab could not measure it, and is skipped when
// the target does not support it or the comparison did not decide. Its samples
// are medians, ratios, corrected p and verdicts.
func Compared(t *comparison.Table, g comparison.Gate) *Suite {
	s := &Suite{Name: "iosweep " + t.New + " against " + t.Base}
	for i := range t.Rows {
		s.Cases = append(s.Cases, comparedCase(t, &t.Rows[i], g))
		s.row(&t.Rows[i])
	}
	for _, u := range t.Unmatched {
		s.Cases = append(s.Cases, Case{Class: u.Workload, Name: strings.TrimSpace(u.Load + " " + u.Setting), State: Skipped, Text: u.String()})
	}
	return s
}

func comparedCase(t *comparison.Table, r *comparison.Row, g comparison.Gate) Case {
	c := Case{Class: r.Device + "." + r.Workload, Name: strings.TrimPrefix(compared.RowName(r), r.Workload+" "), State: Passed, Text: compared.Sentence(r)}
	verdict, notes := g.Row(t, r), strings.Join(r.Notes, "; ")
	switch {
	case verdict == comparison.Fail:
		c.State = Failed
	case r.Lack == comparison.Unsupported:
		c.State, c.Text = Skipped, "unsupported: "+notes
	case r.Lack == comparison.Unmeasured:
		c.State, c.Text = Erred, "no valid trial on one side: "+notes
	case verdict == comparison.Inconclusive:
		c.State, c.Text = Skipped, "undecided: "+c.Text
	}
	return c
}

func (s *Suite) row(r *comparison.Row) {
	at := []Label{{"device", r.Device}, {"workload", r.Workload}, {"load", r.Load}, {"setting", r.Setting},
		{"base_value", r.BaseValue}, {"new_value", r.NewValue}, {"metric", r.Metric}}
	s.median(r.Unit, r.Comparison.Base, at, Label{"side", "base"})
	s.median(r.Unit, r.Comparison.New, at, Label{"side", "new"})
	s.add(Ratio, r.Ratio, at, Label{"bound", "estimate"})
	s.add(Ratio, r.Lo, at, Label{"bound", "low"})
	s.add(Ratio, r.Hi, at, Label{"bound", "high"})
	s.add(P, r.PAdjusted, at)
	s.add(Verdict, results.Some(1), at, Label{"verdict", string(r.Outcome)})
}
