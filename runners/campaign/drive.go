package campaign

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// lane is one queue of a trial, its thread and the jobs that share it.
type lane struct {
	// named is the target's name; the first has none.
	named    string
	target   runners.Target
	jobs     []profiles.Job // Copies is 1 here
	index    []int          // each job's place in the workload
	sources  []runners.Source
	options  runners.Options
	recorder *runners.Recorder
	// content is each job's, where the queue asks for any.
	content byJob
	// stamps is nil unless the trial verifies.
	stamps *stamping
	// began is when the first operation could be issued, on the queue's clock.
	began time.Duration
	// layer counts what iosweep's own layers did over the window.
	layer   results.Layer
	deleted deleteObserver
	err     error
	// opened and closed are when its window was.
	opened, closed time.Time
}

// oneQueue is implemented by engines whose jobs must share a queue, because
// they compete in it (a simulated disk).
type oneQueue interface{ OneQueue() bool }

// shares reports whether all jobs of a trial must go through one queue: where
// they are ordered against each other.
func (c *Campaign) shares(p *placed) bool {
	if one, ok := c.Engine.(oneQueue); ok && one.OneQueue() {
		return true
	}
	return p.layers.Bioq
}

// lanes lays the jobs of a workload out over queues; a shared one is shared by
// the jobs of one target.
func (c *Campaign) lanes(js []profiles.Job, shared bool, seed uint64, window time.Duration, stamps *stamping) ([]*lane, error) {
	var out []*lane
	shared = shared || stamps != nil // which belong to one goroutine
	for i, j := range js {
		for copyNo := range max(1, j.Copies) {
			at := slices.IndexFunc(out, func(l *lane) bool { return shared && l.named == j.Target })
			if at < 0 {
				at = len(out)
				out = append(out, &lane{named: j.Target, target: c.on(j.Target).Target, stamps: stamps})
			}
			one := j
			one.Copies = 1
			l, jobSeed := out[at], workloads.JobSeed(seed, i, copyNo)
			if err := l.add(one, i, jobSeed); err != nil {
				return nil, err
			}
			if !c.Simulated { // a model has no content
				l.fillWith(one.Data, jobSeed)
			}
		}
	}
	for _, l := range out {
		l.record(c.seriesInterval(window))
	}
	return out, nil
}

func (l *lane) add(j profiles.Job, index int, seed uint64) error {
	g := geometryOf(l.target)
	stream, err := workloads.NewStream(j.Spec, g, seed)
	if err != nil {
		return fmt.Errorf("job %s: %w", j.Name, err)
	}
	l.jobs, l.index = append(l.jobs, j), append(l.index, index)
	if l.stamps != nil {
		stream = l.stamps.guard(profiles.ExtentOf(j.Region, g.SizeBytes), stream)
	}
	l.sources = append(l.sources, runners.Source{Stream: stream, Depth: j.Depth})
	l.options.Depth += j.Depth
	l.options.MaxLen = max(l.options.MaxLen, j.MaxLen(g))
	l.options.CPUs = append(l.options.CPUs, j.CPUs...)
	if j.Access.Random < 1 {
		l.options.SubmitBatch = runners.UnmergedBatch
	}
	return nil
}

// maxSeries bounds the points of a trial's series.
const maxSeries = 3600

// modelSeries is how many points a simulated trial's series has: a model does
// not tire, so they only show that its load is steady.
const modelSeries = 10

// seriesInterval is the step of a trial's series: a second, less where the
// window is so short that few points would be left, more where it is so long
// that they would be too many.
func (c *Campaign) seriesInterval(window time.Duration) time.Duration {
	if c.Simulated {
		return window / modelSeries
	}
	if window > 0 && window < 10*time.Second {
		return 100 * time.Millisecond
	}
	return max(time.Second, (window / maxSeries).Round(time.Second))
}

// record gives the lane its recorder, with series of such intervals.
func (l *lane) record(interval time.Duration) {
	infos := make([]runners.JobInfo, len(l.jobs))
	for i, j := range l.jobs {
		infos[i] = runners.JobInfo{Name: j.Name, Depth: j.Depth, Rate: j.Rate, Interval: interval}
	}
	l.recorder = runners.NewRecorder(infos)
}

