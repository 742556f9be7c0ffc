// Package stack is the software block layer: the three things that the
// tunables set, done by iosweep in front of any device on any system.
//
// Each layer is a Queue over a Queue. From the top:
//
//  1. delete chunking cuts a delete into chunks that run one after another, as
//     FreeBSD's g_dev does under kern.geom.dev.delete_max_sectors;
//  2. splitting cuts reads and writes at the largest transfer that a driver's
//     segment count allows, as NumberOfPhysicalBreaks does on Windows;
//  3. the bioq sorts what the device has no room for, under the batch limit
//     of FreeBSD's debug.bioq_batchsize.
//
// The layers run on the queue's goroutine and clock, are deterministic for a
// deterministic device, and allocate nothing per operation.
package stack

import (
	"context"
	"errors"
	"fmt"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// pageBytes is the page that transfers are counted in.
const pageBytes = 4096

// Bounds on what the layers keep below them: an engine holds a buffer and
// perhaps a thread for each operation, a bioq only a few words.
const (
	maxDeviceDepth = 1024
	maxSortedDepth = 1 << 16
)

// Config says which layers there are. The zero value has none.
type Config struct {
	// Delete turns delete chunking on. DeleteChunkBytes is the largest chunk;
	// 0 sends each delete down as one request over its whole range.
	Delete           bool
	DeleteChunkBytes int64
	// Split turns splitting on. MaxTransferBytes is the largest read or write,
	// (breaks - 1) * 4096; less than a page counts as a page.
	Split            bool
	MaxTransferBytes int64
	// Bioq turns sorting on. BioqBatch is debug.bioq_batchsize: after more than
	// this many were sorted in, the next request is a barrier; 0 and below set
	// no limit. LowerDepth is how many requests the device is given at once; 0
	// means 1.
	Bioq       bool
	BioqBatch  int
	LowerDepth int
}

// Wrap puts the layers in front of an engine's queues. Without any layer it
// returns the engine itself. The queues of the wrapped engine also have a
// method Layer() results.Layer, which returns what the layers did since Open
// and must be called from the queue's goroutine.
func Wrap(inner runners.Engine, c Config) runners.Engine {
	if !c.Delete && !c.Split && !c.Bioq {
		return inner
	}
	return engine{inner, c}
}

type engine struct {
	inner  runners.Engine
	config Config
}

// Name is the inner engine's name and "+stack".
func (e engine) Name() string { return e.inner.Name() + "+stack" }

// Probe is the inner engine's.
func (e engine) Probe() error { return e.inner.Probe() }

// Open builds the layers from the top, each with the options that the one
// above needs, and links them from the device up.
func (e engine) Open(ctx context.Context, t runners.Target, o runners.Options) (runners.Queue, error) {
	if err := e.config.check(t, o); err != nil {
		return nil, fmt.Errorf("open stack on %s: %w", t.Name, err)
	}
	if o.DeleteDepth == 0 {
		o.DeleteDepth = o.Depth
	}
	s, o := e.config.build(t, o)
	inner, err := e.inner.Open(ctx, t, o)
	if err != nil {
		return nil, err
	}
	s.tally = newTally()
	s.layers[len(s.layers)-1].tally = s.tally
	for i := len(s.layers) - 1; i >= 0; i-- {
		s.layers[i].inner = inner
		inner = s.layers[i]
	}
	s.Queue = inner
	return s, nil
}

func (c Config) check(t runners.Target, o runners.Options) error {
	block := max(1, t.BlockBytes)
	switch {
	case o.Depth < 1:
		return fmt.Errorf("depth %d is below 1", o.Depth)
	case o.MaxLen < 0 || o.DeleteDepth < 0:
		return errors.New("the largest transfer and the delete depth cannot be negative")
	case c.Delete && (c.DeleteChunkBytes < 0 || c.DeleteChunkBytes%block != 0):
		return fmt.Errorf("delete chunk of %d bytes is not a multiple of the target's %d B blocks; use one that is, or 0 for no chunks",
			c.DeleteChunkBytes, block)
	case c.Split && c.transfer()%block != 0:
		return fmt.Errorf("largest transfer of %d bytes is not a multiple of the target's %d B blocks; use more segments",
			c.transfer(), block)
	case c.Bioq && c.LowerDepth < 0:
		return fmt.Errorf("lower depth %d is negative; 1 leaves the most to sort", c.LowerDepth)
	}
	return nil
}

// transfer is the largest read or write that goes down whole.
func (c Config) transfer() int64 { return max(pageBytes, c.MaxTransferBytes) }

// build returns the layers and what the device must be prepared for.
func (c Config) build(t runners.Target, o runners.Options) (*queue, runners.Options) {
	s := &queue{}
	if c.Delete {
		l := s.add("delete chunk", &o, o)
		l.policy = newDeleteCutter(l, c.DeleteChunkBytes, t.DeleteBytes)
	}
	if c.Split {
		l := s.add("split", &o, c.below(o))
		l.policy = newTransferCutter(l, c.transfer())
	}
	if c.Bioq {
		lower := o
		lower.Depth = min(max(1, c.LowerDepth), o.Depth)
		lower.DeleteDepth = min(o.DeleteDepth, lower.Depth)
		l := s.add("bioq", &o, lower)
		s.sorter = newSorter(l, c.BioqBatch, t.SizeBytes)
		l.policy = s.sorter
	}
	return s, o
}

// below is what splitting asks of the queue below it: room for all parts of
// all parents, within bounds.
func (c Config) below(o runners.Options) runners.Options {
	parts := int(max(1, (o.MaxLen+c.transfer()-1)/c.transfer()))
	bound := maxDeviceDepth
	if c.Bioq {
		bound = maxSortedDepth
	}
	o.MaxLen = min(o.MaxLen, c.transfer())
	o.SubmitBatch = runners.UnmergedBatch
	o.Depth = max(o.Depth, min(o.Depth*parts, bound))
	return o
}

// queue is the layers as one queue.
type queue struct {
	runners.Queue // the top layer
	layers        []*layer
	tally         *tally
	sorter        *sorter // nil without a bioq
}

// add puts a layer under those there are and moves o to what it needs below.
func (s *queue) add(name string, o *runners.Options, below runners.Options) *layer {
	l := newLayer(name, *o, below.Depth)
	if o.Data != nil {
		below.Data = restored{l, o.Data}
	}
	s.layers = append(s.layers, l)
	*o = below
	return l
}

// Layer returns what the layers did since the queue was opened, but the service
// times of deletes since it was last called.
func (s *queue) Layer() results.Layer {
	r := results.Layer{
		Read:   s.tally.snapshot(workloads.Read),
		Write:  s.tally.snapshot(workloads.Write),
		Delete: s.tally.snapshot(workloads.Delete),

		DeleteService: s.tally.takeDeletes(),
	}
	if s.sorter != nil {
		r.Barriers = s.sorter.queue.limited
		r.Sorted = s.sorter.queue.sorted
		r.MaxQueued = s.sorter.queue.longest
	}
	return r
}
