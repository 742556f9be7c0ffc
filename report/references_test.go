package report_test

import (
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/results"
)

// hollow lists the published marks of a panel.
func hollow(p report.Panel) []report.Point {
	var out []report.Point
	for _, l := range p.Lines {
		for _, pt := range l.Points {
			if pt.Hollow {
				out = append(out, pt)
			}
		}
	}
	return out
}

func TestReferencesAreListedAndDrawnByValue(t *testing.T) {
	r := pair(2, 2, 10)
	r.Run.References = []results.Reference{
		{Label: "paper", Tunable: "knob", Value: "a", Metric: "ops", Figure: 9000, Qualifier: "lower bound (over)", Citation: "a paper", MeasuredOn: "a disk"},
		{Label: "paper", Tunable: "knob", Value: "zz", Metric: "ops", Figure: 10},
		{Label: "paper", Tunable: "other", Value: "a", Metric: "ops", Figure: 10},
	}
	w := build(t, r).Workloads[0]
	if len(w.References) != 2 {
		t.Fatalf("%d references, want those of the workload's tunable: 2", len(w.References))
	}
	want := report.Reference{Label: "paper", Value: "knob = a", Metric: "ops", Figure: "9.00 k op/s (lower bound (over))", Citation: "a paper", MeasuredOn: "a disk"}
	if w.References[0] != want {
		t.Errorf("reference %+v", w.References[0])
	}
	panel := w.Pictures[1].Panels[0]
	marks := hollow(panel)
	if len(marks) != 1 || !marks[0].AtLeast || marks[0].Y.Mid != 9000 {
		t.Fatalf("marks %+v", marks)
	}
	if panel.Y.Max < 9000 || panel.Y.Label != "operations per second of reads (k op/s)" {
		t.Errorf("the axis %q ends at %g", panel.Y.Label, panel.Y.Max)
	}
	if n := len(hollow(w.Pictures[1].Panels[1])); n != 0 {
		t.Errorf("%d marks of another metric", n)
	}

	r.Run.References = append(r.Run.References, results.Reference{Label: "paper", Tunable: "knob", Value: "b", Metric: "p99", Figure: 1})
	if n := len(hollow(build(t, r).Workloads[0].Pictures[1].Panels[1])); n != 1 {
		t.Errorf("%d marks beside the latencies, want 1", n)
	}
}

func TestReferencesEnterNoStatistics(t *testing.T) {
	r := pair(7, 2, 10)
	before := build(t, r)
	r.Run.References = []results.Reference{{Label: "paper", Tunable: "knob", Value: "a", Metric: "ops", Figure: 1e9}}
	after := build(t, r)
	if before.Verdicts[0] != after.Verdicts[0] {
		t.Errorf("verdict %+v became %+v", before.Verdicts[0], after.Verdicts[0])
	}
}

func TestLowerBoundIsDrawnAsOne(t *testing.T) {
	for qualifier, want := range map[string]bool{"over": true, "lower bound": true, "at least": true, "": false, "reaching": false, "point": false} {
		r := pair(2, 2, 10)
		r.Run.References = []results.Reference{{Label: "paper", Tunable: "knob", Value: "a", Metric: "ops", Figure: 9000, Qualifier: qualifier}}
		marks := hollow(build(t, r).Workloads[0].Pictures[1].Panels[0])
		if len(marks) != 1 || marks[0].AtLeast != want {
			t.Errorf("%q: %+v", qualifier, marks)
		}
	}
}