// drive runs all lanes at once. The targets of a simulated trial have a virtual
// clock each, and which lane is ahead of which in real time means nothing: there
// the lanes with an end go first, and the endless ones stop where they did.
func (c *Campaign) drive(ctx context.Context, e runners.Engine, lanes []*lane, limits runners.Limits, edges edgeWatch) error {
	var finite, endless []*lane
	for _, l := range lanes {
		if l.ends() {
			finite = append(finite, l)
		} else {
			endless = append(endless, l)
		}
	}
	if !c.Simulated || len(finite) == 0 || len(endless) == 0 {
		return drive(ctx, e, lanes, limits, edges)
	}
	if err := drive(ctx, e, finite, limits, edges); err != nil {
		return err
	}
	var longest time.Duration
	for _, l := range finite {
		begin, end := l.recorder.Window()
		longest = max(longest, end-begin)
	}
	if longest > 0 { // at most limits.Duration
		limits.Duration = longest
	}
	return drive(ctx, e, endless, limits, edges)
}

// errFinite is why endless lanes are stopped when those with an end have come
// to it: what they go on to see is no longer the workload.
var errFinite = errors.New("the streams that end have ended")

// drive runs all lanes at once and returns when each is done, or when those are
// that stop at the end of their regions. The window's edges of the first lane
// are reported to edges.
func drive(ctx context.Context, e runners.Engine, lanes []*lane, limits runners.Limits, edges edgeWatch) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var ready, done sync.WaitGroup
	ready.Add(len(lanes))
	var finite atomic.Int64
	for _, l := range lanes {
		if l.ends() {
			finite.Add(1)
		}
	}
	for i, l := range lanes {
		o := &edgeObserver{Observer: l.recorder, lane: l}
		if i == 0 {
			o.edges = edges
		}
		done.Go(func() {
			l.err = l.run(ctx, e, limits, o, &ready)
			switch {
			case errors.Is(l.err, context.Canceled) && context.Cause(ctx) == errFinite:
				l.err = nil
			case l.err != nil:
				cancel(l.err)
			case l.ends() && !l.timedOut(limits) && finite.Add(-1) == 0:
				cancel(errFinite)
			}
		})
	}
	done.Wait()
	return firstCause(lanes)
}

// ends says that all the lane's streams stop at the end of their regions.
func (l *lane) ends() bool {
	return !slices.ContainsFunc(l.jobs, func(j profiles.Job) bool { return !j.Access.StopAtEnd })
}

// timedOut says that the lane's window closed because its time was over.
func (l *lane) timedOut(limits runners.Limits) bool {
	begin, end := l.recorder.Window()
	return limits.Duration > 0 && end-begin >= limits.Duration
}

// ErrPanic means that iosweep itself is at fault.
var ErrPanic = errors.New("iosweep failed (please report this)")

// recovered turns a panic of the calling function into its error, so that the
// trial ends as failed and its settings are put back.
func recovered(what string, err *error) {
	if p := recover(); p != nil {
		*err = errors.Join(*err, fmt.Errorf("%s: %w: %v\n%s", what, ErrPanic, p, debug.Stack()))
	}
}

// run opens the lane's queue on a thread of its own, waits for the others and
// drives.
func (l *lane) run(ctx context.Context, e runners.Engine, limits runners.Limits, o runners.Observer, ready *sync.WaitGroup) (err error) {
	t := l.target
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	arrived := sync.OnceFunc(ready.Done)
	defer arrived()
	// A queue that panicked may have operations outstanding: it is not closed.
	defer recovered("measure on "+t.Name+" with "+e.Name(), &err)
	q, err := e.Open(ctx, t, l.options)
	arrived()
	if err != nil {
		return fmt.Errorf("open queue of depth %d on %s with %s: %w", l.options.Depth, t.Name, e.Name(), err)
	}
	ready.Wait()
	if counting, ok := q.(layered); ok {
		o = &layerObserver{Observer: o, queue: counting, into: &l.layer}
	}
	if l.stamps != nil {
		o = &stampObserver{o, l.stamps}
	}
	l.began = q.Elapsed()
	l.deleted.Observer = o
	err = runners.Drive(ctx, q, l.sources, limits, &l.deleted)
	if errors.Is(err, runners.ErrStuck) {
		// To close the queue would be to wait again: it ends with the process.
		return fmt.Errorf("%s does not answer: look at the kernel's log: %w", t.Name, err)
	}
	return errors.Join(err, closeQueue(q, t))
}

func closeQueue(q runners.Queue, t runners.Target) error {
	if err := q.Close(); err != nil {
		return fmt.Errorf("close queue on %s: %w", t.Name, err)
	}
	return nil
}

// firstCause is the error that ended the trial rather than those that followed
// from it.
func firstCause(lanes []*lane) error {
	var cause error
	for _, l := range lanes {
		if l.err == nil {
			continue
		}
		if cause == nil || errors.Is(cause, context.Canceled) && !errors.Is(cause, runners.ErrStuck) {
			cause = l.err
		}
	}
	return cause
}
