package uring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// Probe sets up a ring and closes it. Its error says why io_uring cannot be
// used, and wraps runners.ErrUnsupported.
func (Engine) Probe() error {
	p := params{}
	fd, err := setup(1, &p)
	if err != nil {
		return refusal(err)
	}
	if err := unix.Close(fd); err != nil {
		return fmt.Errorf("close ring: %w", err)
	}
	if p.features&featExtArg == 0 {
		return refusal(syscall.ENOSYS)
	}
	return nil
}

// refusal explains why the kernel gave no ring.
func refusal(err error) error {
	why := "use the portable engine"
	switch {
	case errors.Is(err, syscall.ENOSYS):
		why = "this kernel has no io_uring, or one older than Linux 5.11, or a seccomp filter hides it; use the portable engine"
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		why = "a seccomp filter or security module forbids it (containers often do); use the portable engine"
		if v := disabled(); v != "" && v != "0" {
			why = "the sysctl kernel.io_uring_disabled is " + v + "; set it to 0 or use the portable engine"
		}
	case errors.Is(err, syscall.ENOMEM):
		why = "the locked-memory limit is too low for the ring; raise it (ulimit -l), lower the depth or use the portable engine"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		why = "too many open files; raise the limit (ulimit -n)"
	}
	return fmt.Errorf("set up io_uring: %w: %s: %w", err, why, runners.ErrUnsupported)
}

func disabled() string {
	text, err := os.ReadFile("/proc/sys/kernel/io_uring_disabled")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Open makes a ring for the target on the calling thread, which it locks to the
// goroutine until Close.
func (Engine) Open(_ context.Context, t runners.Target, o runners.Options) (runners.Queue, error) {
	if err := check(t, o); err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	q, err := open(t, o, everything())
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return q, nil
}

func check(t runners.Target, o runners.Options) error {
	switch {
	case t.File == nil:
		return fmt.Errorf("open queue on %s: the target has no file: %w", t.Name, runners.ErrUnsupported)
	case o.Depth < 1 || o.Depth > maxEntries/2:
		return fmt.Errorf("open queue on %s: depth %d is not between 1 and %d", t.Name, o.Depth, maxEntries/2)
	case o.MaxLen < 0 || o.MaxLen > maxBuffer:
		return fmt.Errorf("open queue on %s: transfers of %d bytes; io_uring takes up to %d", t.Name, o.MaxLen, maxBuffer)
	}
	return nil
}

// spare is how many entries a ring has beside the operations': the tick and the
// reading of the workers' event.
const spare = 2

// use says which of the kernel's abilities a queue uses where they exist.
type use struct {
	flags    uint32 // of the ring's set-up
	fixed    bool   // registered buffers
	commands bool   // deletes on devices through the ring
}

// everything is what Open uses; tests do without parts of it, as on an older
// kernel.
func everything() use { return use{flags: allFlags, fixed: true, commands: true} }

// open does the work of Open on the locked thread.
func open(t runners.Target, o runners.Options, u use) (*queue, error) {
	r, err := newRing(o.Depth+spare, u.flags)
	if err != nil {
		return nil, refusal(err)
	}
	q := &queue{ring: r, target: t, data: o.Data, maxLen: o.MaxLen, margin: firstMargin}
	q.clock.start()
	q.size(o)
	err = errors.Join(q.thread.place(o.CPUs), q.registerFile(), q.allocate(u.fixed))
	if err == nil {
		err = q.prepareDeletes(u.commands)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open queue on %s: %w", t.Name, err), q.free())
	}
	addProcs(1)
	q.counted = true
	q.clock.calibrate()
	return q, nil
}

// size applies the depth and the batch sizes. Up to depth 4 submitting at once
// and waiting in a call of its own overlaps the target with our own work; above,
// one call that does both is cheaper.
func (q *queue) size(o runners.Options) {
	q.slots = make([]slot, o.Depth)
	q.idle = make([]uint32, o.Depth)
	for i := range q.idle {
		q.idle[i] = uint32(o.Depth - 1 - i)
		q.slots[i].shape = workloads.Kinds // of none
	}
	q.eager = o.Depth <= 4
	q.submitBatch, q.waitBatch = uint32(8), 1
	if o.SubmitBatch > 0 {
		q.submitBatch = uint32(o.SubmitBatch)
	}
	if o.WaitBatch > 0 {
		q.waitBatch = min(o.WaitBatch, o.Depth)
	}
	q.deleteDepth = o.Depth
	if o.DeleteDepth > 0 {
		q.deleteDepth = o.DeleteDepth
	}
}

// registerFile gives the ring its own reference to the file.
func (q *queue) registerFile() error {
	raw, err := q.target.File.SyscallConn()
	if err != nil {
		return fmt.Errorf("reach file: %w", err)
	}
	e := raw.Control(func(fd uintptr) {
		fds := [1]int32{int32(fd)}
		_, err = q.ring.register(registerFiles, unsafe.Pointer(&fds[0]), 1)
	})
	if err = errors.Join(e, err); err != nil {
		return fmt.Errorf("register file: %w", err)
	}
	q.registered = true
	return nil
}

// allocate maps the buffers, and registers them if fixed.
func (q *queue) allocate(fixed bool) error {
	b, err := newBuffers(len(q.slots), q.maxLen)
	if err != nil {
		return err
	}
	q.buffers = b
	if q.target.Writable && q.data == nil {
		b.scramble(uint64(q.clock.now()))
	}
	if fixed {
		b.register(q.ring)
	}
	return nil
}
