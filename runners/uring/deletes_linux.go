package uring

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// maxWorkers bounds the threads that a queue uses for deletes.
const maxWorkers = 64

// prepareDeletes finds out whether the ring can delete on the target, and
// starts workers where it cannot.
func (q *queue) prepareDeletes(commands bool) error {
	if !q.target.Device || !q.target.Writable || q.target.DeleteBytes == 0 {
		return nil
	}
	if commands {
		if able, err := q.probeDiscard(); able || err != nil {
			return err
		}
	}
	w, err := newWorkers(q.target.File, min(q.deleteDepth, len(q.slots), maxWorkers), len(q.slots), &q.clock)
	if err != nil {
		return err
	}
	q.workers = w
	return nil
}

// probeDiscard sends a delete of no bytes. A kernel that knows the command
// finds the length invalid; one that does not, the operation.
func (q *queue) probeDiscard() (bool, error) {
	q.slots[0].op = workloads.Op{Kind: workloads.Delete}
	q.fill(0)
	q.ring.put(0)
	for q.ring.ready() == 0 {
		if err := q.ring.enter(q.ring.pending, 1, enterGetEvents, nil); err != nil {
			return false, err
		}
	}
	res := q.ring.results[q.ring.head&q.ring.cqMask].res
	q.ring.head++
	q.ring.taken()
	return res == -int32(syscall.EINVAL), nil
}

// workers delete by ioctl, each range in a call of its own, and wake the ring's
// thread through an event that the ring reads.
type workers struct {
	file  *os.File
	clock *clock
	jobs  chan deletion
	all   sync.WaitGroup

	event  int
	count  [8]byte // what is read from event
	armed  bool    // a read of event is in the ring
	taking []deletion

	mu   sync.Mutex
	done []deletion
}

// deletion is one delete on its way to a worker and back.
type deletion struct {
	slot uint32
	op   workloads.Op
	at   time.Duration // when it was done
	err  error
}

func newWorkers(f *os.File, n, depth int, c *clock) (*workers, error) {
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make event for deletes: %w", err)
	}
	w := &workers{
		file: f, clock: c, event: event, jobs: make(chan deletion, depth),
		done: make([]deletion, 0, depth), taking: make([]deletion, 0, depth),
	}
	for range n {
		w.all.Go(w.run)
	}
	return w, nil
}

func (w *workers) run() {
	for d := range w.jobs {
		d.err = discard(w.file, d.op.Off, d.op.Len)
		d.at = w.clock.slow()
		w.mu.Lock()
		w.done = append(w.done, d)
		w.mu.Unlock()
		one := [8]byte{1}
		// An eventfd takes this unless 2^64 events are unread.
		_, _ = unix.Write(w.event, one[:])
	}
}

func discard(f *os.File, off, n int64) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	span := [2]uint64{uint64(off), uint64(n)}
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, blkDiscard, uintptr(unsafe.Pointer(&span[0])))
	})
	if err == nil && errno != 0 {
		err = errno
	}
	return err
}

func (w *workers) stop() error {
	close(w.jobs)
	w.all.Wait()
	if err := unix.Close(w.event); err != nil {
		return fmt.Errorf("close event for deletes: %w", err)
	}
	return nil
}

// hand gives the slot's delete to a worker and makes sure that its end is
// noticed by a wait in the ring.
func (q *queue) hand(s uint32) {
	q.workers.jobs <- deletion{slot: s, op: q.slots[s].op}
	q.watch()
}

func (q *queue) watch() {
	w := q.workers
	if w.armed {
		return
	}
	s := uint32(len(q.slots) + 1)
	q.ring.entries[s] = entry{
		opcode: opRead, fd: int32(w.event), userData: tagEvent,
		addr: uint64(uintptr(unsafe.Pointer(&w.count[0]))), len: uint32(len(w.count)),
	}
	q.ring.put(s)
	w.armed = true
}

// fetch takes the deletes that the workers have done.
func (q *queue) fetch(dst []runners.Completion) int {
	w := q.workers
	if len(w.taking) == 0 {
		w.mu.Lock()
		w.done, w.taking = w.taking, w.done
		w.mu.Unlock()
	}
	n := min(len(dst), len(w.taking))
	for i, d := range w.taking[:n] {
		sl := &q.slots[d.slot]
		if d.err == nil {
			sl.moved = sl.op.Len
		}
		q.finish(d.slot, &dst[i], d.err)
		dst[i].Done = d.at
	}
	w.taking = w.taking[:copy(w.taking, w.taking[n:])]
	if q.deletes > 0 {
		q.watch()
	}
	return n
}
