// Package portable is the engine that works on every system Go builds for: a
// pool of workers, each of which does one read, write, delete or flush at a
// time by the platform's plain blocking call.
//
// Whether the I/O is direct is a property of the file that the target's owner
// opened; the buffers are aligned for it.
package portable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/runners"
)

// MaxDepth is the largest queue depth: each operation outstanding holds an
// operating system thread, and the Go runtime ends a program that has 10000.
const MaxDepth = 4096

// Engine is the portable engine. The zero value is ready for use.
type Engine struct{}

// Name returns "portable".
func (Engine) Name() string { return "portable" }

// Probe returns nil: the engine works everywhere.
func (Engine) Probe() error { return nil }

// Open starts the queue's workers, as many as the depth. It refuses options
// that it cannot honour, wrapping runners.ErrUnsupported where that is the
// platform's doing.
func (Engine) Open(ctx context.Context, t runners.Target, o runners.Options) (runners.Queue, error) {
	err := check(ctx, t, o)
	if err == nil {
		err = checkThreads(o.Depth)
	}
	if err != nil {
		return nil, fmt.Errorf("open portable queue on %s: %w", t.Name, err)
	}
	if o.DeleteDepth == 0 {
		o.DeleteDepth = o.Depth
	}
	q := &queue{
		target:   t,
		options:  o,
		deleter:  newDeleter(t),
		slots:    make([]slot, o.Depth),
		free:     make([]*slot, 0, o.Depth),
		work:     make(chan *slot, o.Depth),
		done:     make(chan *slot, o.Depth),
		timer:    time.NewTimer(time.Hour),
		patience: closePatience,
	}
	q.timer.Stop()
	if err := q.layOutBuffers(); err != nil {
		return nil, fmt.Errorf("open portable queue on %s: %w", t.Name, err)
	}
	if err := q.startWorkers(); err != nil {
		q.stopWorkers()
		return nil, fmt.Errorf("open portable queue on %s: %w", t.Name, errors.Join(err, q.freeBuffers()))
	}
	q.opened = time.Now()
	return q, nil
}

func check(ctx context.Context, t runners.Target, o runners.Options) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case t.File == nil:
		return errors.New("the target has no open file; a simulated target needs its own engine")
	case o.Depth < 1 || o.Depth > MaxDepth:
		return fmt.Errorf("depth %d is not in 1 to %d, the most threads this engine uses; lower the depth", o.Depth, MaxDepth)
	case o.MaxLen < 0:
		return fmt.Errorf("the largest transfer is %d bytes; it cannot be negative", o.MaxLen)
	case o.DeleteDepth < 0:
		return fmt.Errorf("delete depth %d is negative; use 0 for the queue's depth", o.DeleteDepth)
	}
	return nil
}
