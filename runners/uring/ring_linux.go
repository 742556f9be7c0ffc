package uring

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is the pair of queues shared with the kernel. It is used by one thread.
type ring struct {
	fd       int
	enterFD  uintptr // fd, or its place among the thread's registered rings
	waitFlag uintptr // flags of each enter
	setup    uint32  // the flags that the kernel took

	queues, entriesMap []byte // mappings

	entries  []entry
	array    []uint32 // which entry is the next one
	sqTail   *uint32
	sqFlags  *uint32
	sqMask   uint32
	tail     uint32 // our copy of sqTail
	pending  uint32 // put, not yet taken by the kernel
	results  []result
	cqHead   *uint32
	cqTail   *uint32
	cqMask   uint32
	head     uint32 // our copy of cqHead
	features uint32
}

// allFlags are the set-up flags that serve a ring used by one thread.
const allFlags = setupSingleIssuer | setupDeferTaskrun | setupCoopTaskrun | setupTaskrunFlag | setupSubmitAll | setupCQSize

// optional lists the set-up flags to do without, in this order, on kernels that
// do not know them.
func optional() []uint32 {
	return []uint32{setupDeferTaskrun, setupSingleIssuer, setupTaskrunFlag | setupCoopTaskrun, setupSubmitAll, setupCQSize}
}

// newRing sets up a ring for n operations, with the flags or as many of them as
// the kernel knows, and registers it with this thread.
func newRing(n int, flags uint32) (*ring, error) {
	p := params{flags: flags, cqEntries: uint32(n)}
	fd, err := setup(n, &p)
	for _, f := range optional() {
		if err != syscall.EINVAL {
			break
		}
		p = params{flags: p.flags &^ f, cqEntries: uint32(n)}
		fd, err = setup(n, &p)
	}
	if err != nil {
		return nil, err
	}
	r := &ring{fd: fd, enterFD: uintptr(fd), setup: p.flags, features: p.features}
	if err := r.mapQueues(&p); err != nil {
		return nil, fmt.Errorf("map ring: %w", joinClose(err, r))
	}
	if p.features&featNoIowait != 0 {
		r.waitFlag |= enterNoIowait
	}
	r.registerSelf()
	return r, nil
}

func joinClose(err error, r *ring) error {
	if e := r.close(); e != nil {
		return fmt.Errorf("%w (and %w)", err, e)
	}
	return err
}

func setup(n int, p *params) (int, error) {
	fd, _, e := syscall.Syscall(sysSetup, uintptr(n), uintptr(unsafe.Pointer(p)), 0)
	if e != 0 {
		return -1, e
	}
	return int(fd), nil
}

// mapQueues maps what the kernel shares.
func (r *ring) mapQueues(p *params) error {
	if p.features&featSingleMmap == 0 || p.features&featExtArg == 0 {
		return fmt.Errorf("features %#x, need Linux 5.11: %w", p.features, syscall.ENOSYS)
	}
	size := max(int(p.sq.array+p.sqEntries*4), int(p.cq.cqes)+int(p.cqEntries)*int(unsafe.Sizeof(result{})))
	var err error
	if r.queues, err = mapShared(r.fd, offRing, size); err != nil {
		return err
	}
	if r.entriesMap, err = mapShared(r.fd, offSQEs, int(p.sqEntries)*int(unsafe.Sizeof(entry{}))); err != nil {
		return err
	}
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.queues[off])) }
	r.sqTail, r.sqFlags, r.sqMask = word(p.sq.tail), word(p.sq.flags), *word(p.sq.mask)
	r.cqHead, r.cqTail, r.cqMask = word(p.cq.head), word(p.cq.tail), *word(p.cq.mask)
	r.array = unsafe.Slice(word(p.sq.array), p.sqEntries)
	r.entries = unsafe.Slice((*entry)(unsafe.Pointer(&r.entriesMap[0])), p.sqEntries)
	r.results = unsafe.Slice((*result)(unsafe.Pointer(&r.queues[p.cq.cqes])), p.cqEntries)
	return nil
}

