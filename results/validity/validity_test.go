package validity

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// levels makes a closed loop's series of 20 points at each level, with noise.
func levels(noise float64, means ...float64) *results.JobResult {
	random := rand.New(rand.NewPCG(1, 2))
	j := &results.JobResult{Name: "j", Series: &results.Series{IntervalSeconds: 1}}
	for _, m := range means {
		for range 20 {
			v := m * (1 + noise*random.NormFloat64())
			j.Series.Ops = append(j.Series.Ops, int64(max(0, v)))
			j.Series.MeanSeconds = append(j.Series.MeanSeconds, v/1000)
		}
	}
	return j
}

func TestSeries(t *testing.T) {
	open := func(j *results.JobResult) *results.JobResult { j.Rate = 100; return j }
	short := levels(0.01, 1000)
	short.Series.Ops = short.Series.Ops[:minPoints-1]
	tests := map[string]struct {
		job    *results.JobResult
		finite bool
		code   string
		fatal  bool
		says   string
	}{
		"steady":                        {levels(0.05, 1000, 1000, 1000, 1000, 1000), false, "", false, ""},
		"noise is not unsteadiness":     {levels(0.9, 1000, 1000, 1000, 1000, 1000), false, "", false, ""},
		"burst, then cliff":             {levels(0.02, 1000, 1000, 300, 300, 300), false, Cliff, true, "after 40 % of the window"},
		"cliff at the end":              {levels(0.02, 1000, 1000, 1000, 1000, 500), false, Cliff, true, "from 1000 to"},
		"warm-up not over":              {levels(0.02, 500, 1000, 1000, 1000, 1000), false, Warmup, false, "warm-up was too short"},
		"drifts":                        {levels(0.005, 1000, 1040, 1080, 1120, 1160), false, NotSteady, false, "line moves by 15 %"},
		"falls slowly":                  {levels(0.02, 1000, 900, 800, 700, 600), false, NotSteady, false, "not steady"},
		"one fifth is odd":              {levels(0.02, 1000, 1000, 600, 1000, 1000), false, NotSteady, false, "range over"},
		"a job that ends by itself":     {levels(0.02, 1000, 1000, 0, 0, 0), true, "", false, ""},
		"too few operations":            {levels(0.02, 2, 2, 0, 0, 0), false, "", false, ""},
		"too short":                     {short, false, "", false, ""},
		"no series":                     {&results.JobResult{}, false, "", false, ""},
		"an open loop's latency grows":  {open(levels(0.02, 100, 200, 300, 400, 500)), false, Grows, false, "more than the target can do"},
		"an open loop's latency falls":  {open(levels(0.02, 500, 400, 300, 200, 100)), false, "", false, ""},
		"an open loop's latency varies": {open(levels(0.02, 100, 300, 200, 400, 350)), false, "", false, ""},
	}
	for name, test := range tests {
		f, found := Series(test.job, test.finite)
		if f.Code != test.code || f.Fatal != test.fatal || found != (test.code != "") || !strings.Contains(f.Text, test.says) {
			t.Errorf("%s: %+v, want %q", name, f, test.code)
		}
	}
}

// A line through points on a line is that line.
func TestSlope(t *testing.T) {
	parts := []round{{mean: 10}, {mean: 12}, {mean: 14}, {mean: 16}, {mean: 18}}
	if got := slope(parts); got != 8 {
		t.Errorf("slope %v over the window, want 8", got)
	}
}

// A steady series must hardly ever be called unsteady, whatever its scatter.
func TestFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const tries = 2000
	alarms := 0
	for i := range tries {
		j := &results.JobResult{Name: "j", Series: &results.Series{}}
		scatter := 0.02 * float64(1+i%20)
		for range 60 {
			j.Series.Ops = append(j.Series.Ops, int64(max(0, 1000*(1+scatter*random.NormFloat64()))))
		}
		if _, found := Series(j, false); found {
			alarms++
		}
	}
	if alarms > tries/100 {
		t.Errorf("%d of %d steady series raise an alarm", alarms, tries)
	}
}
