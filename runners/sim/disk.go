package sim

import (
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// request is an operation inside the disk.
type request struct {
	op     workloads.Op
	issued time.Duration
	done   time.Duration
}

// timing is the part of a model that says how long things take.
type timing interface {
	// pick returns which of the waiting requests is served next.
	pick(waiting []request, now time.Duration) int
	// serve returns how long the request takes from now, and how many channels
	// it holds meanwhile.
	serve(op *workloads.Op, now time.Duration) (time.Duration, int)
}

// disk is a set of channels, the requests they serve and those that wait.
type disk struct {
	timing  timing
	free    int
	waiting []request
	busy    []request // a binary heap by done, then by order of service
	held    []int     // channels that each of busy holds, same order
}

func newDisk(m *Model) disk {
	return disk{timing: m.timing(), free: m.channels()}
}

func (d *disk) outstanding() int { return len(d.waiting) + len(d.busy) }

// arrive takes a request and serves it at once if it can.
func (d *disk) arrive(op *workloads.Op, now time.Duration) {
	d.waiting = append(d.waiting, request{op: *op, issued: now})
	d.dispatch(now)
}

// dispatch serves waiting requests while channels are free. A request that
// needs more channels than are free waits for them, and those behind it wait
// too: nothing overtakes it for ever.
func (d *disk) dispatch(now time.Duration) {
	for d.free > 0 && len(d.waiting) > 0 {
		i := d.timing.pick(d.waiting, now)
		took, channels := d.timing.serve(&d.waiting[i].op, now)
		if channels > d.free {
			return
		}
		r := d.waiting[i]
		d.waiting = append(d.waiting[:i], d.waiting[i+1:]...)
		r.done = now + took
		d.free -= channels
		d.push(r, channels)
	}
}

// next is when the next completion is.
func (d *disk) next() (time.Duration, bool) {
	if len(d.busy) == 0 {
		return 0, false
	}
	return d.busy[0].done, true
}

// finish completes the request that next announced and serves those behind it.
func (d *disk) finish(c *runners.Completion) {
	r, channels := d.pop()
	d.free += channels
	*c = runners.Completion{Op: r.op, Issued: r.issued, Done: r.done, N: r.op.Len}
	d.dispatch(r.done)
}

func (d *disk) push(r request, channels int) {
	d.busy = append(d.busy, r)
	d.held = append(d.held, channels)
	for i := len(d.busy) - 1; i > 0; {
		parent := (i - 1) / 2
		if d.busy[parent].done <= d.busy[i].done {
			return
		}
		d.swap(i, parent)
		i = parent
	}
}

func (d *disk) pop() (request, int) {
	r, channels := d.busy[0], d.held[0]
	last := len(d.busy) - 1
	d.swap(0, last)
	d.busy, d.held = d.busy[:last], d.held[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return r, channels
		}
		if child+1 < last && d.busy[child+1].done < d.busy[child].done {
			child++
		}
		if d.busy[i].done <= d.busy[child].done {
			return r, channels
		}
		d.swap(i, child)
		i = child
	}
}

func (d *disk) swap(i, j int) {
	d.busy[i], d.busy[j] = d.busy[j], d.busy[i]
	d.held[i], d.held[j] = d.held[j], d.held[i]
}
