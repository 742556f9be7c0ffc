package runners

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// Sampled is how long one job's operations of one kind took lately, told from
// one operation of each batch of completions, which counts for its whole batch.
// It is for somebody who watches, never for a result.
type Sampled struct {
	Job, Kind string
	// P50 and P99 are response times of operations that had a due time, else
	// service times; P99 is 0 where fewer than 100 were sampled.
	P50, P99 time.Duration
}

// mostSamples is how many batches are looked back upon.
const mostSamples = 1024

// A sample is one word, so that it can be stored whole: the latency in ns, then
// the batch's size (at most maxWeight), the kind and the job.
const (
	latencyBits, weightBits, kindBits = 44, 7, 3
	maxWeight                         = 1<<weightBits - 1
	mostSampledJobs                   = 1 << (64 - latencyBits - weightBits - kindBits)
)

// samples is a ring of the last batches. Only Drive's goroutine adds to it.
type samples struct {
	n    uint64
	ring [mostSamples]atomic.Uint64
}

// add samples a batch that has completed. Which operation of it is taken goes
// round, so that none of a batch's places is preferred.
func (s *samples) add(cs []Completion) {
	if len(cs) == 0 {
		return
	}
	c := &cs[s.n%uint64(len(cs))]
	if c.Err != nil || c.Op.Job >= mostSampledJobs {
		return
	}
	since := c.Issued
	if c.Op.At > 0 {
		since = c.Op.At
	}
	latency := min(uint64(max(c.Done-since, 1)), 1<<latencyBits-1)
	weight := uint64(min(len(cs), maxWeight))
	s.ring[s.n%mostSamples].Store(latency | weight<<latencyBits | uint64(c.Op.Kind)<<(latencyBits+weightBits) | uint64(c.Op.Job)<<(latencyBits+weightBits+kindBits))
	s.n++
}

// weighed is a latency and how many operations it stands for.
type weighed struct {
	latency time.Duration
	weight  int
}

// Sampled tells of the last operations by job and kind, in the jobs' order. It is
// cheap and safe from any goroutine.
func (r *Recorder) Sampled() []Sampled {
	by := map[uint64][]weighed{}
	for i := range r.samples.ring {
		if v := r.samples.ring[i].Load(); v != 0 {
			what := v >> (latencyBits + weightBits)
			by[what] = append(by[what], weighed{time.Duration(v & (1<<latencyBits - 1)), int(v >> latencyBits & maxWeight)})
		}
	}
	var out []Sampled
	for job := range r.jobs {
		for kind := range workloads.Kinds {
			if all := by[uint64(job)<<kindBits|uint64(kind)]; len(all) > 0 {
				s := Sampled{Job: r.jobs[job].info.Name, Kind: workloads.Kind(kind).String()}
				s.P50, s.P99 = quantiles(all)
				out = append(out, s)
			}
		}
	}
	return out
}

func quantiles(all []weighed) (p50, p99 time.Duration) {
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(a.latency, b.latency) })
	total := 0
	for _, w := range all {
		total += w.weight
	}
	seen := 0
	for _, w := range all {
		seen += w.weight
		if p50 == 0 && 2*seen >= total {
			p50 = w.latency
		}
		if p99 == 0 && len(all) >= 100 && 100*seen >= 99*total {
			p99 = w.latency
		}
	}
	return p50, p99
}
