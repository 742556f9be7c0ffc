package report

import (
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

func TestRequestTimes(t *testing.T) {
	chunks := hist.New()
	chunks.Record(2e6)
	chunks.Record(4e6)
	trials := []*results.Trial{{}, {Layer: &results.Layer{DeleteService: chunks}}, {Layer: &results.Layer{}}}
	if got, want := requestTimes(trials), "; each took 3.00 ms in the mean, 4.00 ms at most"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := requestTimes(trials[:1]); got != "" {
		t.Errorf("nothing was timed, and it says %q", got)
	}
}

// TestCutDeletesStandForTheirRequests: a workload that only deletes is drawn
// against the time of a request where that is known, else as any other.
func TestCutDeletesStandForTheirRequests(t *testing.T) {
	del := subject{"delete", "delete"}
	trial := func(timed bool) *results.Trial {
		ops := hist.New()
		ops.Record(50e6)
		ops.Record(52e6)
		tr := &results.Trial{
			Status: results.Valid, WindowSeconds: 1, Layer: &results.Layer{},
			Jobs: []results.JobResult{{Name: "delete", Kinds: []results.KindResult{{Kind: "delete", Ops: 2, Service: ops}}}},
		}
		if timed {
			tr.Layer.DeleteService = hist.New()
			tr.Layer.DeleteService.Record(5e6)
		}
		return tr
	}
	for _, timed := range []bool{true, false} {
		one := []*results.Trial{trial(timed)}
		c := &cell{counted: one, last: one, known: map[results.MetricName][]results.Reading{}}
		table := Table{Job: "delete", Kind: "delete", Rows: []Row{{cell: c}}}
		if got := table.timesRequests(); got != timed {
			t.Errorf("requests timed: %v, want %v", got, timed)
		}
		if f := c.figure(del.metric(ofRequest)); f.Valid() != timed || timed && f.Text != "5.00 ms" {
			t.Errorf("the figure is %+v", f)
		}
	}
	if words := del.words(ofRequest, "service time, counted from issue"); !strings.Contains(words, "mean service time of a request") {
		t.Errorf("it is called %q", words)
	}
}
