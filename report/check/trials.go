package check

import (
	"fmt"
	"math"

	"github.com/iosweep/iosweep/results"
)

// Trials checks the trials of a run against themselves.
func Trials(run *results.RunData) Result {
	var r Result
	for i := range run.Trials {
		t := &run.Trials[i]
		for _, j := range t.Jobs {
			for _, k := range j.Kinds {
				r.kind(fmt.Sprintf("trial %d.%d %s.%s", t.Index, t.Attempt, j.Name, k.Kind), t.WindowSeconds, k)
			}
		}
	}
	return r
}

// ownWindow is how far a rate may be from the count over the trial's window, as
// a share: a job with a queue of its own keeps a window of its own, which on a
// busy machine begins and ends some time before or after the trial's.
const ownWindow = 0.1

func (r *Result) rate(where string, window float64, count int64, stored results.Float) {
	if !stored.Valid || window <= 0 {
		return
	}
	r.Figures++
	if computed := float64(count) / window; math.Abs(stored.V-computed) > ownWindow*max(stored.V, computed) {
		r.differ(where, fmt.Sprint(stored.V), fmt.Sprint(computed))
	}
}

// kind checks the rates and the number of latencies of one kind of operation.
// Failed operations have no latency.
func (r *Result) kind(at string, window float64, k results.KindResult) {
	r.rate(at+" ops_per_s", window, k.Ops, k.OpsPerSecond)
	r.rate(at+" bytes_per_s", window, k.Bytes, k.BytesPerSecond)
	if k.Service.Count() > 0 {
		r.same(at+" latencies", float64(k.Service.Count()), float64(k.Ops))
	}
	if k.Response.Count() > 0 {
		r.same(at+" response times", float64(k.Response.Count()), float64(k.Ops))
	}
}
