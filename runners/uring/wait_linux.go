package uring

import (
	"time"
	"unsafe"

	"github.com/iosweep/iosweep/runners"
)

const (
	// tick is the interval of the ring's own timer. Waits that may last longer
	// rely on it to come back, which costs nothing per wait, where a time limit
	// for each wait would cost the kernel a timer each.
	tick = 50 * time.Millisecond
	// A wait with an end sleeps until a margin before it and polls from there,
	// because waking up takes its time. The margin follows what is seen: it
	// widens when a wake-up came after the end and narrows when it did not, in
	// steps that leave one wake-up in a hundred late.
	minMargin    = 5 * time.Microsecond
	maxMargin    = 100 * time.Microsecond
	firstMargin  = 60 * time.Microsecond
	widenMargin  = 5 * time.Microsecond
	narrowMargin = widenMargin / 100
)

// Reap collects completions; see runners.Queue.
func (q *queue) Reap(dst []runners.Completion, least int, until time.Duration) (int, error) {
	least = min(least, len(dst))
	n := 0
	for {
		if err := q.enter(n < least, until); err != nil {
			return n, err
		}
		n += q.collect(dst[n:])
		switch {
		case n >= least:
			return n, nil
		case until > 0 && q.Elapsed() >= until:
			return n, nil
		case until == 0 && q.outstanding() == 0:
			return n, nil
		}
	}
}

// enter submits what is pending, fetches completions that the kernel holds
// back, and waits when asked to and there is nothing to take.
func (q *queue) enter(wait bool, until time.Duration) error {
	r := q.ring
	for r.pending > q.submitBatch {
		if err := r.enter(q.submitBatch, 0, enterGetEvents, nil); err != nil {
			return err
		}
	}
	if !wait || r.ready() > 0 {
		if r.pending > 0 || r.deferred() {
			return r.enter(r.pending, 0, enterGetEvents, nil)
		}
		return nil
	}
	least := uint32(max(1, min(q.waitBatch, q.outstanding())))
	switch left := until - q.last; {
	case until == 0 || left >= tick:
		q.startTick()
		return r.enter(r.pending, least, enterGetEvents, nil)
	case left > q.margin:
		q.limit.nsec = int64(left - q.margin)
		q.arg.timeout = uint64(uintptr(unsafe.Pointer(&q.limit)))
		err := r.enter(r.pending, least, enterGetEvents, &q.arg)
		if r.ready() == 0 {
			q.learn(until)
		}
		return err
	}
	return q.poll(until)
}

// learn adapts the margin to a wake-up that was meant for margin before until.
func (q *queue) learn(until time.Duration) {
	if q.Elapsed() > until {
		q.margin = min(q.margin+widenMargin, maxMargin)
		return
	}
	q.margin = max(q.margin-narrowMargin, minMargin)
}

// poll spins until something completes or the time has come.
func (q *queue) poll(until time.Duration) error {
	r := q.ring
	if r.pending > 0 {
		if err := r.enter(r.pending, 0, enterGetEvents, nil); err != nil {
			return err
		}
	}
	for r.ready() == 0 {
		if r.deferred() { // even where the time is past: nothing else fetches them
			return r.enter(0, 0, enterGetEvents, nil)
		}
		if q.Elapsed() >= until {
			return nil
		}
		yield()
	}
	return nil
}

// startTick arms the ring's timer unless it runs.
func (q *queue) startTick() {
	if q.ticking {
		return
	}
	q.period = timespec{nsec: int64(tick)}
	s := uint32(len(q.slots))
	q.ring.entries[s] = entry{
		opcode: opTimeout, fd: -1, userData: tagTick,
		addr: uint64(uintptr(unsafe.Pointer(&q.period))), len: 1,
	}
	q.ring.put(s)
	q.ticking = true
}