func mapShared(fd int, off int64, size int) ([]byte, error) {
	return unix.Mmap(fd, off, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
}

// registerSelf saves the look-up of the ring's descriptor in each enter. Older
// kernels do without.
func (r *ring) registerSelf() {
	u := fdUpdate{offset: ^uint32(0), data: uint64(r.fd)}
	if n, err := r.register(registerRingFDs, unsafe.Pointer(&u), 1); err == nil && n == 1 {
		r.enterFD = uintptr(u.offset)
		r.waitFlag |= enterRegisteredRing
	}
}

// register hands something to the ring or takes it back, which a signal (such as
// the runtime's own) may interrupt.
func (r *ring) register(op uintptr, arg unsafe.Pointer, n int) (int, error) {
	for {
		got, _, e := syscall.Syscall6(sysRegister, uintptr(r.fd), op, uintptr(arg), uintptr(n), 0, 0)
		if e == syscall.EINTR {
			continue
		}
		if e != 0 {
			return 0, e
		}
		return int(got), nil
	}
}

// put hands an entry to the kernel with the next enter.
func (r *ring) put(entry uint32) {
	r.array[r.tail&r.sqMask] = entry
	r.tail++
	r.pending++
}

// enter submits up to n of the pending entries and, when least is above 0,
// waits for that many completions, until the timeout where one is given. The
// kernel's refusals that only mean "later" are nil: the caller looks at the
// completions and comes again.
func (r *ring) enter(n, least uint32, flags uintptr, arg *waitArg) error {
	if n > 0 {
		atomic.StoreUint32(r.sqTail, r.tail)
	}
	size := uintptr(0)
	if arg != nil {
		flags |= enterExtArg
		size = unsafe.Sizeof(*arg)
	}
	done, e := enterKernel(r.enterFD, uintptr(n), uintptr(least), flags|r.waitFlag, unsafe.Pointer(arg), size)
	if e == 0 {
		r.pending -= uint32(done)
		return nil
	}
	switch e {
	case syscall.EINTR, syscall.ETIME, syscall.EAGAIN, syscall.EBUSY:
		return nil
	}
	return fmt.Errorf("enter io_uring: %w", e)
}

// enterKernel is the system call without the scheduler's bookkeeping. It must
// not be inlined and must check its stack: that check is where this thread
// notices that the collector wants it to stop, after the collector's signal has
// ended the wait. Without it one collection stops all other goroutines for as
// long as this thread finds work.
//
//go:noinline
func enterKernel(fd, n, least, flags uintptr, arg unsafe.Pointer, size uintptr) (int, syscall.Errno) {
	done, _, e := syscall.RawSyscall6(sysEnter, fd, n, least, flags, uintptr(arg), size)
	return int(done), e
}

// ready is how many completions wait to be taken.
func (r *ring) ready() uint32 { return atomic.LoadUint32(r.cqTail) - r.head }

// deferred says that completions wait in the kernel until it is entered.
func (r *ring) deferred() bool { return atomic.LoadUint32(r.sqFlags)&sqTaskrun != 0 }

// taken tells the kernel that results up to our head may be reused.
func (r *ring) taken() { atomic.StoreUint32(r.cqHead, r.head) }

func (r *ring) close() error {
	if r.waitFlag&enterRegisteredRing != 0 {
		u := fdUpdate{offset: uint32(r.enterFD)}
		// The thread's table is freed with the thread in any case.
		_, _ = r.register(unregisterRingFDs, unsafe.Pointer(&u), 1)
	}
	var first error
	for _, m := range [][]byte{r.queues, r.entriesMap} {
		if m == nil {
			continue
		}
		if err := unix.Munmap(m); err != nil && first == nil {
			first = fmt.Errorf("unmap ring: %w", err)
		}
	}
	if err := unix.Close(r.fd); err != nil && first == nil {
		first = fmt.Errorf("close ring: %w", err)
	}
	return first
}
