package uring

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

const (
	// maxRetries bounds how often an operation that the kernel asks to repeat is
	// repeated.
	maxRetries = 1000
	// closeGrace is how long Close waits for outstanding operations.
	closeGrace = 10 * time.Second

	// Completions that belong to no slot.
	tagTick  = 1 << 32
	tagEvent = 2 << 32
)

// slot is the state of one outstanding operation.
type slot struct {
	op      workloads.Op
	issued  time.Duration
	moved   int64
	retries int32
	shape   workloads.Kind // what its entry is prefilled for
}

// queue is one ring with its thread, file and buffers.
type queue struct {
	ring    *ring
	clock   clock
	buffers *buffers
	slots   []slot
	idle    []uint32 // free slots
	last    time.Duration
	maxLen  int64
	data    runners.Data

	eager       bool // submit at once rather than with the next wait
	submitBatch uint32
	waitBatch   int

	deletes, deleteDepth int
	workers              *workers // nil: the ring does the deletes
	commandFlags         uint8    // sqeAsync once the device needs it

	arg     waitArg
	limit   timespec // of one wait
	period  timespec // of the tick
	ticking bool
	margin  time.Duration // see minMargin

	target     runners.Target
	registered bool
	counted    bool // in GOMAXPROCS
	thread     thread
}

// Elapsed is the time since the queue was opened.
func (q *queue) Elapsed() time.Duration {
	q.last = q.clock.now()
	return q.last
}

// Submit takes operations while slots are free.
func (q *queue) Submit(ops []workloads.Op) (int, error) {
	n := min(len(ops), len(q.idle))
	if n == 0 {
		return 0, nil
	}
	q.last = q.clock.now()
	for i := range n {
		if ops[i].Kind == workloads.Delete && q.deletes == q.deleteDepth {
			n = i
			break
		}
		if err := q.issue(&ops[i]); err != nil {
			return i, err
		}
	}
	for q.eager && q.ring.pending > 0 {
		before := q.ring.pending
		if err := q.ring.enter(before, 0, 0, nil); err != nil {
			return n, err
		}
		if q.ring.pending == before {
			break // the kernel asks to come again; Reap does
		}
		yield()
	}
	return n, nil
}

// issue puts one operation in a slot and its entry in the ring.
func (q *queue) issue(op *workloads.Op) error {
	transfer := op.Kind == workloads.Read || op.Kind == workloads.Write
	if transfer && uint64(op.Len) > uint64(q.maxLen) {
		return fmt.Errorf("%v of %d bytes on a queue opened for %d", op.Kind, op.Len, q.maxLen)
	}
	s := q.idle[len(q.idle)-1]
	q.idle = q.idle[:len(q.idle)-1]
	sl := &q.slots[s]
	sl.op, sl.issued, sl.moved, sl.retries = *op, q.last, 0, 0
	if op.Kind == workloads.Write && q.data != nil {
		q.data.Fill(*op, q.buffers.slot(s)[:op.Len])
	}
	if op.Kind == workloads.Delete {
		q.deletes++
		if q.workers != nil {
			q.hand(s)
			return nil
		}
	}
	q.fill(s)
	q.ring.put(s)
	return nil
}

// fill completes the slot's entry for what is left of its operation.
func (q *queue) fill(s uint32) {
	sl, e := &q.slots[s], &q.ring.entries[s]
	if sl.shape != sl.op.Kind {
		q.prefill(s, sl.op.Kind)
	}
	start, left := uint64(sl.op.Off+sl.moved), uint64(sl.op.Len-sl.moved)
	switch {
	case sl.op.Kind <= workloads.Write:
		e.off, e.len = start, uint32(left)
		e.addr = q.buffers.addr(s) + uint64(sl.moved)
	case sl.op.Kind == workloads.Delete && e.opcode == opCommand:
		e.addr, e.addr3 = start, left
	case sl.op.Kind == workloads.Delete:
		e.off, e.addr = start, left
	}
}

// prefill writes the parts of the slot's entry that stay the same for all
// operations of a kind.
func (q *queue) prefill(s uint32, kind workloads.Kind) {
	e := entry{flags: sqeFixedFile, userData: uint64(s)}
	fixed := q.buffers.perReg > 0
	if fixed && kind <= workloads.Write {
		e.bufIndex = uint16(int(s) / q.buffers.perReg)
	}
	switch {
	case kind == workloads.Read && fixed:
		e.opcode = opReadFixed
	case kind == workloads.Read:
		e.opcode = opRead
	case kind == workloads.Write && fixed:
		e.opcode = opWriteFixed
	case kind == workloads.Write:
		e.opcode = opWrite
	case kind == workloads.Flush:
		e.opcode = opFsync
	case q.target.Device:
		e.opcode, e.off = opCommand, discardCommand
		e.flags |= q.commandFlags
	default:
		e.opcode, e.len = opFallocate, punchHole
	}
	q.ring.entries[s], q.slots[s].shape = e, kind
}

// outstanding is how many slots are taken.
func (q *queue) outstanding() int { return len(q.slots) - len(q.idle) }

