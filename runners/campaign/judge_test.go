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

// A short window is off by its edges, by the distance of its queues' windows and
// by one turn of a busy host; a long one by hardly anything.
func TestLittlesLawAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		name                string
		window, depth, skew float64
		slots, ops, pending int
		service             time.Duration
		oldest              float64
		want                bool
	}{
		{name: "as it should be", window: 0.03, depth: 4, slots: 4, ops: 1200, service: 100 * time.Microsecond},
		{name: "windows 12 ms apart", window: 0.03, depth: 4, skew: 0.012, slots: 4, ops: 720, service: 100 * time.Microsecond},
		{name: "windows said to be together", window: 0.03, depth: 4, slots: 4, ops: 600, service: 100 * time.Microsecond, want: true},
		{name: "held up for 9 ms", window: 0.03, depth: 1, slots: 1, ops: 210, service: 100 * time.Microsecond},
		{name: "held up for 9 ms of a second is within", window: 1, depth: 1, slots: 1, ops: 9910, service: 100 * time.Microsecond},
		{name: "half of each, in a short window", window: 0.03, depth: 1, slots: 1, ops: 300, service: 50 * time.Microsecond, want: true},
		{name: "a tenth lost in a second", window: 1, depth: 4, slots: 4, ops: 36_000, service: 100 * time.Microsecond, want: true},
		{name: "one that began long before", window: 0.03, depth: 1, slots: 1, ops: 1, service: 100 * time.Millisecond},
		{name: "four that end after it", window: 0.03, depth: 5, slots: 5, ops: 300, pending: 4, oldest: 0.5, service: 100 * time.Microsecond},
		{name: "none that ends after it", window: 0.03, depth: 5, slots: 5, ops: 300, service: 100 * time.Microsecond, want: true},
		{name: "deep and idle", window: 1, depth: 1, slots: 256, ops: 800, service: time.Millisecond / 2, want: true},
	} {
		h := hist.New()
		for range c.ops {
			h.Record(int64(c.service))
		}
		trial := &results.Trial{Status: results.Valid, WindowSeconds: c.window, SkewSeconds: c.skew}
		judgeLittle(trial, &results.JobResult{
			Name: "reader", Depth: c.slots, AchievedDepth: results.Some(c.depth), Pending: c.pending, OldestPendingSeconds: c.oldest,
			Kinds: []results.KindResult{{Kind: "read", Ops: int64(c.ops), Service: h}},
		})
		if got := has(*trial, "littles_law"); got != c.want {
			t.Errorf("%s: found %v, want %v: %v", c.name, got, c.want, trial.Findings)
		}
	}
}
