package content

import (
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// Guard returns a stream without the operations that overlap one that is
// outstanding: what such a read should bring, and which of two writes stays,
// nobody can say. They are left out, not put off. Operations outside the
// stamped region pass. A delete is in the journal before it is issued.
func (s *Stamps) Guard(inner workloads.Stream) workloads.Stream {
	g := &guard{stamps: s, inner: inner}
	g.feedback, _ = inner.(workloads.Feedback)
	return g
}

type guard struct {
	stamps   *Stamps
	inner    workloads.Stream
	feedback workloads.Feedback // nil: the inner stream does not care
	now      time.Duration
}

// attempts bounds the search for an operation that overlaps none. Where it
// fails, the stream waits for a completion.
const attempts = 64

// Next implements workloads.Stream.
func (g *guard) Next(op *workloads.Op) bool {
	for range attempts {
		if !g.inner.Next(op) {
			return false
		}
		first, n, ok := g.stamps.blocks(*op)
		if !ok {
			return true
		}
		if g.stamps.claim(first, n) {
			if op.Kind == workloads.Delete {
				g.stamps.doom(first, n)
			}
			return true
		}
		if g.feedback != nil { // as if it were done at once
			g.feedback.Completed(*op, max(op.At, g.now))
		}
	}
	return false
}

// Completed implements workloads.Feedback.
func (g *guard) Completed(op workloads.Op, at time.Duration) {
	g.now = at
	if first, n, ok := g.stamps.blocks(op); ok {
		g.stamps.release(first, n)
	}
	if g.feedback != nil {
		g.feedback.Completed(op, at)
	}
}

// claim marks blocks as busy, or returns false where one is.
func (s *Stamps) claim(first, n int64) bool {
	for i := first; i < first+n; i++ {
		if s.table[i]&busy != 0 {
			return false
		}
	}
	for i := first; i < first+n; i++ {
		s.table[i] |= busy
	}
	return true
}

func (s *Stamps) release(first, n int64) {
	for i := first; i < first+n; i++ {
		s.table[i] &^= busy
	}
}
