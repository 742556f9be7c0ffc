package portable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

const kib = int64(1) << 10

// target is a writable file of size bytes, each 0xAA.
func target(t *testing.T, size int64) runners.Target {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "target"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(bytes.Repeat([]byte{0xAA}, int(size))); err != nil {
		t.Fatal(err)
	}
	return runners.Target{File: f, Name: "target", SizeBytes: size, BlockBytes: 512, DeleteBytes: 4096, Writable: true}
}

// open opens a queue and closes it at the end of the test.
func open(t *testing.T, target runners.Target, o runners.Options) *queue {
	t.Helper()
	q, err := Engine{}.Open(t.Context(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q.(*queue)
}

// do performs one operation.
func do(t *testing.T, q runners.Queue, op workloads.Op) runners.Completion {
	t.Helper()
	dst := make([]runners.Completion, 1)
	if n, err := q.Submit([]workloads.Op{op}); n != 1 || err != nil {
		t.Fatalf("submit: %d, %v", n, err)
	}
	if n, err := q.Reap(dst, 1, 0); n != 1 || err != nil {
		t.Fatalf("reap: %d, %v", n, err)
	}
	return dst[0]
}

// stamp writes each buffer full of its block numbers and remembers what it
// was shown.
type stamp struct {
	checked int
	align   int64
}

func stampAt(off int64) byte { return byte(off/512*7 + 1) }

func (s *stamp) Fill(op workloads.Op, buf []byte) {
	s.see(buf)
	for i := range buf {
		buf[i] = stampAt(op.Off + int64(i))
	}
}

func (s *stamp) Check(op workloads.Op, buf []byte) error {
	s.see(buf)
	s.checked++
	for i, b := range buf {
		if want := stampAt(op.Off + int64(i)); b != want {
			return fmt.Errorf("byte %d is %#x, want %#x", op.Off+int64(i), b, want)
		}
	}
	return nil
}

func (s *stamp) see(buf []byte) { s.align |= int64(uintptr(unsafe.Pointer(&buf[0]))) }

func TestWriteReadDeleteFlush(t *testing.T) {
	tg := target(t, 1<<20)
	tg.BlockBytes = 8192
	data := &stamp{}
	q := open(t, tg, runners.Options{Depth: 3, MaxLen: 64 * kib, Data: data})
	op := workloads.Op{Kind: workloads.Write, Off: 8 * kib, Len: 64 * kib, At: time.Hour, Job: 5, Barrier: true}
	c := do(t, q, op)
	if c.Op != op || c.N != op.Len || c.Err != nil || c.Issued <= 0 || c.Done <= c.Issued || q.Elapsed() < c.Done {
		t.Errorf("write: %+v", c)
	}
	if c := do(t, q, workloads.Op{Kind: workloads.Flush}); c.Err != nil || c.N != 0 || c.Done <= c.Issued {
		t.Errorf("flush: %+v", c)
	}
	op.Kind = workloads.Read
	if c := do(t, q, op); c.Err != nil || c.N != op.Len || data.checked != 1 {
		t.Errorf("read: %+v, checked %d", c, data.checked)
	}
	if c := do(t, q, workloads.Op{Kind: workloads.Read, Len: kib}); c.Err == nil || !strings.Contains(c.Err.Error(), "byte 0 is 0xaa") {
		t.Errorf("content that is wrong: %v", c.Err)
	}
	op.Kind = workloads.Delete
	c = do(t, q, op)
	if errors.Is(c.Err, runners.ErrUnsupported) {
		t.Skip(c.Err)
	}
	if c.Err != nil || c.N != op.Len {
		t.Errorf("delete: %+v", c)
	}
	got, err := os.ReadFile(tg.File.Name())
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte{0xAA}, 1<<20)
	clear(want[op.Off : op.Off+op.Len])
	if !bytes.Equal(got, want) {
		t.Error("the file is not what was left when the written range was deleted")
	}
	if data.align%8192 != 0 {
		t.Error("a buffer was not aligned to the target's block")
	}
}

// Offsets cover targets of more than 2^32 blocks.
func TestLargeTarget(t *testing.T) {
	const size = 5 << 40
	tg := target(t, 0)
	if err := tg.File.Truncate(size); err != nil {
		t.Skipf("needs a file system with sparse files of 5 TiB: %v", err)
	}
	tg.SizeBytes = size
	q := open(t, tg, runners.Options{Depth: 1, MaxLen: 4 * kib, Data: &stamp{}})
	op := workloads.Op{Kind: workloads.Write, Off: size - 4*kib, Len: 4 * kib}
	for _, op.Kind = range []workloads.Kind{workloads.Write, workloads.Read} {
		if c := do(t, q, op); c.Err != nil || c.N != op.Len {
			t.Errorf("%v of the last block: %+v", op.Kind, c)
		}
	}
	got := make([]byte, 1)
	if _, err := tg.File.ReadAt(got, op.Off); err != nil || got[0] != stampAt(op.Off) {
		t.Errorf("the last block begins with %#x (%v), want %#x", got, err, stampAt(op.Off))
	}
}

// Without content from outside, writes carry the same incompressible bytes,
// whatever was read in between.
func TestConstantPattern(t *testing.T) {
	tg := target(t, 64*kib)
	q := open(t, tg, runners.Options{Depth: 1, MaxLen: 4 * kib})
	do(t, q, workloads.Op{Kind: workloads.Write, Off: 0, Len: 4 * kib})
	do(t, q, workloads.Op{Kind: workloads.Read, Off: 32 * kib, Len: 4 * kib})
	do(t, q, workloads.Op{Kind: workloads.Write, Off: 4 * kib, Len: 4 * kib})
	got := make([]byte, 8*kib)
	if _, err := tg.File.ReadAt(got, 0); err != nil {
		t.Fatal(err)
	}
	var counts [256]int
	for _, b := range got[:4*kib] {
		counts[b]++
	}
	if !bytes.Equal(got[:4*kib], got[4*kib:]) || counts[0xAA] > 64 || counts[0] > 64 {
		t.Error("the pattern changed or is not random")
	}
}

// Operations that must not reach the platform, and what the platform says.
func TestErrors(t *testing.T) {
	tg := target(t, 64*kib)
	tests := []struct {
		name string
		op   workloads.Op
		want error
		text string
	}{
		{"delete of nothing is not a delete of all", workloads.Op{Kind: workloads.Delete}, syscall.EINVAL, "no bytes"},
		{"read of nothing", workloads.Op{Kind: workloads.Read, Off: 512}, syscall.EINVAL, "no bytes"},
		{"negative offset", workloads.Op{Kind: workloads.Write, Off: -512, Len: 512}, syscall.EINVAL, "negative offset"},
		{"past the end", workloads.Op{Kind: workloads.Write, Off: 63 * kib, Len: 2 * kib}, syscall.EINVAL, "past the end"},
		{"far past the end", workloads.Op{Kind: workloads.Delete, Off: 1 << 62, Len: 1 << 62}, syscall.EINVAL, "past the end"},
		{"too long", workloads.Op{Kind: workloads.Read, Len: 8 * kib}, syscall.EINVAL, "longer than"},
		{"unknown kind", workloads.Op{Kind: workloads.Kinds, Len: 512}, syscall.EINVAL, "unknown kind"},
	}
	q := open(t, tg, runners.Options{Depth: 1, MaxLen: 4 * kib})
	for _, tt := range tests {
		c := do(t, q, tt.op)
		if !errors.Is(c.Err, tt.want) || !strings.Contains(c.Err.Error(), tt.text) || c.N != 0 || c.Op != tt.op {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
	if info, err := tg.File.Stat(); err != nil || info.Size() != 64*kib {
		t.Errorf("the target's size is now %v (%v)", info.Size(), err)
	}
}

func TestPlatformErrors(t *testing.T) {
	tg := target(t, 6*kib)
	readOnly, err := os.Open(tg.File.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	tg.File, tg.SizeBytes, tg.Writable = readOnly, 0, false
	q := open(t, tg, runners.Options{Depth: 1, MaxLen: 4 * kib})
	c := do(t, q, workloads.Op{Kind: workloads.Write, Len: 512})
	if _, ok := c.Err.(syscall.Errno); !ok || c.N != 0 {
		t.Errorf("write through a read-only file: %#v, want a syscall.Errno", c.Err)
	}
	c = do(t, q, workloads.Op{Kind: workloads.Read, Off: 4 * kib, Len: 4 * kib})
	if c.Err != io.ErrUnexpectedEOF || c.N != 2*kib {
		t.Errorf("read across the end: %d bytes, %v", c.N, c.Err)
	}
	c = do(t, q, workloads.Op{Kind: workloads.Delete, Len: 4 * kib})
	if c.Err == nil || c.N != 0 {
		t.Errorf("delete through a read-only file: %+v", c)
	}
}

func TestOpenRefuses(t *testing.T) {
	tg := target(t, kib)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name   string
		ctx    context.Context
		target runners.Target
		o      runners.Options
		want   string
	}{
		{"cancelled", cancelled, tg, runners.Options{Depth: 1}, "context canceled"},
		{"no file", t.Context(), runners.Target{Name: "model"}, runners.Options{Depth: 1}, "model: the target has no open file"},
		{"no depth", t.Context(), tg, runners.Options{}, "depth 0 is not in 1 to 4096"},
		{"too deep", t.Context(), tg, runners.Options{Depth: 4097}, "depth 4097 is not in"},
		{"negative length", t.Context(), tg, runners.Options{Depth: 1, MaxLen: -1}, "cannot be negative"},
		{"negative delete depth", t.Context(), tg, runners.Options{Depth: 1, DeleteDepth: -1}, "delete depth -1"},
		{"no such processor", t.Context(), tg, runners.Options{Depth: 2, CPUs: []int{1000}}, "restrict worker to processors [1000]"},
	}
	for _, tt := range tests {
		q, err := Engine{}.Open(tt.ctx, tt.target, tt.o)
		if q != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// Slots and the delete depth bound what Submit takes.
// Memory that the system does not have is an error with words, not the end of
// the program.
func TestNoMemoryForBuffers(t *testing.T) {
	for _, o := range []runners.Options{{Depth: MaxDepth, MaxLen: 1 << 40}, {Depth: MaxDepth, MaxLen: 1 << 62}} {
		q, err := Engine{}.Open(t.Context(), target(t, kib), o)
		if err == nil {
			q.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "lower the depth") {
			t.Errorf("buffers of %d bytes: %v, want words on what to do", o.MaxLen, err)
		}
		if o.MaxLen == 1<<40 && runtime.GOOS != "windows" && !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("%v, want ENOMEM", err)
		}
	}
}

// What is outstanding longest can be named.
func TestOldest(t *testing.T) {
	q := open(t, target(t, 64*kib), runners.Options{Depth: 4, MaxLen: 4 * kib})
	if _, _, ok := q.Oldest(); ok {
		t.Error("an idle queue waits for something")
	}
	if n, err := q.Submit([]workloads.Op{{Kind: workloads.Write, Off: 8 * kib, Len: 4 * kib}, {Kind: workloads.Write, Len: 4 * kib}}); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if op, issued, ok := q.Oldest(); !ok || op.Off != 8*kib || op.Len != 4*kib || issued > q.Elapsed() {
		t.Errorf("%+v issued at %v, %v; want the first write", op, issued, ok)
	}
}

func TestSubmitAcceptsAPrefix(t *testing.T) {
	q := open(t, target(t, 64*kib), runners.Options{Depth: 4, MaxLen: kib, DeleteDepth: 1})
	r := workloads.Op{Kind: workloads.Read, Len: kib}
	d := workloads.Op{Kind: workloads.Delete, Len: 4 * kib}
	if n, err := q.Submit([]workloads.Op{r, d, r, d, r}); n != 3 || err != nil {
		t.Fatalf("accepted %d, %v; want the 3 before the second delete", n, err)
	}
	if n, err := q.Submit([]workloads.Op{r, r}); n != 1 || err != nil {
		t.Fatalf("accepted %d, %v; want 1, the last slot", n, err)
	}
	dst := make([]runners.Completion, 8)
	if n, err := q.Reap(dst[:1], 8, 0); n != 1 || err != nil {
		t.Fatalf("full destination: reaped %d, %v", n, err)
	}
	if n, err := q.Reap(dst, 3, 0); n != 3 || err != nil {
		t.Fatalf("the others: reaped %d, %v", n, err)
	}
	if n, err := q.Submit([]workloads.Op{d}); n != 1 || err != nil {
		t.Fatalf("a delete after the first was reaped: %d, %v", n, err)
	}
	if n, err := q.Reap(dst, 8, 0); n != 1 || err != nil {
		t.Fatalf("more asked than there are: reaped %d, %v", n, err)
	}
}

func TestReapSleeps(t *testing.T) {
	q := open(t, target(t, kib), runners.Options{Depth: 1, MaxLen: kib})
	dst := make([]runners.Completion, 1)
	until := q.Elapsed() + 20*time.Millisecond
	if n, err := q.Reap(dst, 1, until); n != 0 || err != nil || q.Elapsed() < until {
		t.Errorf("reaped %d, %v, at %v; want to sleep until %v", n, err, q.Elapsed(), until)
	}
	for _, min := range []int{0, 1} { // returns: nothing can come, or it is too late
		if n, err := q.Reap(dst, min, time.Duration(min)); n != 0 || err != nil {
			t.Errorf("reaped %d, %v", n, err)
		}
	}
	if n, err := q.Reap(dst, 1, 0); n != 0 || err != nil {
		t.Errorf("nothing outstanding: reaped %d, %v", n, err)
	}
}

// One worker shows the order: it takes operations as they were submitted.
func TestSubmitOrder(t *testing.T) {
	q := open(t, target(t, 64*kib), runners.Options{Depth: 8, MaxLen: kib})
	var ops []workloads.Op
	for i := range int64(8) {
		ops = append(ops, workloads.Op{Kind: workloads.Read, Off: i * kib, Len: kib})
	}
	held := q.work
	q.work = make(chan *slot, 8) // no worker listens to this one
	if n, _ := q.Submit(ops); n != 8 {
		t.Fatalf("accepted %d", n)
	}
	for i := range ops {
		s := <-q.work
		if s.c.Op.Off != ops[i].Off {
			t.Errorf("operation %d is at %d", i, s.c.Op.Off)
		}
		held <- s
	}
	q.work = held
	if n, _ := q.Reap(make([]runners.Completion, 8), 8, 0); n != 8 {
		t.Errorf("reaped %d", n)
	}
}

func TestCloseIsBounded(t *testing.T) {
	q, err := Engine{}.Open(t.Context(), target(t, kib), runners.Options{Depth: 2, MaxLen: kib})
	if err != nil {
		t.Fatal(err)
	}
	lost := q.(*queue)
	lost.patience = time.Millisecond
	lost.free = lost.free[1:] // as if the kernel never came back with it
	if err := q.Close(); err == nil || !strings.Contains(err.Error(), "target: 1 operations were still outstanding after 1ms") {
		t.Errorf("close: %v", err)
	}
}

func TestCloseWaitsAndEndsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	q, err := Engine{}.Open(t.Context(), target(t, 64*kib), runners.Options{Depth: 64, MaxLen: 64 * kib})
	if err != nil {
		t.Fatal(err)
	}
	for range 64 {
		if n, err := q.Submit([]workloads.Op{{Kind: workloads.Write, Len: 64 * kib}}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before the queue was opened", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestNoAllocationPerOperation(t *testing.T) {
	q := open(t, target(t, 64*kib), runners.Options{Depth: 4, MaxLen: 4 * kib, Data: &stamp{}})
	ops := []workloads.Op{
		{Kind: workloads.Write, Off: 0, Len: 4 * kib}, {Kind: workloads.Write, Off: 4 * kib, Len: 4 * kib},
		{Kind: workloads.Delete, Off: 32 * kib, Len: 4 * kib}, {Kind: workloads.Flush},
	}
	dst := make([]runners.Completion, 4)
	allocs := testing.AllocsPerRun(200, func() {
		n, _ := q.Submit(ops)
		if k, err := q.Reap(dst, n, q.Elapsed()+time.Minute); k != 4 || err != nil {
			t.Fatal(k, err)
		}
		for _, c := range dst {
			if c.Err != nil && !errors.Is(c.Err, runners.ErrUnsupported) {
				t.Fatal(c.Err)
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations for %d operations", allocs, len(ops))
	}
}
