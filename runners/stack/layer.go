package stack

import (
	"errors"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// layer is a Queue over a Queue. It keeps what it accepted as parents, and its
// policy says which part of which parent goes down next. Operations below carry
// the parent's number in their At, which no queue looks at; Drive's At comes
// back with the parent's completion.
type layer struct {
	name   string
	inner  runners.Queue
	policy policy

	parents []parent
	free    []int32
	ready   fifo // parents that are complete and not yet reaped
	// deletes is how many delete parents are outstanding, maxDeletes the most.
	deletes, maxDeletes int

	// below is how many parts are staged or with the inner queue, depth the
	// most of these.
	below, depth int
	staged       []workloads.Op
	scratch      []runners.Completion

	// tally counts what went to the device; nil in all but the lowest layer.
	tally *tally
}

// policy decides the order of a layer. Parents are named by their number.
type policy interface {
	// add is told of a parent that was accepted.
	add(i int32)
	// next returns the part to send down now and its parent. It is asked only
	// when there is room below, and what it returns is sent.
	next() (i int32, part workloads.Op, ok bool)
	// returned is told that a part came back from below.
	returned(i int32, c *runners.Completion)
}

// parent is one operation accepted from above.
type parent struct {
	op     workloads.Op
	issued time.Duration
	done   time.Duration // the latest part's
	n      int64         // bytes moved so far
	err    error         // the first part's that failed
	parts  int           // below
	// sent is how many bytes went down; last says that nothing more will, as is
	// true of a free slot.
	sent int64
	last bool
}

// newLayer prepares a layer for o.Depth parents from above and depth parts
// below.
func newLayer(name string, o runners.Options, depth int) *layer {
	l := &layer{
		name:       name,
		parents:    make([]parent, o.Depth),
		free:       make([]int32, 0, o.Depth),
		ready:      newFifo(o.Depth),
		maxDeletes: o.DeleteDepth,
		depth:      depth,
		staged:     make([]workloads.Op, 0, depth),
		scratch:    make([]runners.Completion, min(depth, 256)),
	}
	for i := range l.parents {
		l.parents[i].last = true
		l.free = append(l.free, int32(i))
	}
	return l
}

// Elapsed is the inner queue's clock.
func (l *layer) Elapsed() time.Duration { return l.inner.Elapsed() }

// Oldest is the inner queue's, where it can tell: what a device holds on to is a
// part, not its parent.
func (l *layer) Oldest() (op workloads.Op, issued time.Duration, ok bool) {
	if q, can := l.inner.(runners.Oldest); can {
		return q.Oldest()
	}
	return op, 0, false
}

// Submit accepts operations until the slots are taken or the next one is a
// delete too many. The policy is asked after each, as a driver is woken for
// each request that arrives; the inner queue is called once.
func (l *layer) Submit(ops []workloads.Op) (int, error) {
	now := l.inner.Elapsed()
	n := 0
	for n < len(ops) && l.accept(ops[n], now) {
		l.stage()
		n++
	}
	return n, l.send()
}

func (l *layer) accept(op workloads.Op, now time.Duration) bool {
	if len(l.free) == 0 || op.Kind == workloads.Delete && l.deletes == l.maxDeletes {
		return false
	}
	if op.Kind == workloads.Delete {
		l.deletes++
	}
	i := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	l.parents[i] = parent{op: op, issued: now}
	l.policy.add(i)
	return true
}

// stage takes what the policy lets go, while there is room below.
func (l *layer) stage() {
	for l.below < l.depth {
		i, part, ok := l.policy.next()
		if !ok {
			return
		}
		part.At = time.Duration(i)
		l.parents[i].parts++
		l.below++
		l.staged = append(l.staged, part)
	}
}

// send submits what is staged. What the inner queue refuses stays staged, in
// order.
func (l *layer) send() error {
	for len(l.staged) > 0 {
		n, err := l.inner.Submit(l.staged)
		if l.tally != nil {
			l.tally.count(l.staged[:n])
		}
		l.staged = l.staged[:copy(l.staged, l.staged[n:])]
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// Reap collects completed parents as runners.Queue says. The inner queue is
// waited for one completion at a time, so that what it makes room for goes down
// at once, and is polled even when enough parents are ready.
func (l *layer) Reap(dst []runners.Completion, min int, until time.Duration) (int, error) {
	n := l.deliver(dst)
	for {
		wait := 0
		if n < min && n < len(dst) {
			wait = 1
		}
		k, err := l.pull(wait, until)
		n += l.deliver(dst[n:])
		if err != nil || wait == 0 || k == 0 {
			return n, err
		}
		if n >= min || n == len(dst) || until > 0 && l.inner.Elapsed() >= until {
			return n, nil
		}
	}
}

// pull reaps from the inner queue once and sends down what then may go.
func (l *layer) pull(min int, until time.Duration) (int, error) {
	k, err := l.inner.Reap(l.scratch, min, until)
	for j := range l.scratch[:k] {
		l.take(&l.scratch[j])
		l.stage()
	}
	if err != nil {
		return k, err
	}
	return k, l.send()
}

// take books one part that came back to its parent.
func (l *layer) take(c *runners.Completion) {
	i := int32(c.Op.At)
	p := &l.parents[i]
	l.below--
	p.parts--
	p.n += c.N
	p.done = max(p.done, c.Done)
	if p.err == nil {
		p.err = c.Err
	}
	if l.tally != nil {
		l.tally.returned(c)
	}
	l.policy.returned(i, c)
	if p.last && p.parts == 0 {
		l.ready.push(i)
	}
}

// deliver hands completed parents up and frees their slots.
func (l *layer) deliver(dst []runners.Completion) int {
	n := 0
	for ; n < len(dst) && l.ready.n > 0; n++ {
		i := l.ready.pop()
		p := &l.parents[i]
		dst[n] = runners.Completion{Op: p.op, Issued: p.issued, Done: p.done, N: p.n, Err: p.err}
		if p.op.Kind == workloads.Delete {
			l.deletes--
		}
		l.free = append(l.free, i)
	}
	return n
}

// Close closes the inner queue, which waits for what it was given. Parts that
// had not gone down are dropped, and the error says how many operations that
// left undone.
func (l *layer) Close() error {
	for _, part := range l.staged {
		l.parents[part.At].last = false
	}
	undone := 0
	for i := range l.parents {
		if !l.parents[i].last {
			undone++
		}
	}
	err := l.inner.Close()
	if undone > 0 {
		err = errors.Join(err, fmt.Errorf("close %s layer: %d operations were dropped before all of them had gone to the device; "+
			"reap every completion before closing", l.name, undone))
	}
	return err
}

// restored is the content hook that the inner queue sees: it gives the real
// hook its operations back as they came from above.
type restored struct {
	layer *layer
	runners.Data
}

func (d restored) Fill(op workloads.Op, buf []byte) { d.Data.Fill(d.layer.restore(op), buf) }

func (d restored) Check(op workloads.Op, buf []byte) error {
	return d.Data.Check(d.layer.restore(op), buf)
}

func (l *layer) restore(op workloads.Op) workloads.Op {
	op.At = l.parents[op.At].op.At
	return op
}
