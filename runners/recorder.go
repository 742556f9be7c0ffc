package runners

import (
	"sync/atomic"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
	"github.com/iosweep/iosweep/workloads"
)

// JobInfo is what a Recorder must know of a job.
type JobInfo struct {
	Name string
	// Depth and Rate (operations per second, 0 for a closed loop) are what was
	// asked.
	Depth int
	Rate  float64
	// Interval is the step of the job's series; 0 keeps none. It is doubled
	// whenever the series would exceed 4096 points, so that a run of any length
	// takes the same memory.
	Interval time.Duration
}

// Recorder is an Observer that keeps what a trial reports of each job. It
// allocates nothing per operation. Only Live and Sampled may be called from
// another goroutine than Drive's while Drive runs.
//
// An operation belongs to the window in which it completes. One that failed is
// counted as an error, and in nothing else.
type Recorder struct {
	jobs          []jobRecord
	opened, ended bool
	begin, end    time.Duration

	liveOps, liveBytes, liveLatency atomic.Int64
	total                           Progress
	samples                         samples
}

// Progress is what all jobs have done since Drive began, the warm-up included.
type Progress struct {
	Ops, Bytes int64
	// Latency is the sum of all latencies: the response times of operations that
	// had a due time, else the service times.
	Latency time.Duration
}

// NewRecorder returns a Recorder for the sources of one Drive, in their order.
func NewRecorder(jobs []JobInfo) *Recorder {
	r := &Recorder{jobs: make([]jobRecord, len(jobs))}
	for i, info := range jobs {
		r.jobs[i].init(info)
	}
	return r
}

// Begin opens the window.
func (r *Recorder) Begin(at time.Duration) {
	r.opened, r.begin = true, at
	for i := range r.jobs {
		r.jobs[i].begin(at)
	}
}

// End closes the window. Operations that were outstanding are expected to be
// reported to Completed later.
func (r *Recorder) End(at time.Duration) {
	r.ended, r.end = true, at
	for i := range r.jobs {
		j := &r.jobs[i]
		j.advance(at)
		j.open, j.pending = false, j.outstanding
	}
}

// Window returns the measured window on the queue's clock; zeros before it is
// closed.
func (r *Recorder) Window() (begin, end time.Duration) {
	if !r.ended {
		return 0, 0
	}
	return r.begin, r.end
}

// Submitted counts operations as outstanding.
func (r *Recorder) Submitted(ops []workloads.Op, at time.Duration) {
	for i := range ops {
		j := &r.jobs[ops[i].Job]
		j.advance(at)
		j.outstanding++
	}
}

// Completed records what completed.
func (r *Recorder) Completed(cs []Completion, at time.Duration) {
	for i := range cs {
		c := &cs[i]
		j := &r.jobs[c.Op.Job]
		j.advance(at)
		j.outstanding--
		latency := c.Done - c.Issued
		if c.Op.At > 0 {
			latency = c.Done - c.Op.At
		}
		if c.Err == nil {
			r.total.Ops++
			r.total.Bytes += c.N
			r.total.Latency += latency
		}
		switch {
		case !r.opened || c.Done < r.begin:
		case r.ended && c.Done > r.end:
			j.late(c, r.end)
		default:
			j.record(c, latency)
			if r.ended {
				j.pending--
			}
		}
	}
	r.samples.add(cs)
	r.publish()
}

// publish makes the totals visible to Live, once per batch.
func (r *Recorder) publish() {
	r.liveOps.Store(r.total.Ops)
	r.liveBytes.Store(r.total.Bytes)
	r.liveLatency.Store(int64(r.total.Latency))
}

// Live returns the progress so far. It is cheap and safe from any goroutine;
// its three figures may be one batch of completions apart.
func (r *Recorder) Live() Progress {
	return Progress{
		Ops: r.liveOps.Load(), Bytes: r.liveBytes.Load(),
		Latency: time.Duration(r.liveLatency.Load()),
	}
}

// Results returns what each job did in the window, in the jobs' order. It is
// called after Drive; without a window there are no operations in it.
func (r *Recorder) Results() []results.JobResult {
	begin, end := r.Window()
	out := make([]results.JobResult, len(r.jobs))
	for i := range r.jobs {
		out[i] = r.jobs[i].result(end - begin)
	}
	return out
}

