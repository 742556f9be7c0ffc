package results

import (
	"time"

	"github.com/iosweep/iosweep/results/hist"
)

// Status is what became of a trial.
type Status string

// The states a trial can end in. Only valid trials enter statistics.
const (
	Valid       Status = "valid"
	Invalid     Status = "invalid"     // measured, but a finding says that it must not count
	Failed      Status = "failed"      // not measured to the end
	Unsupported Status = "unsupported" // the target cannot do it; skipped
	Interrupted Status = "interrupted" // stopped by the operator
)

// Trial is one measured execution of one variant, workload and load point.
type Trial struct {
	Schema int `json:"schema"`
	// Index is its place in the plan, Attempt counts repetitions of that place
	// from 0.
	Index   int `json:"index"`
	Attempt int `json:"attempt,omitempty"`
	// Block is the randomised block (repeat) it belongs to, from 0.
	Block    int       `json:"block"`
	Variant  string    `json:"variant"`
	Workload string    `json:"workload"`
	Load     Load      `json:"load"`
	Seed     uint64    `json:"seed"`
	Status   Status    `json:"status"`
	Findings []Finding `json:"findings,omitempty"`
	Started  time.Time `json:"started"`
	// WindowSeconds is the real length of the measured window, on the queue's
	// clock; WarmupSeconds what was driven before it.
	WindowSeconds float64 `json:"window_s"`
	WarmupSeconds float64 `json:"warmup_s"`
	// SkewSeconds is how far the windows of a trial's queues were apart.
	SkewSeconds float64 `json:"skew_s,omitempty"`
	// Prepared is what was done to the target first; nil when nothing was, or
	// only before an earlier trial.
	Prepared *Preparation `json:"prepared,omitempty"`
	// Verified is what came of verifying data; nil where nothing was stamped.
	Verified *Verification `json:"verified,omitempty"`
	// Settings is what was asked, where it acted and what was read back.
	Settings []Applied   `json:"settings"`
	Jobs     []JobResult `json:"jobs"`
	// Counters is what the kernel counted on the device over the window; nil
	// where it cannot be known.
	Counters *Counters `json:"counters,omitempty"`
	// NamedCounters is what it counted on the targets beside the first that the
	// workload's jobs name, where that can be known.
	NamedCounters []NamedCounters `json:"named_counters,omitempty"`
	// Layer is what iosweep's own layers did; nil without layers.
	Layer *Layer `json:"layer,omitempty"`
	CPU   *CPU   `json:"cpu,omitempty"`
}

// NamedCounters is what the kernel counted on a target beside the first.
type NamedCounters struct {
	Target   string   `json:"target"`
	Counters Counters `json:"counters"`
}

// Load is a load point. Exactly one of Depth and Rate was asked; Percent is the
// share of the measured maximum that Rate was computed from. All zero: the
// jobs' own depths and rates.
type Load struct {
	Depth   int     `json:"depth,omitempty"`
	Rate    float64 `json:"rate,omitempty"`
	Percent float64 `json:"percent,omitempty"`
	// Max marks the unpaced trial that percentages refer to.
	Max bool `json:"max,omitempty"`
}

// Finding is something that the reader of a trial must know.
type Finding struct {
	// Code is stable: rate_missed, drift, no_effect, host_busy, ...
	Code string `json:"code"`
	// Fatal findings make the trial invalid.
	Fatal bool   `json:"fatal,omitempty"`
	Text  string `json:"text"`
}

// Applied is a setting as a trial saw it.
type Applied struct {
	Setting
	// Address is the kernel's knob, such as sysfs:queue/max_sectors_kb.
	Address string `json:"address,omitempty"`
	// Before is the value that was found, Observed the one read back after the
	// write, After the one read at the end of the trial.
	Before   string `json:"before,omitempty"`
	Observed string `json:"observed,omitempty"`
	After    string `json:"after,omitempty"`
	Note     string `json:"note,omitempty"`
}

