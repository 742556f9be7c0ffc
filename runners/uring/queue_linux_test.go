package uring

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// random is an endless or bounded stream of operations of one size.
type random struct {
	r      *rand.Rand
	n      int64 // 0: endless
	blocks int64
	length int64
	kind   workloads.Kind
	rate   float64
	at     time.Duration
	serial bool
	next   int64
}

func newRandom(t runners.Target, kind workloads.Kind, length int64, seed uint64) *random {
	return &random{r: rand.New(rand.NewPCG(seed, 1)), blocks: t.SizeBytes / length, length: length, kind: kind}
}

func (s *random) Next(op *workloads.Op) bool {
	if s.n > 0 && s.next == s.n {
		return false
	}
	block := s.next % s.blocks
	if !s.serial {
		block = s.r.Int64N(s.blocks)
	}
	s.next++
	op.Off, op.Len, op.Kind = block*s.length, s.length, s.kind
	if s.rate > 0 {
		s.at += time.Duration(s.r.ExpFloat64() / s.rate * 1e9)
		op.At = max(1, s.at)
	}
	return true
}

// drive opens a queue, drives the streams through it and closes it.
func drive(t testing.TB, tg runners.Target, o runners.Options, l runners.Limits, streams ...workloads.Stream) []results.JobResult {
	t.Helper()
	q, err := Engine{}.Open(context.Background(), tg, o)
	if err != nil {
		t.Fatal(err)
	}
	return driveOn(t, q, o.Depth, l, streams...)
}

func driveOn(t testing.TB, q runners.Queue, depth int, l runners.Limits, streams ...workloads.Stream) []results.JobResult {
	t.Helper()
	var infos []runners.JobInfo
	var sources []runners.Source
	for _, s := range streams {
		info := runners.JobInfo{Depth: depth / len(streams), Interval: 100 * time.Millisecond}
		if r, ok := s.(*random); ok {
			info.Rate = r.rate
		}
		infos = append(infos, info)
		sources = append(sources, runners.Source{Stream: s, Depth: info.Depth})
	}
	rec := runners.NewRecorder(infos)
	err := runners.Drive(context.Background(), q, sources, l, rec)
	if err := errors.Join(err, q.Close()); err != nil {
		t.Fatal(err)
	}
	return rec.Results()
}

// TestOperations drives each kind of operation on each kind of target.
func TestOperations(t *testing.T) {
	targets := map[string]func(t *testing.T) runners.Target{
		"file":   func(t *testing.T) runners.Target { needRing(t); return newFile(t, t.TempDir(), 16*mib, unix.O_DIRECT) },
		"cached": func(t *testing.T) runners.Target { needRing(t); return newFile(t, t.TempDir(), 16*mib, 0) },
		"loop":   func(t *testing.T) runners.Target { return newLoop(t, shm(t), 16*mib, false) },
		"zram":   func(t *testing.T) runners.Target { return newZram(t, 16*mib) },
	}
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			tg := target(t)
			for _, depth := range []int{1, 4, 5, 64} {
				for _, kind := range []workloads.Kind{workloads.Write, workloads.Read, workloads.Delete, workloads.Flush} {
					s := newRandom(tg, kind, 16384, 7)
					s.n = 300
					got := drive(t, tg, runners.Options{Depth: depth, MaxLen: 16384}, runners.Limits{}, s)[0].Kinds
					if len(got) != 1 || got[0].Ops != 300 || got[0].Errors != 0 || got[0].Bytes != 300*16384 || got[0].Kind != kind.String() {
						t.Errorf("depth %d, %v: %+v", depth, kind, got)
					}
				}
			}
		})
	}
}

// stamps writes each block's address into it and checks it in reads.
type stamps struct {
	generation uint64
	checked    int
}

func (d *stamps) Fill(op workloads.Op, buf []byte) {
	for i := 0; i < len(buf); i += 512 {
		binary.LittleEndian.PutUint64(buf[i:], uint64(op.Off)+uint64(i))
		binary.LittleEndian.PutUint64(buf[i+8:], d.generation)
	}
}

func (d *stamps) Check(op workloads.Op, buf []byte) error {
	d.checked++
	for i := 0; i < len(buf); i += 512 {
		if at := binary.LittleEndian.Uint64(buf[i:]); at != uint64(op.Off)+uint64(i) {
			return fmt.Errorf("block at %d carries %d", op.Off+int64(i), at)
		}
		if g := binary.LittleEndian.Uint64(buf[i+8:]); g != d.generation {
			return fmt.Errorf("block at %d is of generation %d", op.Off+int64(i), g)
		}
	}
	return nil
}

// TestContent: what is written is what is read, at the right place, for small
// and large transfers and with the buffers registered or not.
func TestContent(t *testing.T) {
	needRing(t)
	for _, length := range []int64{4096, 12288, 1 * mib} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			tg := newFile(t, t.TempDir(), 12*mib, unix.O_DIRECT)
			data := &stamps{generation: 42}
			o := runners.Options{Depth: 8, MaxLen: length, Data: data}
			write := newRandom(tg, workloads.Write, length, 1)
			write.serial, write.n = true, write.blocks
			drive(t, tg, o, runners.Limits{}, write)
			text, err := os.ReadFile(tg.Name)
			if err != nil {
				t.Fatal(err)
			}
			if err := data.Check(workloads.Op{}, text[:length*write.blocks]); err != nil {
				t.Errorf("the file: %v", err)
			}
			data.checked = 0
			read := newRandom(tg, workloads.Read, length, 2)
			read.n = 500
			k := drive(t, tg, o, runners.Limits{}, read)[0].Kinds[0]
			if k.Errors != 0 || data.checked != 500 {
				t.Errorf("%d checked, errors %v", data.checked, k.ErrorTexts)
			}
			data.generation = 43
			read = newRandom(tg, workloads.Read, length, 2)
			read.n = 10
			if k := drive(t, tg, o, runners.Limits{}, read)[0].Kinds[0]; k.Errors != 10 {
				t.Errorf("a stale generation gave %d errors of 10", k.Errors)
			}
		})
	}
}

