package portable

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"syscall"

	"github.com/iosweep/iosweep/workloads"
)

// startWorkers starts one worker for each slot and waits until all of them
// have set up their threads.
func (q *queue) startWorkers() error {
	ready := make(chan error, len(q.slots))
	for range q.slots {
		q.workers.Add(1)
		go q.worker(q.work, ready)
	}
	var err error
	for range q.slots {
		err = errors.Join(err, <-ready)
	}
	return err
}

func (q *queue) stopWorkers() {
	close(q.work)
	q.workers.Wait()
}

// worker performs slots in the order in which they were submitted. A thread
// that could not be given back as it was is not unlocked, so that it ends with
// the worker.
func (q *queue) worker(work <-chan *slot, ready chan<- error) {
	defer q.workers.Done()
	if ownThread || len(q.options.CPUs) > 0 {
		runtime.LockOSThread()
	}
	restore, err := setUpThread(q.options.CPUs)
	ready <- err
	for s := range work {
		s.c.Issued = q.Elapsed()
		n, err := q.perform(s)
		s.c.Done = q.Elapsed()
		s.c.N, s.c.Err = n, errno(err)
		q.done <- s
	}
	if restore() == nil {
		runtime.UnlockOSThread()
	}
}

// perform does one operation. Short reads and writes are continued by os.File.
func (q *queue) perform(s *slot) (int64, error) {
	op := s.c.Op
	switch op.Kind {
	case workloads.Read:
		n, err := q.target.File.ReadAt(s.buf[:op.Len], op.Off)
		return int64(n), err
	case workloads.Write:
		buf := q.pattern
		if q.options.Data != nil {
			buf = s.buf
		}
		n, err := q.target.File.WriteAt(buf[:op.Len], op.Off)
		return int64(n), err
	case workloads.Delete:
		if err := q.deleter.delete(op.Off, op.Len); err != nil {
			return 0, err
		}
		return op.Len, nil
	}
	return 0, flush(q.target)
}

// Refusals of operations that must not reach the platform.
var (
	errKind    = fmt.Errorf("operation of unknown kind: %w", syscall.EINVAL)
	errEmpty   = fmt.Errorf("operation of no bytes, or at a negative offset: %w", syscall.EINVAL)
	errPastEnd = fmt.Errorf("operation past the end of the target: %w", syscall.EINVAL)
	errNotOurs = fmt.Errorf("delete of a target that is not open for writing: %w", syscall.EBADF)
	errTooLong = fmt.Errorf("transfer longer than the queue was opened for: %w", syscall.EINVAL)
)

// refuse says what is wrong with an operation. A length of 0 must never be
// taken for the whole device, and a write past the end of a file would make it
// longer. FreeBSD deletes through a read-only descriptor while any other has the
// device open for writing.
func (q *queue) refuse(op workloads.Op) error {
	switch {
	case op.Kind >= workloads.Kinds:
		return errKind
	case op.Kind == workloads.Flush:
		return nil
	case op.Len <= 0 || op.Off < 0:
		return errEmpty
	case q.target.SizeBytes > 0 && op.Len > q.target.SizeBytes-op.Off:
		return errPastEnd
	case op.Kind == workloads.Delete && !q.target.Writable:
		return errNotOurs
	case op.Kind != workloads.Delete && op.Len > q.options.MaxLen:
		return errTooLong
	}
	return nil
}

// errno reduces an error to the platform's number where it has one, so that
// failures compare and count alike on every path.
func errno(err error) error {
	if err == nil {
		return nil
	}
	if e := syscall.Errno(0); errors.As(err, &e) {
		return e
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