// Oldest is the operation that has been outstanding longest.
func (q *queue) Oldest() (op workloads.Op, issued time.Duration, ok bool) {
	free := make([]bool, len(q.slots))
	for _, s := range q.idle {
		free[s] = true
	}
	for s := range q.slots {
		if sl := &q.slots[s]; !free[s] && (!ok || sl.issued < issued) {
			op, issued, ok = sl.op, sl.issued, true
		}
	}
	return op, issued, ok
}

// collect takes what is complete. The workers' deletes come after the ring's
// results, among which is the event that announces them.
func (q *queue) collect(dst []runners.Completion) int {
	n := q.drain(dst)
	if q.workers != nil {
		n += q.fetch(dst[n:])
	}
	return n
}

// drain takes results from the ring, with one look at the clock.
func (q *queue) drain(dst []runners.Completion) int {
	r := q.ring
	tail := atomic.LoadUint32(r.cqTail)
	if tail == r.head {
		return 0
	}
	q.last = q.clock.now()
	n := 0
	for r.head != tail && n < len(dst) {
		c := r.results[r.head&r.cqMask]
		r.head++
		if c.userData >= tagTick {
			q.note(c.userData)
			continue
		}
		if q.settle(uint32(c.userData), c.res, &dst[n]) {
			n++
		}
	}
	r.taken()
	return n
}

// note handles a completion that is no operation's.
func (q *queue) note(tag uint64) {
	if tag == tagTick {
		q.ticking = false
		return
	}
	q.workers.armed = false
}

// settle turns a result into a completion; false when the operation goes on.
func (q *queue) settle(s uint32, res int32, c *runners.Completion) bool {
	sl := &q.slots[s]
	var err error
	switch {
	case res < 0:
		e := syscall.Errno(-res)
		if e == syscall.EINTR || e == syscall.EAGAIN {
			if sl.retries++; sl.retries <= maxRetries {
				return q.again(s)
			}
		}
		if e == syscall.EOPNOTSUPP && q.deferCommand(s) {
			return q.again(s)
		}
		err = e
	case sl.op.Kind > workloads.Write:
		sl.moved = sl.op.Len
	default:
		sl.moved += int64(res)
		if sl.moved < sl.op.Len && res > 0 {
			return q.again(s)
		}
		if sl.moved < sl.op.Len {
			err = io.ErrUnexpectedEOF
		}
	}
	q.finish(s, c, err)
	return true
}

// again issues what is left of the slot's operation.
func (q *queue) again(s uint32) bool {
	q.fill(s)
	q.ring.put(s)
	return false
}

// deferCommand sends a refused delete, and those after it, to the kernel's
// workers. Drivers that cannot promise not to block (zram, some device mapper
// targets) refuse a delete that is tried inline although they can do it.
func (q *queue) deferCommand(s uint32) bool {
	e := &q.ring.entries[s]
	if e.opcode != opCommand || e.flags&sqeAsync != 0 {
		return false
	}
	q.commandFlags = sqeAsync
	q.slots[s].shape = workloads.Kinds
	return true
}

// finish fills in the completion and frees the slot.
func (q *queue) finish(s uint32, c *runners.Completion, err error) {
	sl := &q.slots[s]
	c.Op, c.Issued, c.Done, c.N, c.Err = sl.op, sl.issued, q.last, sl.moved, err
	if err == nil && q.data != nil && sl.op.Kind == workloads.Read {
		c.Err = q.data.Check(sl.op, q.buffers.slot(s)[:sl.op.Len])
	}
	if sl.op.Kind == workloads.Delete {
		q.deletes--
	}
	q.idle = append(q.idle, s)
}

// Close waits up to 10 s for what is outstanding, then frees everything.
func (q *queue) Close() error {
	var lost error
	dst := make([]runners.Completion, len(q.slots))
	for end := q.Elapsed() + closeGrace; q.outstanding() > 0 && lost == nil; {
		if _, err := q.Reap(dst, 1, end); err != nil {
			lost = err
		} else if q.Elapsed() >= end {
			lost = fmt.Errorf("%d operations on %s are still outstanding after %v", q.outstanding(), q.target.Name, closeGrace)
		}
	}
	err := errors.Join(lost, q.free())
	runtime.UnlockOSThread()
	return err
}

// free gives back what open took. The file and the buffers are unregistered
// first, so that the kernel holds nothing of the target after Close.
func (q *queue) free() error {
	var errs []error
	if q.workers != nil {
		errs = append(errs, q.workers.stop())
	}
	if q.registered && q.outstanding() == 0 {
		_, err := q.ring.register(unregisterFiles, nil, 0)
		errs = append(errs, err)
	}
	if q.buffers != nil && q.buffers.perReg > 0 && q.outstanding() == 0 {
		_, err := q.ring.register(unregisterBuffers, nil, 0)
		errs = append(errs, err)
	}
	errs = append(errs, q.ring.close())
	if q.buffers != nil {
		errs = append(errs, q.buffers.free())
	}
	errs = append(errs, q.thread.restore())
	if q.counted {
		addProcs(-1)
	}
	return errors.Join(errs...)
}