// TestDeletesRemoveContent, through the ring's command, through workers, and by
// punching a file.
func TestDeletesRemoveContent(t *testing.T) {
	needRing(t)
	for name, commands := range map[string]bool{"command": true, "workers": false} {
		t.Run(name, func(t *testing.T) {
			tg := newLoop(t, shm(t), 16*mib, false)
			testDelete(t, tg, commands)
		})
	}
	t.Run("file", func(t *testing.T) { testDelete(t, newFile(t, t.TempDir(), 16*mib, 0), true) })
}

func testDelete(t *testing.T, tg runners.Target, commands bool) {
	data := &stamps{}
	write := newRandom(tg, workloads.Write, 65536, 1)
	write.serial, write.n = true, write.blocks
	drive(t, tg, runners.Options{Depth: 4, MaxLen: 65536, Data: data}, runners.Limits{}, write)
	runtime.LockOSThread()
	kernel := everything()
	kernel.commands = commands
	q, err := open(tg, runners.Options{Depth: 8, DeleteDepth: 3}, kernel)
	if err != nil {
		t.Fatal(err)
	}
	if tg.Device && (q.workers != nil) == commands {
		t.Logf("this kernel deletes through workers: %v", q.workers != nil)
	}
	half := newRandom(tg, workloads.Delete, 65536, 1)
	half.serial, half.n = true, half.blocks/2
	r := driveOn(t, q, 8, runners.Limits{}, half)[0]
	if k := r.Kinds[0]; k.Ops != half.n || k.Errors != 0 || k.Service.Min() <= 0 {
		t.Errorf("%d deletes of %d, errors %v, shortest %v", k.Ops, half.n, k.ErrorTexts, k.Service.Min())
	}
	buf := alignedBuffer(65536)
	for off := int64(0); off < tg.SizeBytes; off += 65536 {
		if _, err := tg.File.ReadAt(buf, off); err != nil {
			t.Fatal(err)
		}
		zero := bytes.Equal(buf, make([]byte, 65536))
		if zero != (off < tg.SizeBytes/2) {
			t.Fatalf("at %d: zeros %v", off, zero)
		}
	}
}

// TestOlderKernels drives mixed operations with ever fewer of the kernel's
// abilities.
func TestOlderKernels(t *testing.T) {
	needRing(t)
	tg := newLoop(t, shm(t), 16*mib, false)
	kernel := everything()
	for i := range len(optional()) + 1 {
		for _, depth := range []int{1, 32} {
			runtime.LockOSThread()
			q, err := open(tg, runners.Options{Depth: 3 * depth, MaxLen: 8192}, kernel)
			if err != nil {
				t.Fatal(err)
			}
			if q.ring.setup != kernel.flags {
				t.Logf("this kernel took %#x of the flags %#x", q.ring.setup, kernel.flags)
			}
			var streams []workloads.Stream
			for kind := range workloads.Flush {
				s := newRandom(tg, kind, 8192, 5)
				s.n, s.rate = 200, 20_000
				streams = append(streams, s)
			}
			for _, j := range driveOn(t, q, 3*depth, runners.Limits{}, streams...) {
				if k := j.Kinds[0]; k.Ops != 200 || k.Errors != 0 {
					t.Errorf("flags %#x, depth %d, %s: %d operations, errors %v", kernel.flags, depth, k.Kind, k.Ops, k.ErrorTexts)
				}
			}
		}
		kernel = use{} // and from here on neither fixed buffers nor commands
		for _, f := range optional()[i:] {
			kernel.flags |= f
		}
		if i < len(optional()) {
			kernel.flags &^= optional()[i]
		}
	}
}

// BenchmarkCeiling is the cost of everything but the I/O: the ring does nothing
// and says that all bytes were moved.
func BenchmarkCeiling(b *testing.B) {
	needRing(b)
	const depth = 128
	tg := newFile(b, b.TempDir(), mib, 0)
	runtime.LockOSThread()
	q, err := open(tg, runners.Options{Depth: depth, MaxLen: 4096}, everything())
	if err != nil {
		b.Fatal(err)
	}
	const opNop, injectResult = 0, 1
	for s := range q.slots {
		q.ring.entries[s] = entry{opcode: opNop, opFlags: injectResult, userData: uint64(s)}
		q.slots[s].shape = workloads.Read
	}
	s := newRandom(tg, workloads.Read, 4096, 1)
	s.n = int64(b.N)
	b.ResetTimer()
	if k := driveOn(b, q, depth, runners.Limits{}, s)[0].Kinds[0]; k.Ops != s.n {
		b.Errorf("%d of %d, errors %v", k.Ops, s.n, k.ErrorTexts)
	}
}

func alignedBuffer(n int) []byte {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		panic(err)
	}
	return b
}

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
		// A long drive meets more of the histogram's range; nothing else grows.
		if short, long := count(1000), count(100_000); long > short+100 {
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
