package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// short makes the first trials of a setting end after so many operations of
// 128 MiB in 250 ms, one of them still outstanding.
func short(r *results.RunData, variant, trials int, ops int64) {
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Variant != r.Run.Variants[variant].ID || trials == 0 {
			continue
		}
		trials--
		t.WindowSeconds = 0.25
		t.Jobs[0] = reporttest.Job(reporttest.Rand(1), "read", "read", ops, 128<<20, 100*time.Millisecond)
		t.Jobs[0].Kinds[0].OpsPerSecond, t.Jobs[0].Kinds[0].BytesPerSecond = results.Float{}, results.Float{}
		t.Jobs[0].Pending = 1
	}
}

// TestPercentilesAreOfTheSameTrials has one trial with too few operations for a
// p99.9, which the others have.
func TestPercentilesAreOfTheSameTrials(t *testing.T) {
	r := pair(3, 1, 10)
	r.Trials[0].Jobs[0] = reporttest.Job(reporttest.Rand(1), "read", "read", 200, 4096, time.Millisecond)
	row := build(t, r).Workloads[0].Tables[0].Rows[0]
	if f := figure(row, "p99.9"); f.Valid() || f.Text != "-" {
		t.Errorf("p99.9 of some trials stands beside a p99 of all: %+v", f)
	}
	has(t, "p99.9", figure(row, "p99.9").Missing, "2 of 3 trials have it", "p99.9 takes 1000")
	if f := figure(row, "p99"); f.N != 3 || strings.Contains(f.Spread, "n=") {
		t.Errorf("p99 is of all trials, but it is %+v", f)
	}
}

// TestRateOfSurvivorsIsABound cuts four of seven trials off after one operation:
// the others alone would flatter the setting.
func TestRateOfSurvivorsIsABound(t *testing.T) {
	r := pair(7, 1.2, 10)
	short(r, 1, 4, 1)
	m := build(t, r)
	f := figure(m.Workloads[0].Tables[0].Rows[1], "ops")
	if !f.AtMost || f.N != 7 || f.Median != 8 || f.Text != "\u2264 8.00 op/s" || f.Spread != "" {
		t.Errorf("the rate is %+v, want at most 8 a second, of two in 250 ms", f)
	}
	if v := m.Verdicts[0]; v.Best != "a" || strings.Contains(v.Sentence, "k op/s [") && !strings.Contains(v.Sentence, "\u2264 8.00 op/s") {
		t.Errorf("the verdict is %+v", v)
	}
	found := false
	for _, l := range m.Workloads[0].Pictures[0].Panels[0].Lines {
		for _, p := range l.Points {
			found = found || p.AtMostX && strings.Contains(p.Text, "\u2264")
		}
	}
	if !found {
		t.Error("the picture does not tell the bound")
	}
}

// TestVerdictDoesNotDecideOnSome leaves out the rate of four trials for which
// there is no bound either.
func TestVerdictDoesNotDecideOnSome(t *testing.T) {
	r := pair(7, 0.5, 10)
	short(r, 1, 4, 1)
	for i := range r.Trials {
		if r.Trials[i].WindowSeconds == 0.25 {
			r.Trials[i].WindowSeconds = 0.0005
		}
	}
	m := build(t, r)
	if v := m.Verdicts[0]; v.Outcome != report.Undecided {
		t.Errorf("%s: %s", v.Outcome, v.Sentence)
	}
	has(t, "verdict", m.Verdicts[0].Sentence, "range n=3", "4 of 7 trials (no rate over 500 us: it takes 1 ms)")
	has(t, "table", figure(m.Workloads[0].Tables[0].Rows[1], "ops").Spread, "range n=3")
	has(t, "picture", strings.Join(m.Workloads[0].Pictures[0].Notes, "; "), `"b" is drawn from 3 of its 7 trials`)
}

// TestNoneHasTheFigureInAllTrials must not be put down to a limit.
func TestNoneHasTheFigureInAllTrials(t *testing.T) {
	r := pair(7, 0.5, 10)
	short(r, 0, 1, 1)
	short(r, 1, 2, 1)
	v := build(t, r).Verdicts[0]
	if v.Outcome != report.Undecided {
		t.Errorf("%s: %s", v.Outcome, v.Sentence)
	}
	has(t, "verdict", v.Sentence, "no value that meets the limits has ops in all of its trials", "b in 2 of 7 trials (no rate from one of the operations alone)")
}

// TestRowsOfFewTrialsAreOfRanges fails three of seven trials of one setting.
func TestRowsOfFewTrialsAreOfRanges(t *testing.T) {
	r := pair(7, 2, 10)
	for i := range 3 {
		r.Trials[2*i].Status = results.Failed
	}
	w := build(t, r).Workloads[0]
	for _, text := range []string{w.Tables[0].Interval, w.Pictures[0].Subtitle} {
		has(t, "caption", text, "95 % interval of the median over 7 trials; the range where there are fewer than 6")
	}
}

// TestAlikeIsNoWin has two settings a ten thousandth apart in every block.
func TestAlikeIsNoWin(t *testing.T) {
	for before, want := range map[string]string{"": "a", "b": "b"} {
		r := pair(8, 1.00007, 1)
		for i := range r.Trials {
			k := &r.Trials[i].Jobs[0].Kinds[0]
			k.OpsPerSecond = results.Some(1000 * (1 + 0.001*float64(i/2)) * (1 + 0.0001*float64(i%2)))
		}
		r.Run.Tunables[0].Default = before
		v := build(t, r).Verdicts[0]
		if v.Best != want || v.Outcome != report.Decided {
			t.Errorf("in force before: %q: %s, best %s: %s", before, v.Outcome, v.Best, v.Sentence)
		}
		has(t, "verdict", v.Sentence, want+" has the highest ops within 1 %", "and is named as the ", "; alike are ")
	}
}

// TestVerdictNamesEveryValue holds it of whole verdicts: with a leader, limits,
// and a value that starves the reader.
func TestVerdictNamesEveryValue(t *testing.T) {
	m := build(t, reporttest.Quick())
	for i, v := range m.Verdicts {
		for _, s := range m.Workloads[i].Settings {
			if v.Outcome != report.None && !strings.Contains(v.Sentence, s.Label) {
				t.Errorf("%s: %q is not named: %s", v.Workload, s.Label, v.Sentence)
			}
		}
	}
}
