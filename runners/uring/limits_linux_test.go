package uring

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

func TestErrors(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), mib, 0)
	beyond := func(off, length int64, kind workloads.Kind) map[string]int64 {
		s := &fixed{op: workloads.Op{Off: off, Len: length, Kind: kind}}
		k := drive(t, tg, runners.Options{Depth: 1, MaxLen: 65536}, runners.Limits{}, s)[0].Kinds[0]
		return k.ErrorTexts
	}
	if got := beyond(mib-4096, 8192, workloads.Read); got[io.ErrUnexpectedEOF.Error()] != 1 {
		t.Errorf("a read over the end: %v", got)
	}
	if got := beyond(-4096, 4096, workloads.Read); got[syscall.EINVAL.Error()] != 1 {
		t.Errorf("a negative offset: %v", got)
	}
	readOnly, err := os.Open(tg.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	q, err := Engine{}.Open(t.Context(), runners.Target{File: readOnly, Name: tg.Name, SizeBytes: mib}, runners.Options{Depth: 1, MaxLen: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := q.Submit([]workloads.Op{{Len: 8192}}); err == nil || !strings.Contains(err.Error(), "8192") {
		t.Errorf("an operation larger than the buffers: %v", err)
	}
	if _, err := q.Submit([]workloads.Op{{Len: 4096, Kind: workloads.Write}}); err != nil {
		t.Fatal(err)
	}
	var got [1]runners.Completion
	if n, err := q.Reap(got[:], 1, 0); n != 1 || err != nil || got[0].Err != syscall.EBADF || got[0].N != 0 {
		t.Errorf("a write to a file open for reading: %d %v %+v", n, err, got)
	}
}

// fixed is a stream of one operation.
type fixed struct {
	op   workloads.Op
	done bool
}

func (s *fixed) Next(op *workloads.Op) bool {
	*op = s.op
	done := s.done
	s.done = true
	return !done
}

// TestDeviceErrors: a loop device whose backing file was cut short gives EIO,
// which is counted and ends nothing.
func TestDeviceErrors(t *testing.T) {
	dir := shm(t)
	tg := newLoop(t, dir, 4*mib, false)
	if err := os.Truncate(filepath.Join(dir, "target"), 0); err != nil {
		t.Fatal(err)
	}
	s := newRandom(tg, workloads.Read, 4096, 1)
	s.n = 50
	k := drive(t, tg, runners.Options{Depth: 8, MaxLen: 4096}, runners.Limits{}, s)[0].Kinds[0]
	if k.Errors != 50 || k.ErrorTexts[syscall.EIO.Error()] != 50 {
		t.Errorf("%d errors: %v", k.Errors, k.ErrorTexts)
	}
}

// TestManyQueues: 64 queues of depth 256 at once.
func TestManyQueues(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), 16*mib, 0)
	before := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	ops := make([]int64, 64)
	for i := range ops {
		all.Go(func() {
			s := newRandom(tg, workloads.Read, 4096, uint64(i))
			r := drive(t, tg, runners.Options{Depth: 256, MaxLen: 4096}, runners.Limits{Duration: 500 * time.Millisecond}, s)
			ops[i] = r[0].Kinds[0].Ops
		})
	}
	all.Wait()
	if slowest := slices.Min(ops); slowest < 256 {
		t.Errorf("a queue did %d operations", slowest)
	}
	if now := runtime.GOMAXPROCS(0); now != before {
		t.Errorf("GOMAXPROCS was %d and is %d", before, now)
	}
}

// TestNoAllocationPerOperation compares a short and a long drive on a real ring.
func TestNoAllocationPerOperation(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), 16*mib, 0)
	for _, depth := range []int{1, 32} {
		count := func(n int64) float64 {
			return testing.AllocsPerRun(3, func() {
				s := newRandom(tg, workloads.Read, 4096, 1)
				s.n = n
				drive(t, tg, runners.Options{Depth: depth, MaxLen: 4096}, runners.Limits{}, s)
			})
		}
		// A long drive meets more of the histogram's range and of the series, the
		// more so on a busy machine; with its 99,000 more operations nothing grows.
		if short, long := count(1000), count(100_000); long > short+1000 {
			t.Errorf("depth %d: %v allocations for 1000 operations, %v for 100000", depth, short, long)
		}
	}
}

func TestOpenLoopIsPaced(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), 16*mib, 0)
	s := newRandom(tg, workloads.Read, 4096, 1)
	s.rate = 5000
	r := drive(t, tg, runners.Options{Depth: 16, MaxLen: 4096}, runners.Limits{Duration: 400 * time.Millisecond}, s)[0]
	if n := r.Kinds[0].Response.Count(); n < 1000 || n > 2300 {
		t.Errorf("%d operations in 0.4 s at 5000/s", n)
	}
	if r.Lateness.Count() != r.Kinds[0].Ops {
		t.Errorf("lateness of %d operations, %d done", r.Lateness.Count(), r.Kinds[0].Ops)
	}
	if early := r.Kinds[0].Response.Min(); early < r.Kinds[0].Service.Min() {
		t.Errorf("a response of %v, shorter than any service: issued before it was due", early)
	}
}

