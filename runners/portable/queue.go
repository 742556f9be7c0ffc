package portable

import (
	"fmt"
	"sync"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// closePatience is how long Close waits for what is outstanding: a minute is
// twice the time after which disks and kernels give a command up.
const closePatience = time.Minute

// queue hands slots to its workers through work and gets them back through
// done. Both hold every slot there is, so neither ever blocks a sender. A slot
// belongs to the queue's goroutine except between the two channels.
type queue struct {
	target  runners.Target
	options runners.Options
	deleter deleter
	unmap   func() error // nil: there are no buffers
	pattern []byte       // what writes carry when options.Data is nil; never written to

	slots      []slot
	free       []*slot
	work, done chan *slot
	deletes    int // outstanding
	workers    sync.WaitGroup

	opened   time.Time
	timer    *time.Timer
	patience time.Duration
}

// slot is one operation outstanding and its buffer.
type slot struct {
	c   runners.Completion
	buf []byte
	// begun is when the operation was handed over: c is the worker's meanwhile.
	begun time.Duration
	op    workloads.Op
}

// Elapsed is the time since Open returned.
func (q *queue) Elapsed() time.Duration { return time.Since(q.opened) }

// Submit hands over operations in order until the slots are taken or the next
// one is a delete too many.
func (q *queue) Submit(ops []workloads.Op) (int, error) {
	for i := range ops {
		if len(q.free) == 0 || ops[i].Kind == workloads.Delete && q.deletes == q.options.DeleteDepth {
			return i, nil
		}
		q.start(ops[i])
	}
	return len(ops), nil
}

func (q *queue) start(op workloads.Op) {
	s := q.free[len(q.free)-1]
	q.free = q.free[:len(q.free)-1]
	s.c, s.op, s.begun = runners.Completion{Op: op}, op, q.Elapsed()
	if op.Kind == workloads.Delete {
		q.deletes++
	}
	if err := q.refuse(op); err != nil {
		now := q.Elapsed()
		s.c.Issued, s.c.Done, s.c.Err = now, now, err
		q.done <- s
		return
	}
	if op.Kind == workloads.Write && q.options.Data != nil {
		q.options.Data.Fill(op, s.buf[:op.Len])
	}
	q.work <- s
}

// Reap collects completions as runners.Queue says. It sleeps on the channel or
// on the queue's timer.
func (q *queue) Reap(dst []runners.Completion, min int, until time.Duration) (int, error) {
	n := q.collect(dst)
	for n < min && n < len(dst) {
		s := q.wait(until)
		if s == nil {
			break
		}
		dst[n] = q.finish(s)
		n++
		n += q.collect(dst[n:])
	}
	return n, nil
}

// collect takes what is there.
func (q *queue) collect(dst []runners.Completion) int {
	for n := range dst {
		select {
		case s := <-q.done:
			dst[n] = q.finish(s)
		default:
			return n
		}
	}
	return len(dst)
}

// wait returns the next slot that is done, or nil at the time until or where
// nothing can come.
func (q *queue) wait(until time.Duration) *slot {
	if until <= 0 {
		if q.outstanding() == 0 {
			return nil
		}
		return <-q.done
	}
	left := until - q.Elapsed()
	if left <= 0 {
		return nil
	}
	q.timer.Reset(left)
	defer q.timer.Stop()
	select {
	case s := <-q.done:
		return s
	case <-q.timer.C:
		return nil
	}
}

func (q *queue) outstanding() int { return len(q.slots) - len(q.free) }

// Oldest is the operation that has been outstanding longest.
func (q *queue) Oldest() (op workloads.Op, issued time.Duration, ok bool) {
	free := make(map[*slot]bool, len(q.free))
	for _, s := range q.free {
		free[s] = true
	}
	for i := range q.slots {
		if s := &q.slots[i]; !free[s] && (!ok || s.begun < issued) {
			op, issued, ok = s.op, s.begun, true
		}
	}
	return op, issued, ok
}

// finish looks at what a read brought and frees the slot.
func (q *queue) finish(s *slot) runners.Completion {
	c := s.c
	if c.Op.Kind == workloads.Delete {
		q.deletes--
	}
	if c.Op.Kind == workloads.Read && c.Err == nil && q.options.Data != nil {
		c.Err = q.options.Data.Check(c.Op, s.buf[:c.Op.Len])
	}
	q.free = append(q.free, s)
	return c
}

// Close waits for what is outstanding, a minute at most, and ends the workers.
// Operations still outstanding then keep their threads and buffers until the
// kernel lets go of them; the error says how many they are. The target's file
// stays open: it is its owner's.
func (q *queue) Close() error {
	deadline := q.Elapsed() + q.patience
	for q.outstanding() > 0 {
		s := q.wait(deadline)
		if s == nil {
			break
		}
		q.free = append(q.free, s)
	}
	left := q.outstanding()
	if left > 0 {
		close(q.work)
		return fmt.Errorf("close portable queue on %s: %d operations were still outstanding after %v; "+
			"look at the device and the kernel's log", q.target.Name, left, q.patience)
	}
	q.stopWorkers()
	return q.freeBuffers()
}
