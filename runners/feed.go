package runners

import (
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// feed is a source as Drive sees it: the stream and its operations that have
// been drawn but not taken.
type feed struct {
	stream   workloads.Stream
	feedback workloads.Feedback // nil: the stream does not care
	job      uint16
	depth    int
	inflight int
	// held is drawn ahead, in the order of the due times. A stream that is not
	// told about completions yields its operations in that order, so one is
	// enough. The operations of one that is (a slot that thinks while others
	// are ready) may come in any order, so one is drawn for each free slot.
	held []workloads.Op
	dry  bool // the stream has nothing, for now or for ever
	next workloads.Op
}

func (f *feed) init(s Source, job uint16) {
	f.stream, f.depth, f.job = s.Stream, s.Depth, job
	f.feedback, _ = s.Stream.(workloads.Feedback)
	ahead := 1
	if f.feedback != nil {
		ahead = s.Depth
	}
	f.held = make([]workloads.Op, 0, ahead)
}

// take returns the next operation if it is due and a slot is free, else nil.
// The result is valid until the next call.
func (f *feed) take(start, now time.Duration) *workloads.Op {
	if f.inflight == f.depth {
		return nil
	}
	f.draw(start)
	if len(f.held) == 0 || f.held[0].At > now {
		return nil
	}
	f.next = f.held[0]
	f.held = f.held[:copy(f.held, f.held[1:])]
	f.inflight++
	return &f.next
}

// draw fills held from the stream, moving due times to the queue's clock.
func (f *feed) draw(start time.Duration) {
	ahead := min(cap(f.held), f.depth-f.inflight)
	for len(f.held) < ahead && !f.dry {
		n := len(f.held)
		f.held = f.held[:n+1]
		op := &f.held[n]
		*op = workloads.Op{}
		if !f.stream.Next(op) {
			f.held, f.dry = f.held[:n], true
			return
		}
		op.Job = f.job
		if op.At > 0 {
			op.At += start
		}
		for i := n; i > 0 && f.held[i].At < f.held[i-1].At; i-- {
			f.held[i], f.held[i-1] = f.held[i-1], f.held[i]
		}
	}
}

// due is when the next operation that was drawn may be issued; false when there
// is none or no slot for it.
func (f *feed) due() (time.Duration, bool) {
	if len(f.held) == 0 || f.inflight == f.depth {
		return 0, false
	}
	return f.held[0].At, true
}

// completed frees the operation's slot and tells the stream, which may have
// more operations because of it.
func (f *feed) completed(c *Completion, start time.Duration) {
	f.inflight--
	if f.feedback == nil {
		return
	}
	f.dry = false
	op := c.Op
	if op.At > 0 {
		op.At -= start
	}
	f.feedback.Completed(op, c.Done-start)
}

// ended says that the stream will yield nothing more. A stream with feedback
// may, as long as one of its operations is outstanding.
func (f *feed) ended() bool {
	return f.dry && len(f.held) == 0 && (f.feedback == nil || f.inflight == 0)
}
