package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/validity"
)

// overTime is a pair of settings with series: the second's rate halves, which
// was found when it was measured.
func overTime() *results.RunData {
	r := pair(3, 1, 10)
	for i := range r.Trials {
		t := &r.Trials[i]
		s := &results.Series{IntervalSeconds: 0.05}
		for k := range 20 {
			n := int64(100)
			if t.Variant == r.Run.Variants[1].ID && k >= 10 {
				n = 50
			}
			s.Ops, s.Bytes = append(s.Ops, n), append(s.Bytes, n*4096)
			s.MeanSeconds, s.MaxSeconds = append(s.MeanSeconds, 0.001), append(s.MaxSeconds, 0.002)
		}
		t.Jobs[0].Series = s
		if f, found := validity.Series(&t.Jobs[0], false); found {
			t.Findings = append(t.Findings, results.Finding{Code: f.Code, Text: f.Text})
		}
	}
	return r
}

func TestProgressMarksWhatIsNotSteady(t *testing.T) {
	w := build(t, overTime()).Workloads[0]
	if len(w.Progress) != 1 || len(w.Progress[0].Panels) != 2 {
		t.Fatalf("pictures over time are %+v", w.Progress)
	}
	pic := w.Progress[0]
	if a, b := pic.Legend[0].Label, pic.Legend[1].Label; !strings.HasSuffix(a, "(steady)") || !strings.HasSuffix(b, "(not steady in 3 of 3)") {
		t.Errorf("the legend says %q and %q", a, b)
	}
	line := pic.Panels[0].Lines[0]
	if n := len(line.Points); n != 20 || math.Abs(line.Points[0].Y.Mid-100*4096/0.05) > 1 {
		t.Errorf("%d points, the first at %v bytes per second", n, line.Points[0].Y.Mid)
	}
}

// TestDistributionEndsWhereTheOperationsDo draws no percentile that takes more
// operations than there are.
func TestDistributionEndsWhereTheOperationsDo(t *testing.T) {
	r := pair(2, 1, 10)
	w := build(t, r).Workloads[0]
	if len(w.Distributions) != 1 {
		t.Fatalf("%d distributions", len(w.Distributions))
	}
	n := int64(0)
	for _, tr := range r.Trials {
		if tr.Variant == r.Run.Variants[0].ID {
			n += tr.Jobs[0].Kinds[0].Ops
		}
	}
	line, before := w.Distributions[0].Panels[0].Lines[0], report.Point{}
	for i, p := range line.Points {
		if i > 0 && (p.X.Mid <= before.X.Mid || p.Y.Mid < before.Y.Mid) {
			t.Errorf("the curve falls from %v to %v", before, p)
		}
		before = p
	}
	if before.X.Mid > math.Log10(float64(n))+1e-9 {
		t.Errorf("the curve of %d operations goes to %.2f nines", n, before.X.Mid)
	}
}

func TestFrontIsWhatNothingBeats(t *testing.T) {
	w := build(t, product(results.Finding{Code: "x", Text: "x"})).Workloads[0]
	front := w.Pictures[0].Panels[0].Front
	for i := 1; i < len(front); i++ {
		if front[i].X.Mid <= front[i-1].X.Mid || front[i].Y.Mid <= front[i-1].Y.Mid {
			t.Errorf("the front does not trade one for the other: %v, %v", front[i-1], front[i])
		}
	}
	scrub := build(t, reporttest.Quick()).Workloads[1].Pictures[0].Panels[0]
	for _, p := range scrub.Front {
		if p.AtLeast {
			t.Errorf("a lower bound stands on the front: %s", p.Text)
		}
	}
	if len(scrub.Front) < 2 {
		t.Errorf("the front has %d points", len(scrub.Front))
	}
}
