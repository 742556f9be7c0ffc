package campaign

import (
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

// An operation of which only a part was timed contradicts the depth, which is
// measured apart: tens of nanoseconds for a delete are never believed.
func TestHalfTimedContradictsItself(t *testing.T) {
	for _, c := range []struct {
		name    string
		service time.Duration
		depth   float64
		want    bool
	}{
		{"a delete of 40 ns", 40 * time.Nanosecond, 1, true},
		{"half of each", 500 * time.Microsecond, 1, true},
		{"all of each", time.Millisecond, 1, false},
		{"a host that was slow beside a fast device", 500 * time.Microsecond, 0.5, false},
	} {
		h := hist.New()
		for range 1000 {
			h.Record(int64(c.service))
		}
		trial := &results.Trial{Status: results.Valid, WindowSeconds: 1}
		j := &results.JobResult{Name: "wipe", Depth: 1, AchievedDepth: results.Some(c.depth),
			Kinds: []results.KindResult{{Kind: "delete", Ops: 1000, Service: h}}}
		judgeLittle(trial, j)
		if got := has(*trial, "littles_law"); got != c.want || got != (trial.Status == results.Invalid) {
			t.Errorf("%s: found %v and %s, want %v", c.name, got, trial.Status, c.want)
		}
	}
}
