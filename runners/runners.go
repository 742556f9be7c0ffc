// Package runners says how I/O is issued and timed.
//
// An Engine opens a Queue on a Target; Drive pumps the operations of one or
// more Sources through the Queue and tells an Observer what came of each. The
// clock belongs to the Queue, so the same loop serves a kernel ring, a pool of
// workers, a software layer in front of another Queue, and a simulated disk on
// a virtual clock.
package runners

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// ErrUnsupported means that the engine, the target or the platform cannot do
// what was asked; the wrapping error says what and why.
var ErrUnsupported = errors.New("unsupported")

// Target is what an engine does I/O on. It is opened, checked and, for
// writing, claimed by its owner; engines never open a path themselves, so a
// name that changes its meaning cannot redirect a write.
type Target struct {
	// File is open for what the trial needs; nil for a simulated target.
	File *os.File
	// Name is shown to people.
	Name string
	// SizeBytes is its size, BlockBytes its logical block (the unit of direct
	// I/O), DeleteBytes the granularity of deletes (0: none).
	SizeBytes, BlockBytes, DeleteBytes int64
	// Device says that File is a block device rather than a regular file.
	Device bool
	// Writable says that File may be written and deleted.
	Writable bool
}

// Engine issues I/O in one particular way.
type Engine interface {
	// Name is the engine's name in profiles and results.
	Name() string
	// Probe returns nil where the engine works here, and otherwise an error
	// that says why it does not.
	Probe() error
	// Open prepares a queue on the target. Everything that is slow is done
	// here, not in the queue's operation.
	Open(ctx context.Context, t Target, o Options) (Queue, error)
}

// Options are what a queue must be prepared for. The zero value of each field
// is usable but Depth and MaxLen.
type Options struct {
	// Depth is the most operations outstanding at once.
	Depth int
	// MaxLen is the largest read or write in bytes; deletes have no limit.
	MaxLen int64
	// DeleteDepth is the most deletes outstanding at once; 0 means Depth.
	DeleteDepth int
	// SubmitBatch and WaitBatch bound how many operations are submitted and
	// waited for in one system call; 0 lets the engine choose.
	SubmitBatch, WaitBatch int
	// CPUs restricts the queue's thread to these processors; empty: no
	// restriction.
	CPUs []int
	// Data fills and checks buffers; nil leaves a constant incompressible
	// pattern in each and checks nothing.
	Data Data
}

// UnmergedBatch is the largest Options.SubmitBatch with which a kernel passes
// neighbouring operations on one by one. Linux plugs the queue for a larger
// batch and merges what is contiguous in it, so that the device sees fewer and
// larger requests than were issued (io_uring's IO_PLUG_THRESHOLD).
const UnmergedBatch = 2

// Data supplies the content of writes and looks at the content of reads. It is
// called by the thread that runs the queue; the buffer is valid for the call.
type Data interface {
	Fill(op workloads.Op, buf []byte)
	Check(op workloads.Op, buf []byte) error
}

// Queue is one thread's way to a target. Its methods are not safe for
// concurrent use, and all must be called from the goroutine that made it.
type Queue interface {
	// Submit hands over a prefix of ops and returns its length; 0 with a nil
	// error means that all slots are taken. An error concerns the queue itself,
	// never one operation.
	Submit(ops []workloads.Op) (int, error)
	// Reap collects completions into dst. It returns when min are there, when
	// dst is full, or at the time until (on the queue's clock; 0: no limit),
	// whichever is first. min 0 never waits. With nothing outstanding and
	// until above 0 it waits until then: this is how Drive sleeps.
	Reap(dst []Completion, min int, until time.Duration) (int, error)
	// Elapsed is the time since the queue was opened, monotonic or virtual.
	Elapsed() time.Duration
	// Close waits for what is outstanding and frees what Open took. What
	// cannot be waited for is said in the error.
	Close() error
}

// Oldest is implemented by queues that can name what they wait for: the
// operation that has been outstanding longest, and when it was issued on the
// queue's clock. ok is false when none is outstanding. It is for messages, and
// may be slow.
type Oldest interface {
	Oldest() (op workloads.Op, issued time.Duration, ok bool)
}

// Completion is what came of one operation. Times are on the queue's clock.
type Completion struct {
	Op workloads.Op
	// Issued is when the operation was handed to the target (for a software
	// layer: to the layer), Done when it was seen to be complete.
	Issued, Done time.Duration
	// N is how many bytes were moved.
	N int64
	// Err is nil, or why the operation failed (a syscall.Errno where the
	// platform gave one).
	Err error
}