// JobResult is what one job of a trial did.
type JobResult struct {
	Name string `json:"name"`
	// Load says that the trial's load point set this job's depth or rate.
	Load bool `json:"load,omitempty"`
	// Depth and Rate are what was asked; AchievedDepth is the time-weighted
	// mean of operations outstanding over the window.
	Depth         int          `json:"depth"`
	Rate          float64      `json:"rate,omitempty"`
	AchievedDepth Float        `json:"achieved_depth"`
	Kinds         []KindResult `json:"kinds"`
	// Series is the job's progress in equal intervals of the window.
	Series *Series `json:"series,omitempty"`
	// Lateness is how long after they were due operations were issued, in an
	// open loop.
	Lateness *hist.Hist `json:"lateness,omitempty"`
	// Pending is how many operations were outstanding when the window closed,
	// OldestPending how long the oldest of them had been waiting by then: a
	// lower bound of a latency that the histograms do not have.
	Pending              int     `json:"pending"`
	OldestPendingSeconds float64 `json:"oldest_pending_s"`
}

// KindResult is what a job's operations of one kind did in the window.
type KindResult struct {
	Kind  string `json:"kind"`
	Ops   int64  `json:"ops"`
	Bytes int64  `json:"bytes"`
	// Errors counts failed operations, by message in ErrorTexts (at most 8).
	Errors     int64            `json:"errors,omitempty"`
	ErrorTexts map[string]int64 `json:"error_texts,omitempty"`
	// OpsPerSecond and BytesPerSecond use the real window; null when the window
	// is under 1 ms or there were fewer than two operations.
	OpsPerSecond   Float `json:"ops_per_s"`
	BytesPerSecond Float `json:"bytes_per_s"`
	// Service is counted from issue to completion, Response from when the
	// operation was due. In a closed loop both are the same and Response is nil.
	Service  *hist.Hist `json:"service,omitempty"`
	Response *hist.Hist `json:"response,omitempty"`
}

// Series is progress over equal intervals.
type Series struct {
	IntervalSeconds float64 `json:"interval_s"`
	Ops             []int64 `json:"ops"`
	Bytes           []int64 `json:"bytes"`
	// MeanSeconds and MaxSeconds are of the response time where there is one,
	// else of the service time.
	MeanSeconds []float64 `json:"mean_s"`
	MaxSeconds  []float64 `json:"max_s"`
}

// Counters is what the kernel counted over a window, by kind of request.
type Counters struct {
	// Source says where they were read, such as /sys/block/loop3/stat.
	Source string      `json:"source"`
	Read   CounterKind `json:"read"`
	Write  CounterKind `json:"write"`
	Delete CounterKind `json:"delete"`
	Flush  CounterKind `json:"flush"`
	// SizesNote says which requests Sizes are of, where they are not of all.
	SizesNote string `json:"sizes_note,omitempty"`
	// SpanSeconds is the real time between the two readings.
	SpanSeconds float64 `json:"span_s"`
}

// CounterKind counts one kind of request.
type CounterKind struct {
	Requests int64 `json:"requests"`
	Merges   int64 `json:"merges"`
	Bytes    int64 `json:"bytes"`
	// Sizes is how many requests of each size in bytes were issued to the
	// driver, where tracepoints could be used.
	Sizes map[int64]int64 `json:"sizes,omitempty"`
}

// MeanBytes is the mean request size, absent without requests.
func (c CounterKind) MeanBytes() Float {
	if c.Requests == 0 {
		return Float{}
	}
	return Some(float64(c.Bytes) / float64(c.Requests))
}

// Layer is what iosweep's own layers did with the operations over the window.
type Layer struct {
	// Requests by kind, as they went to the device below.
	Read   CounterKind `json:"read"`
	Write  CounterKind `json:"write"`
	Delete CounterKind `json:"delete"`
	// Barriers is how many bioq insertions the batch limit sent to the tail,
	// Sorted how many were sorted in.
	Barriers int64 `json:"barriers,omitempty"`
	Sorted   int64 `json:"sorted,omitempty"`
	// MaxQueued is the longest the bioq was.
	MaxQueued int `json:"max_queued,omitempty"`
	// DeleteService are the service times of the deletes that went to the
	// device below: of single chunks, where deletes are cut.
	DeleteService *hist.Hist `json:"delete_service,omitempty"`
}

// CPU is the processor time used over a window.
type CPU struct {
	// UserSeconds and SystemSeconds are iosweep's own.
	UserSeconds   float64 `json:"user_s"`
	SystemSeconds float64 `json:"system_s"`
	// HostBusy is the share (0 to 1) of all processors that was not idle,
	// Steal the share taken by the hypervisor.
	HostBusy Float `json:"host_busy"`
	Steal    Float `json:"steal"`
}
