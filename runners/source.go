package runners

import (
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// Source is one job's operations and how many of them may be outstanding.
//
// A Stream that also implements workloads.Feedback may return false from Next
// while operations of its are outstanding, when it has none until one of them
// completes: Drive then asks again after the next completion. It has ended when
// Next returns false with nothing outstanding.
type Source struct {
	Stream workloads.Stream
	Depth  int
}

// Limits say when Drive stops issuing. The first limit reached counts; zero
// values do not limit. Amounts are counted from the end of the warm-up.
type Limits struct {
	// Warmup is driven before the measured window begins.
	Warmup time.Duration
	// Duration is the length of the measured window.
	Duration time.Duration
	// Ops and Bytes bound the measured window by amount, over all sources.
	Ops, Bytes int64
	// Grace is how long Drive waits for outstanding operations, once it issues
	// no more, after the last was issued or completed; 0 means 30 s. What is
	// still outstanding then is an error. A delete of a whole device may need
	// more.
	Grace time.Duration
	// Abandon, when it is closed, ends that wait once Drive issues no more: the
	// operator gives up what is outstanding. Nil is never closed.
	Abandon <-chan struct{}
}

// Observer is told what Drive does, in batches, from Drive's goroutine. Slices
// are reused after the call.
type Observer interface {
	// Begin is called when the measured window opens, End when it closes, with
	// the queue's time. Completions may still come after End: operations that
	// were outstanding at the end of the window.
	Begin(at time.Duration)
	End(at time.Duration)
	// Submitted is called with operations that the queue accepted.
	Submitted(ops []workloads.Op, at time.Duration)
	// Completed is called with what was reaped.
	Completed(cs []Completion, at time.Duration)
}