// jobRecord is what a Recorder keeps of one job.
type jobRecord struct {
	info        JobInfo
	kinds       [workloads.Kinds]*kindRecord // nil: none completed in the window
	series      series
	lateness    *hist.Hist
	outstanding int64
	// area is the integral of outstanding over the window until last.
	area, last    time.Duration
	open          bool // the window
	pending       int64
	oldestPending time.Duration
}

func (j *jobRecord) init(info JobInfo) {
	j.info = info
	if info.Rate > 0 {
		j.lateness = hist.New()
	}
	j.series.step = info.Interval
}

func (j *jobRecord) begin(at time.Duration) {
	j.open, j.last = true, at
	j.series.begin = at
}

// advance carries the integral of outstanding operations on to at.
func (j *jobRecord) advance(at time.Duration) {
	if j.open && at != j.last {
		j.area += time.Duration(j.outstanding) * (at - j.last)
		j.last = at
	}
}

// record counts an operation that completed within the window.
func (j *jobRecord) record(c *Completion, latency time.Duration) {
	k := j.kinds[c.Op.Kind]
	if k == nil {
		k = newKindRecord(j.info.Rate > 0)
		j.kinds[c.Op.Kind] = k
	}
	if c.Err != nil {
		k.fail(c.Err)
		return
	}
	k.add(c, latency)
	if j.lateness != nil && c.Op.At > 0 {
		j.lateness.Record(int64(c.Issued - c.Op.At))
	}
	j.series.add(c.Done, c.N, latency)
}

// late notes an operation that was outstanding when the window closed.
func (j *jobRecord) late(c *Completion, end time.Duration) {
	since := c.Issued
	if c.Op.At > 0 {
		since = c.Op.At
	}
	j.oldestPending = max(j.oldestPending, end-since)
}

func (j *jobRecord) result(window time.Duration) results.JobResult {
	r := results.JobResult{
		Name: j.info.Name, Depth: j.info.Depth, Rate: j.info.Rate,
		Lateness: j.lateness, Series: j.series.result(window),
		Pending: int(j.pending), OldestPendingSeconds: j.oldestPending.Seconds(),
	}
	if window >= minWindow {
		r.AchievedDepth = results.Some(float64(j.area) / float64(window))
	}
	for kind, k := range j.kinds {
		if k != nil {
			r.Kinds = append(r.Kinds, k.result(workloads.Kind(kind), window))
		}
	}
	return r
}

// minWindow is the shortest window from which a rate is computed.
const minWindow = time.Millisecond

// kindRecord counts a job's operations of one kind.
type kindRecord struct {
	ops, bytes, errors int64
	texts              map[string]int64
	service, response  *hist.Hist
}

func newKindRecord(open bool) *kindRecord {
	k := &kindRecord{service: hist.New()}
	if open {
		k.response = hist.New()
	}
	return k
}

func (k *kindRecord) add(c *Completion, latency time.Duration) {
	if k.response == nil && c.Op.At > 0 {
		// The first operation with a due time (think time, say): until now both
		// times were the same.
		k.response = hist.New()
		k.response.Merge(k.service)
	}
	k.ops++
	k.bytes += c.N
	k.service.Record(int64(c.Done - c.Issued))
	if k.response != nil {
		k.response.Record(int64(latency))
	}
}

// maxTexts bounds how many error messages are told apart; the rest are counted
// under otherErrors.
const (
	maxTexts    = 8
	otherErrors = "other errors"
)

func (k *kindRecord) fail(err error) {
	k.errors++
	if k.texts == nil {
		k.texts = make(map[string]int64)
	}
	countText(k.texts, err.Error(), 1)
}

func countText(texts map[string]int64, text string, n int64) {
	if _, known := texts[text]; !known && len(texts) >= maxTexts-1 {
		text = otherErrors
	}
	texts[text] += n
}

func (k *kindRecord) result(kind workloads.Kind, window time.Duration) results.KindResult {
	r := results.KindResult{
		Kind: kind.String(), Ops: k.ops, Bytes: k.bytes, Errors: k.errors, ErrorTexts: k.texts,
		Service: k.service, Response: k.response,
	}
	if window >= minWindow && k.ops >= 2 {
		r.OpsPerSecond = results.Some(float64(k.ops) / window.Seconds())
		r.BytesPerSecond = results.Some(float64(k.bytes) / window.Seconds())
	}
	return r
}
