package runners

import (
	"testing"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// batch is n completions of a job and kind, all of one latency.
func batch(job uint16, kind workloads.Kind, n int, latency time.Duration) []Completion {
	out := make([]Completion, n)
	for i := range out {
		out[i] = completion(0, latency)
		out[i].Op.Job, out[i].Op.Kind = job, kind
	}
	return out
}

func TestSampledWeighsBatches(t *testing.T) {
	r := NewRecorder([]JobInfo{{Name: "a"}, {Name: "b"}})
	if got := r.Sampled(); got != nil {
		t.Errorf("nothing completed, and %+v was sampled", got)
	}
	for range 60 { // 60 slow operations alone, 600 fast ones in tens
		r.Completed(batch(1, workloads.Write, 1, 9*ms), 0)
		r.Completed(batch(1, workloads.Write, 10, 2*ms), 0)
	}
	r.Completed(batch(0, workloads.Read, 3, ms), 0)
	got := r.Sampled()
	want := []Sampled{{"a", "read", ms, 0}, {"b", "write", 2 * ms, 9 * ms}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("sampled %+v, want %+v", got, want)
	}
}

// TestSampledForgets looks back upon the last batches only, and upon due times.
func TestSampledForgets(t *testing.T) {
	r := NewRecorder([]JobInfo{{Name: "a"}})
	for range 2 * mostSamples {
		r.Completed(batch(0, workloads.Read, 1, 9*ms), 0)
	}
	late := batch(0, workloads.Read, 1, 9*ms)
	late[0].Op.At = 5 * ms
	for range mostSamples {
		r.Completed(late, 0)
	}
	if got := r.Sampled(); len(got) != 1 || got[0].P50 != 4*ms || got[0].P99 != 4*ms {
		t.Errorf("sampled %+v, want 4 ms only", got)
	}
}
