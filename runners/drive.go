package runners

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

const (
	// defaultGrace is Limits.Grace's default.
	defaultGrace = 30 * time.Second
	// goneGrace is how long is waited for the operations of a target that is
	// gone: they come back at once or never.
	goneGrace = 10 * time.Second
	// cancelPoll is the longest that Drive waits without looking whether it was
	// cancelled.
	cancelPoll = 100 * time.Millisecond
	// maxReap is how many completions are taken from the queue at once.
	maxReap = 256
)

// ErrNothingMeasured means that the operations ended before the warm-up did.
var ErrNothingMeasured = errors.New("all operations ended within the warm-up: shorten the warm-up or give more operations")

// ErrStuck means that nothing came back for the whole of the grace, or until
// the operator gave up: the device, or the kernel below it, does not answer. The
// queue still holds what is outstanding; it must not be closed, which would wait.
var ErrStuck = errors.New("the device does not answer")

// Drive issues the sources' operations through q until a limit is reached, all
// streams have ended or ctx is cancelled, waits for what is outstanding, and
// tells o what happened. It must run on the goroutine that opened q.
//
// An operation that is due at a time is issued when that time has come and its
// source has fewer than Depth outstanding; while it has not, the operation
// waits, and its response time, which counts from when it was due, grows. In
// what Drive passes to q and o, Op.At is on the queue's clock.
//
// A window bounded by an amount, or by the end of the streams, closes when the
// last operation is complete; one bounded by Duration closes then, whatever is
// outstanding.
//
// An operation that fails is the observer's matter. Drive returns an error when
// the queue fails, when the target is gone (ENODEV, ENXIO, a closed file), when
// operations do not come back within the grace or until they are abandoned
// (ErrStuck), ErrNothingMeasured, or ctx's error when it was cancelled; its cause
// where that says that the target is gone.
// Of a target that is gone, outstanding operations have 10 s to come back.
func Drive(ctx context.Context, q Queue, sources []Source, l Limits, o Observer) error {
	p, err := newPump(q, sources, l, o)
	if err != nil {
		return err
	}
	for !p.finished() {
		select {
		case <-ctx.Done():
			p.cancel(ctx)
		default:
		}
		if err := p.step(); err != nil {
			p.closeWindow()
			return err
		}
	}
	p.closeWindow()
	if p.cause == nil && !p.opened {
		return ErrNothingMeasured
	}
	return p.cause
}

// pump is the state of one Drive.
type pump struct {
	q Queue
	o Observer
	l Limits

	feeds []feed
	batch []workloads.Op // taken from the feeds, not yet accepted by the queue
	reap  []Completion

	start, now    time.Duration
	begin         time.Duration // when the window opened
	moved         time.Duration // when an operation was last issued or completed
	opened, ended bool          // the window

	inflight, inflightBytes   int64 // in batch or outstanding
	completed, completedBytes int64 // within the window
	stopped                   bool  // issue nothing more
	cause                     error // why, unless a limit
}

func newPump(q Queue, sources []Source, l Limits, o Observer) (*pump, error) {
	if l.Grace == 0 {
		l.Grace = defaultGrace
	}
	p := &pump{q: q, o: o, l: l, feeds: make([]feed, len(sources))}
	depth := 0
	for i, s := range sources {
		if s.Depth < 1 {
			return nil, fmt.Errorf("drive source %d: depth %d, need at least 1", i, s.Depth)
		}
		p.feeds[i].init(s, uint16(i))
		depth += s.Depth
	}
	p.batch = make([]workloads.Op, 0, depth)
	p.reap = make([]Completion, min(depth, maxReap))
	p.start = q.Elapsed()
	p.now, p.moved = p.start, p.start
	p.openWindow()
	return p, nil
}

// finished says that nothing is outstanding and nothing will be issued.
func (p *pump) finished() bool {
	if p.inflight > 0 {
		return false
	}
	if p.stopped || p.budget() <= 0 {
		return true
	}
	for i := range p.feeds {
		if !p.feeds[i].ended() {
			return false
		}
	}
	return true
}

// step issues what is due, waits for completions or for the next thing to do,
// and looks at the clock once.
func (p *pump) step() error {
	if !p.stopped {
		p.gather()
	}
	if p.finished() {
		return nil // the streams ended: to wait would lengthen the window
	}
	if err := p.submit(); err != nil {
		return err
	}
	n, err := p.q.Reap(p.reap, 1, p.wake())
	p.now = p.q.Elapsed()
	if n > 0 {
		p.complete(p.reap[:n])
	}
	if err != nil {
		return fmt.Errorf("reap completions: %w", err)
	}
	p.openWindow()
	if p.l.Duration > 0 && p.opened && p.now >= p.begin+p.l.Duration {
		p.stop(nil)
	}
	if p.inflight == 0 {
		return nil
	}
	if p.now-p.moved >= p.l.Grace {
		return p.stuck(fmt.Sprintf("did not come back within %v of the last sign of life", p.l.Grace))
	}
	if p.abandoned() {
		return p.stuck("were given up")
	}
	return nil
}

