package stack

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// fake is an engine and its only queue: a device on a virtual clock that
// serves everything it holds side by side, each operation in cost(op), which is
// 1 ms by default.
type fake struct {
	options runners.Options
	cost    func(workloads.Op) time.Duration
	// fail, when set, says what becomes of an operation.
	fail func(op workloads.Op) (n int64, err error)
	// most, when above 0, is how many operations one Submit accepts.
	most int

	now    time.Duration
	held   []runners.Completion // Done is when it will be
	log    []runners.Completion // everything ever accepted
	quiet  bool                 // keep no log
	peak   int
	closed bool
}

func (f *fake) Name() string { return "fake" }
func (f *fake) Probe() error { return nil }

func (f *fake) Open(_ context.Context, _ runners.Target, o runners.Options) (runners.Queue, error) {
	f.options = o
	f.held = make([]runners.Completion, 0, o.Depth)
	return f, nil
}

func (f *fake) Elapsed() time.Duration { return f.now }

func (f *fake) Submit(ops []workloads.Op) (int, error) {
	for i, op := range ops {
		if len(f.held) == f.options.Depth || f.most > 0 && i == f.most {
			return i, nil
		}
		c := runners.Completion{Op: op, Issued: f.now, Done: f.now + time.Millisecond, N: op.Len}
		if f.cost != nil {
			c.Done = f.now + f.cost(op)
		}
		if f.fail != nil {
			c.N, c.Err = f.fail(op)
		}
		if f.options.Data != nil && op.Kind == workloads.Write {
			f.options.Data.Fill(op, nil)
		}
		f.held = append(f.held, c)
		f.peak = max(f.peak, len(f.held))
		if !f.quiet {
			f.log = append(f.log, c)
		}
	}
	return len(ops), nil
}

func (f *fake) Reap(dst []runners.Completion, min int, until time.Duration) (int, error) {
	n := 0
	for n < len(dst) {
		i := f.earliest()
		if i < 0 || f.held[i].Done > f.now && (n >= min || until > 0 && f.held[i].Done > until) {
			break
		}
		f.now = max(f.now, f.held[i].Done)
		dst[n] = f.held[i]
		if f.options.Data != nil && dst[n].Op.Kind == workloads.Read {
			dst[n].Err = f.options.Data.Check(dst[n].Op, nil)
		}
		f.held = slices.Delete(f.held, i, i+1)
		n++
	}
	if n < min && n < len(dst) && until > 0 {
		f.now = max(f.now, until)
	}
	return n, nil
}

// earliest is the index of what is done first, or -1.
func (f *fake) earliest() int {
	first := -1
	for i := range f.held {
		if first < 0 || f.held[i].Done < f.held[first].Done {
			first = i
		}
	}
	return first
}

func (f *fake) Close() error {
	f.closed = true
	return nil
}

// spans returns what went to the device as offset and length, in order.
func (f *fake) spans() [][2]int64 {
	var s [][2]int64
	for _, c := range f.log {
		s = append(s, [2]int64{c.Op.Off, c.Op.Len})
	}
	return s
}

func (f *fake) offsets() []int64 {
	var s []int64
	for _, c := range f.log {
		s = append(s, c.Op.Off)
	}
	return s
}

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
)

// open opens a queue of the layers over f, on a 1 GiB target.
func open(t *testing.T, f *fake, c Config, o runners.Options) *queue {
	t.Helper()
	target := runners.Target{Name: "fake", SizeBytes: 1 << 30, BlockBytes: 512, DeleteBytes: 4096}
	if o.MaxLen == 0 {
		o.MaxLen = mib
	}
	q, err := Wrap(f, c).Open(t.Context(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	return q.(*queue)
}

// submit hands over all of ops or fails.
func submit(t *testing.T, q runners.Queue, ops ...workloads.Op) {
	t.Helper()
	if n, err := q.Submit(ops); n != len(ops) || err != nil {
		t.Fatalf("submitted %d of %d: %v", n, len(ops), err)
	}
}

// reap waits for n completions.
func reap(t *testing.T, q runners.Queue, n int) []runners.Completion {
	t.Helper()
	dst := make([]runners.Completion, n)
	k, err := q.Reap(dst, n, 0)
	if k != n || err != nil {
		t.Fatalf("reaped %d of %d: %v", k, n, err)
	}
	return dst
}

func read(off, n int64) workloads.Op  { return workloads.Op{Kind: workloads.Read, Off: off, Len: n} }
func write(off, n int64) workloads.Op { return workloads.Op{Kind: workloads.Write, Off: off, Len: n} }
func del(off, n int64) workloads.Op   { return workloads.Op{Kind: workloads.Delete, Off: off, Len: n} }
func flush() workloads.Op             { return workloads.Op{Kind: workloads.Flush} }
