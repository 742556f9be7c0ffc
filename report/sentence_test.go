package report

import (
	"slices"
	"testing"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// TestOthersNamesWhoIsNamedNowhereElse parts the values by why they do not lead.
func TestOthersNamesWhoIsNamedNowhereElse(t *testing.T) {
	worse, open := &stats.Comparison{Outcome: stats.Worse}, &stats.Comparison{}
	value := stats.Summary{N: 7, Center: 0.5, Lo: 0.4, Hi: 0.6}
	s := sentence{
		j: &stats.Judgement{Metric: results.MetricName{Quantity: "mean"}, Standings: []stats.Standing{
			{Variant: "lead", Trials: 7, Value: value},
			{Variant: "slow", Trials: 7, Value: value, Against: worse},
			{Variant: "starved", Trials: 7, Value: value, Missing: 7, Against: worse},
			{Variant: "unjudged", Trials: 7, Value: value, Against: open},
			{Variant: "lacking", Trials: 7},
			{Variant: "rival", Trials: 7, Value: value, Against: open},
		}},
		settings: map[string]Setting{}, named: map[string]bool{"lead": true, "rival": true},
	}
	for _, r := range s.j.Standings {
		s.settings[r.Variant] = Setting{Label: r.Variant}
	}
	want := []string{"proven worse too: slow, starved with ≥ 500 ms", "not judged against it: unjudged", "without the figure: lacking"}
	if got := s.others(); !slices.Equal(got, want) {
		t.Errorf("others are %q, want %q", got, want)
	}
	if again := s.others(); again != nil {
		t.Errorf("named twice: %q", again)
	}
}

func TestMarginText(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want string
	}{
		{3, 1, "3 times that of"}, {1.12, 1, "12 % above that of"}, {0.9, 1, "10 % below that of"}, {1, 4, "4 times less than that of"}, {1, 0, "against"},
	} {
		if got := marginText(Figure{Median: c.a}, Figure{Median: c.b}); got != c.want {
			t.Errorf("%g to %g is %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
