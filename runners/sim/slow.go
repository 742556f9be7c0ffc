package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// Slow makes a real target behave like a model: each operation is really done
// by Inner, and completes when it is done and the model would have done it too.
// Addresses are stretched to the model's capacity, so that a small target has a
// large disk's seeks.
type Slow struct {
	Inner runners.Engine
	Model *Model
}

// Name says which engine is slowed and as what.
func (e Slow) Name() string { return e.Inner.Name() + "+slow-as:" + e.Model.Name }

// Probe is the inner engine's.
func (e Slow) Probe() error { return e.Inner.Probe() }

// OneQueue says that all jobs must share the queue: the model is one disk.
func (Slow) OneQueue() bool { return true }

// QueueDepth is the model's.
func (e Slow) QueueDepth() int { return e.Model.queueDepth() }

// Open opens the inner queue and puts a fresh model beside it.
func (e Slow) Open(ctx context.Context, t runners.Target, o runners.Options) (runners.Queue, error) {
	inner, err := e.Inner.Open(ctx, t, o)
	if err != nil {
		return nil, fmt.Errorf("open target to slow as %s: %w", e.Model.Name, err)
	}
	return &slowQueue{
		inner: inner, disk: newDisk(e.Model), stretch: float64(e.Model.CapacityBytes) / float64(t.SizeBytes),
		got: make([]runners.Completion, o.Depth),
	}, nil
}

// slowQueue holds back completions of the inner queue.
type slowQueue struct {
	inner   runners.Queue
	disk    disk
	stretch float64
	waiting []held
	got     []runners.Completion
	ordinal uint64
	ends    ends
}

// held is one outstanding operation: done by the target, by the model, or
// neither yet. Operations are told apart by ordinal, which the model carries
// in its copy's due time, a field that it does not look at.
type held struct {
	op          workloads.Op
	ordinal     uint64
	real, model bool
	completion  runners.Completion
	due         time.Duration // by the model
}

// Submit hands operations to the target and to the model.
func (q *slowQueue) Submit(ops []workloads.Op) (int, error) {
	n, err := q.inner.Submit(ops)
	now := q.inner.Elapsed()
	for i := range ops[:n] {
		q.advance(now)
		q.ordinal++
		q.waiting = append(q.waiting, held{op: ops[i], ordinal: q.ordinal})
		copied := ops[i]
		copied.Off = q.ends.place(ops[i], q.stretch)
		copied.At = time.Duration(q.ordinal)
		q.disk.arrive(&copied, now)
	}
	return n, err
}

// ends remembers where recent operations ended, on the target and on the model.
type ends struct {
	at   [64]struct{ real, model int64 }
	next int
}

// place stretches an address, but keeps what is contiguous on the target
// contiguous on the model, where stretching would leave gaps.
func (e *ends) place(op workloads.Op, stretch float64) int64 {
	off := int64(float64(op.Off) * stretch)
	for _, end := range e.at {
		if end.real == op.Off && end.real > 0 {
			off = end.model
		}
	}
	e.at[e.next].real, e.at[e.next].model = op.Off+op.Len, off+op.Len
	e.next = (e.next + 1) % len(e.at)
	return off
}

// advance completes on the model what it has done by now.
func (q *slowQueue) advance(now time.Duration) {
	for {
		at, ok := q.disk.next()
		if !ok || at > now {
			return
		}
		var c runners.Completion
		q.disk.finish(&c)
		for i := range q.waiting {
			if q.waiting[i].ordinal == uint64(c.Op.At) {
				q.waiting[i].model, q.waiting[i].due = true, c.Done
			}
		}
	}
}

// Reap returns what both have done.
func (q *slowQueue) Reap(dst []runners.Completion, least int, until time.Duration) (int, error) {
	for n := 0; ; {
		if err := q.collect(0, 0); err != nil {
			return n, err
		}
		now := q.inner.Elapsed()
		q.advance(now)
		n += q.release(dst[n:])
		if n == len(dst) || n >= least || (until > 0 && now >= until) || (len(q.waiting) == 0 && until == 0) {
			return n, nil
		}
		if err := q.wait(until); err != nil {
			return n, err
		}
	}
}

// wait sleeps until the model's next completion, or until something comes back
// from the target, or until.
func (q *slowQueue) wait(until time.Duration) error {
	if at, ok := q.disk.next(); ok && (until == 0 || at < until) {
		until = at
	}
	if until == 0 && q.outstanding() == 0 {
		return nil
	}
	return q.collect(1, until)
}

// outstanding counts what the target has not done yet.
func (q *slowQueue) outstanding() int {
	n := 0
	for i := range q.waiting {
		if !q.waiting[i].real {
			n++
		}
	}
	return n
}

// collect takes the target's completions.
func (q *slowQueue) collect(least int, until time.Duration) error {
	n, err := q.inner.Reap(q.got, least, until)
	for _, c := range q.got[:n] {
		for i := range q.waiting {
			if h := &q.waiting[i]; !h.real && h.op == c.Op {
				h.real, h.completion = true, c
				break
			}
		}
	}
	return err
}

// release moves what both have done to dst.
func (q *slowQueue) release(dst []runners.Completion) int {
	n := 0
	kept := q.waiting[:0]
	for _, h := range q.waiting {
		if h.real && h.model && n < len(dst) {
			h.completion.Done = max(h.completion.Done, h.due)
			dst[n] = h.completion
			n++
			continue
		}
		kept = append(kept, h)
	}
	q.waiting = kept
	return n
}

// Elapsed is the inner queue's clock.
func (q *slowQueue) Elapsed() time.Duration { return q.inner.Elapsed() }

// Close closes the inner queue.
func (q *slowQueue) Close() error { return q.inner.Close() }