// abandoned says that the operator waits no longer for what is outstanding.
func (p *pump) abandoned() bool {
	select {
	case <-p.l.Abandon:
		return p.stopped
	default:
		return false
	}
}

// gather takes operations that are due, one source after the other in turn.
func (p *pump) gather() {
	for more := true; more; {
		more = false
		for i := range p.feeds {
			if p.budget() <= 0 {
				return
			}
			op := p.feeds[i].take(p.start, p.now)
			if op == nil {
				continue
			}
			p.batch = append(p.batch, *op)
			p.inflight++
			p.inflightBytes += op.Len
			more = true
		}
	}
}

// budget is above 0 while the amounts allow another operation.
func (p *pump) budget() int64 {
	left := int64(1)
	if !p.opened {
		return left
	}
	if p.l.Ops > 0 {
		left = p.l.Ops - p.completed - p.inflight
	}
	if p.l.Bytes > 0 {
		left = min(left, p.l.Bytes-p.completedBytes-p.inflightBytes)
	}
	return left
}

func (p *pump) submit() error {
	if len(p.batch) == 0 {
		return nil
	}
	n, err := p.q.Submit(p.batch)
	if n > 0 {
		p.o.Submitted(p.batch[:n], p.now)
		p.batch = p.batch[:copy(p.batch, p.batch[n:])]
		p.moved = p.now
	}
	if err != nil {
		return fmt.Errorf("submit operations: %w", err)
	}
	if n == 0 && p.inflight == int64(len(p.batch)) {
		return errors.New("submit operations: the queue takes none although none is outstanding")
	}
	return nil
}

// wake is the time at which something is to be done even if nothing completes.
func (p *pump) wake() time.Duration {
	t := p.now + cancelPoll
	switch {
	case p.ended:
		return min(t, p.moved+p.l.Grace)
	case !p.opened:
		t = min(t, p.start+p.l.Warmup)
	case p.l.Duration > 0:
		t = min(t, p.begin+p.l.Duration)
	}
	if p.budget() <= 0 {
		return t
	}
	for i := range p.feeds {
		if due, ok := p.feeds[i].due(); ok {
			t = min(t, due)
		}
	}
	return t
}

func (p *pump) complete(cs []Completion) {
	p.moved = p.now
	p.o.Completed(cs, p.now)
	for i := range cs {
		c := &cs[i]
		p.inflight--
		p.inflightBytes -= c.Op.Len
		if p.opened && c.Done >= p.begin {
			p.completed++
			p.completedBytes += c.Op.Len
		}
		p.feeds[c.Op.Job].completed(c, p.start)
		if c.Err != nil && gone(c.Err) {
			p.stop(fmt.Errorf("%v at byte %d: the target is gone: %w", c.Op.Kind, c.Op.Off, c.Err))
		}
	}
}

// gone says that err means the loss of the target rather than of an operation.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO) ||
		errors.Is(err, syscall.EBADF) || errors.Is(err, os.ErrClosed)
}

// openWindow begins the measured window once the warm-up is over.
func (p *pump) openWindow() {
	if p.opened || p.stopped || p.now < p.start+p.l.Warmup {
		return
	}
	p.opened, p.begin = true, p.now
	p.o.Begin(p.now)
}

// closeWindow ends the measured window, if it was open.
func (p *pump) closeWindow() {
	if p.opened && !p.ended {
		p.ended = true
		p.o.End(p.now)
	}
}

// cancel stops because the context ended.
func (p *pump) cancel(ctx context.Context) {
	if cause := context.Cause(ctx); gone(cause) {
		p.stop(cause)
		return
	}
	p.stop(ctx.Err())
}

// stop ends issuing and the window now. The first cause counts.
func (p *pump) stop(cause error) {
	if gone(cause) {
		p.l.Grace = min(p.l.Grace, goneGrace)
	}
	if p.stopped {
		if p.cause == nil && gone(cause) { // while the last ones are awaited
			p.cause = cause
		}
		return
	}
	p.stopped, p.cause = true, cause
	for _, op := range p.batch {
		p.inflight--
		p.inflightBytes -= op.Len
	}
	p.batch = p.batch[:0]
	p.closeWindow()
}

// stuck is ErrStuck in words, with why Drive had stopped before, if it had.
func (p *pump) stuck(what string) error {
	text := fmt.Sprintf("%v: %d operations %s", ErrStuck, p.inflight, what)
	if q, ok := p.q.(Oldest); ok {
		if op, issued, ok := q.Oldest(); ok {
			text += fmt.Sprintf("; the oldest is a %v of %d bytes at byte %d, issued %v before", op.Kind, op.Len, op.Off, (p.now - issued).Round(100*time.Millisecond))
		}
	}
	if p.cause != nil && !errors.Is(p.cause, context.Canceled) {
		text = p.cause.Error() + ": " + text
	}
	return &stuckError{text: text, cause: p.cause}
}

// stuckError wraps ErrStuck, and what had stopped Drive before.
type stuckError struct {
	text  string
	cause error
}

func (e *stuckError) Error() string { return e.text }

func (e *stuckError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrStuck}
	}
	return []error{ErrStuck, e.cause}
}