// TestReapWaits: with nothing outstanding Reap sleeps until the time given,
// near or far, and with min 0 it does not wait.
func TestReapWaits(t *testing.T) {
	needRing(t)
	q, err := Engine{}.Open(t.Context(), newFile(t, t.TempDir(), mib, 0), runners.Options{Depth: 1, MaxLen: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	dst := make([]runners.Completion, 1)
	for _, wait := range []time.Duration{0, 10 * time.Microsecond, 5 * time.Millisecond, 120 * time.Millisecond} {
		until := q.Elapsed() + wait
		if n, err := q.Reap(dst, 1, until); n != 0 || err != nil || q.Elapsed() < until {
			t.Errorf("wait of %v: %d, %v, back %v early", wait, n, err, until-q.Elapsed())
		}
	}
	if n, err := q.Reap(dst, 0, time.Hour); n != 0 || err != nil {
		t.Errorf("min 0: %d, %v", n, err)
	}
	if n, err := q.Reap(dst, 1, 0); n != 0 || err != nil {
		t.Errorf("nothing outstanding and no time: %d, %v", n, err)
	}
}

// TestSubmitTakesAPrefix, bounded by the slots and by the deletes allowed.
func TestSubmitTakesAPrefix(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), mib, 0)
	q, err := Engine{}.Open(t.Context(), tg, runners.Options{Depth: 4, DeleteDepth: 1, MaxLen: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	del := workloads.Op{Len: 4096, Kind: workloads.Delete}
	read := workloads.Op{Len: 4096}
	for _, step := range []struct {
		ops  []workloads.Op
		want int
	}{{[]workloads.Op{del, del, read}, 1}, {[]workloads.Op{read, read, read, read}, 3}, {[]workloads.Op{read}, 0}} {
		if n, err := q.Submit(step.ops); n != step.want || err != nil {
			t.Errorf("%d of %d taken, %v; want %d", n, len(step.ops), err, step.want)
		}
	}
	dst := make([]runners.Completion, 8)
	if n, err := q.Reap(dst, 4, 0); n != 4 || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
}

func TestPlacement(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), mib, 0)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, during, after unix.CPUSet
	get := func(s *unix.CPUSet) {
		if err := unix.SchedGetaffinity(0, s); err != nil {
			t.Fatal(err)
		}
	}
	get(&before)
	q, err := Engine{}.Open(t.Context(), tg, runners.Options{Depth: 1, MaxLen: 4096, CPUs: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	get(&during)
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	get(&after)
	if during.Count() != 1 || !during.IsSet(0) || after != before {
		t.Errorf("processors before %v, during %v, after %v", before, during, after)
	}
	if _, err := (Engine{}).Open(t.Context(), tg, runners.Options{Depth: 1, CPUs: []int{1000}}); err == nil {
		t.Error("a processor that does not exist was accepted")
	}
}

// TestReapInThePast: a Reap whose time has passed still fetches what the kernel
// holds back, as an open loop that is behind needs.
func TestReapInThePast(t *testing.T) {
	needRing(t)
	// tmpfs reads through the kernel's workers.
	q, err := Engine{}.Open(t.Context(), newFile(t, shm(t), mib, 0), runners.Options{Depth: 8, MaxLen: 65536})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for round := range 50 {
		if _, err := q.Submit([]workloads.Op{{Len: 65536}, {Len: 4096, Off: 65536}}); err != nil {
			t.Fatal(err)
		}
		dst, n := make([]runners.Completion, 8), 0
		for end := q.Elapsed() + time.Second; n < 2 && q.Elapsed() < end; {
			got, err := q.Reap(dst, 1, 1) // long past
			if err != nil {
				t.Fatal(err)
			}
			n += got
		}
		if n < 2 {
			t.Fatalf("round %d: %d of 2 came back in a second of asking", round, n)
		}
	}
}

// TestScheduling: the queue's thread steps back behind the device's own, and is
// afterwards what it was.
func TestScheduling(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), mib, 0)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	get := func() unix.SchedAttr {
		a, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return *a
	}
	before := get()
	q, err := Engine{}.Open(t.Context(), tg, runners.Options{Depth: 8, MaxLen: 4096})
	if err != nil {
		t.Fatal(err)
	}
	during := get()
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	if during.Policy != unix.SCHED_BATCH {
		t.Errorf("policy %d while the queue is open", during.Policy)
	}
	if after := get(); after != before {
		t.Errorf("%+v before, %+v after", before, after)
	}
}

func TestOpenRefuses(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), mib, 0)
	for name, o := range map[string]runners.Options{
		"no depth": {}, "too deep": {Depth: 1 << 20}, "too long": {Depth: 1, MaxLen: 2 << 30},
	} {
		if _, err := (Engine{}).Open(t.Context(), tg, o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := (Engine{}).Open(t.Context(), runners.Target{}, runners.Options{Depth: 1}); !errors.Is(err, runners.ErrUnsupported) {
		t.Errorf("no file: %v", err)
	}
}

func TestRefusalSaysWhy(t *testing.T) {
	for e, want := range map[syscall.Errno]string{
		syscall.ENOSYS: "5.11", syscall.EPERM: "seccomp", syscall.ENOMEM: "locked-memory", syscall.EMFILE: "ulimit", syscall.EIO: "portable",
	} {
		if err := refusal(e); !errors.Is(err, runners.ErrUnsupported) || !errors.Is(err, e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", e, err, want)
		}
	}
}

// TestNothingIsLeftOpen: queues give back their descriptors, and the target can
// be opened exclusively at once.
func TestNothingIsLeftOpen(t *testing.T) {
	needRing(t)
	tg := newFile(t, t.TempDir(), mib, 0)
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := count()
	for range 20 {
		s := newRandom(tg, workloads.Read, 4096, 1)
		s.n = 10
		drive(t, tg, runners.Options{Depth: 2, MaxLen: 4096}, runners.Limits{}, s)
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
