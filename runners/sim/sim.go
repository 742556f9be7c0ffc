// Package sim is a disk that does not exist: a discrete-event model behind the
// same Engine as a real one, on a virtual clock.
//
// A machine is a driver layer (runners/stack, the same code that stands in
// front of real devices), a device queue and a device model whose parameters
// are YAML with their origin stated. The same operations give the same
// completions on every machine; a simulated hour takes as long as its
// operations take to compute.
package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// Engine simulates one model.
type Engine struct{ Model *Model }

// Name is sim: and the model's name.
func (e Engine) Name() string { return "sim:" + e.Model.Name }

// Probe always succeeds: a model works everywhere.
func (Engine) Probe() error { return nil }

// OneQueue says that all jobs of a trial must share a queue: they compete for
// one disk on one clock.
func (Engine) OneQueue() bool { return true }

// QueueDepth is how many operations the disk itself takes at once: 1 without
// command queuing.
func (e Engine) QueueDepth() int { return e.Model.queueDepth() }

// Target is the simulated disk as a target.
func (e Engine) Target() runners.Target {
	m := e.Model
	return runners.Target{
		Name: m.Name, SizeBytes: m.CapacityBytes, BlockBytes: m.BlockBytes,
		DeleteBytes: m.BlockBytes, Device: true, Writable: true,
	}
}

// Open returns a queue on a fresh disk whose clock stands at 0. Data is not
// simulated: asking for it is an error.
func (e Engine) Open(_ context.Context, t runners.Target, o runners.Options) (runners.Queue, error) {
	if o.Data != nil {
		return nil, fmt.Errorf("open %s: content of blocks on a model is %w", e.Name(), runners.ErrUnsupported)
	}
	if o.Depth < 1 {
		return nil, fmt.Errorf("open %s: depth %d, need at least 1", e.Name(), o.Depth)
	}
	return &queue{disk: newDisk(e.Model), depth: o.Depth, size: t.SizeBytes}, nil
}

// queue is a disk and the operations that were handed to it.
type queue struct {
	disk  disk
	depth int
	size  int64
	now   time.Duration
}

// Submit hands operations to the disk at the present time.
func (q *queue) Submit(ops []workloads.Op) (int, error) {
	for i := range ops {
		if q.disk.outstanding() >= q.depth {
			return i, nil
		}
		op := &ops[i]
		if op.Off < 0 || op.Len < 0 || op.Off > q.size-op.Len {
			return i, fmt.Errorf("submit %v of %d bytes at %d: beyond the disk's %d bytes", op.Kind, op.Len, op.Off, q.size)
		}
		q.disk.arrive(op, q.now)
	}
	return len(ops), nil
}

// Reap moves the clock on, from completion to completion, as far as it must.
func (q *queue) Reap(dst []runners.Completion, least int, until time.Duration) (int, error) {
	n := 0
	for n < len(dst) {
		at, ok := q.disk.next()
		switch {
		case ok && at <= q.now:
		case n >= least:
			return n, nil
		case !ok:
			q.now = max(q.now, until)
			return n, nil
		case until > 0 && at > until:
			q.now = max(q.now, until)
			return n, nil
		default:
			q.now = at
		}
		q.disk.finish(&dst[n])
		n++
	}
	return n, nil
}

// Elapsed is the virtual time.
func (q *queue) Elapsed() time.Duration { return q.now }

// Close forgets the disk.
func (q *queue) Close() error { return nil }
