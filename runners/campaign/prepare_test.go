package campaign

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
)

func TestSteadiness(t *testing.T) {
	for _, c := range []struct {
		name         string
		rounds       []float64
		steady       bool
		spread, rise float64 // NaN: missing
	}{
		{"too few", []float64{100, 100, 100, 100}, false, math.NaN(), math.NaN()},
		{"level", []float64{100, 100, 100, 100, 100}, true, 0, 0},
		{"within", []float64{91, 109, 100, 109, 91}, true, 0.18, 0},
		{"a spike", []float64{100, 100, 125, 100, 100}, false, 25.0 / 105, 0},
		{"slow slope", []float64{96, 98, 100, 102, 104}, true, 0.08, 0.08},
		{"slope", []float64{94, 97, 100, 103, 106}, false, 0.12, 0.12},
		{"falling", []float64{106, 103, 100, 97, 94}, false, 0.12, -0.12},
		{"only the last count", []float64{900, 500, 100, 100, 100, 100, 100}, true, 0, 0},
		{"nothing done", []float64{0, 0, 0, 0, 0}, false, math.NaN(), math.NaN()},
	} {
		s := results.Steadiness{Rounds: c.rounds, Window: 5, Steady: !c.steady}
		judgeSteady(&s)
		if s.Steady != c.steady || !same(s.Range, c.spread) || !same(s.Slope, c.rise) {
			t.Errorf("%s: steady %v range %+v slope %+v, want %v %.3f %.3f", c.name, s.Steady, s.Range, s.Slope, c.steady, c.spread, c.rise)
		}
	}
}

func same(f results.Float, want float64) bool {
	if math.IsNaN(want) {
		return !f.Valid
	}
	return f.Valid && math.Abs(f.V-want) < 1e-9
}

func TestNotSteadyIsAFinding(t *testing.T) {
	trial := &results.Trial{Status: results.Valid}
	judgePrepared(trial, &results.Preparation{Steadiness: &results.Steadiness{Quantity: "ops", Rounds: []float64{1, 2}, Window: 5}})
	if trial.Status != results.Valid || len(trial.Findings) != 1 || !strings.Contains(trial.Findings[0].Text, "not steady after 2 rounds") {
		t.Errorf("status %s, findings %+v", trial.Status, trial.Findings)
	}
	for _, p := range []*results.Preparation{nil, {}, {Steadiness: &results.Steadiness{Steady: true}}} {
		trial = &results.Trial{}
		if judgePrepared(trial, p); len(trial.Findings) > 0 {
			t.Errorf("%+v: %+v", p, trial.Findings)
		}
	}
}

// TestDrainedDepth tells the end of a finite stream from an engine that does
// not reach its depth.
func TestDrainedDepth(t *testing.T) {
	for _, c := range []struct {
		name    string
		window  float64
		depth   int
		reached float64
		ops     int64
		missed  bool
	}{
		{"by time, short", 1, 16, 14, 1000, true},
		{"by time, reached", 1, 16, 15.5, 1000, false},
		{"ends, three at once", 0.1, 1, 0.7, 3, false},
		{"ends, few of many", 0.1, 16, 11, 64, false},
		{"ends, one at a time", 0.1, 128, 1, 1000, true},
	} {
		m := profiles.Measure{Duration: time.Second}
		trial := &results.Trial{WindowSeconds: c.window}
		j := &results.JobResult{Name: "j", Depth: c.depth, AchievedDepth: results.Some(c.reached)}
		judgeDepth(trial, j, drained(trial, m, c.ops))
		if missed := has(*trial, "depth_missed"); missed != c.missed {
			t.Errorf("%s: depth missed %v, want %v", c.name, missed, c.missed)
		}
	}
}
