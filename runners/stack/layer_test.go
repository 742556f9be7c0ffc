package stack

import (
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// configs are the layers alone and together, with figures small enough that
// every one of them works.
var configs = []struct {
	name   string
	config Config
}{
	{"delete chunks", Config{Delete: true, DeleteChunkBytes: 64 * kib}},
	{"whole deletes", Config{Delete: true}},
	{"splitting", Config{Split: true, MaxTransferBytes: 16 * kib}},
	{"bioq", Config{Bioq: true, BioqBatch: 4, LowerDepth: 3}},
	{"all", Config{Delete: true, DeleteChunkBytes: 64 * kib, Split: true, MaxTransferBytes: 16 * kib, Bioq: true, BioqBatch: 4, LowerDepth: 3}},
}

func TestNamesAndAbsentLayers(t *testing.T) {
	f := &fake{}
	if e := Wrap(f, Config{}); e != runners.Engine(f) {
		t.Errorf("without layers: %v", e)
	}
	if e := Wrap(f, Config{Delete: true}); e.Name() != "fake+stack" || e.Probe() != nil {
		t.Errorf("name %q", e.Name())
	}
	for _, c := range configs {
		want := strings.Count(fmt.Sprintf("%+v", c.config), "true")
		if got := len(open(t, &fake{}, c.config, runners.Options{Depth: 2}).layers); got != want {
			t.Errorf("%s: %d layers, want %d", c.name, got, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		config Config
		depth  int
		want   string
	}{
		{Config{Delete: true}, 0, "depth 0"},
		{Config{Delete: true, DeleteChunkBytes: 1000}, 1, "delete chunk of 1000 bytes"},
		{Config{Delete: true, DeleteChunkBytes: -512}, 1, "delete chunk of -512 bytes"},
		{Config{Split: true, MaxTransferBytes: 5000}, 1, "largest transfer of 5000 bytes"},
		{Config{Bioq: true, LowerDepth: -1}, 1, "lower depth -1"},
	}
	for _, tt := range tests {
		target := runners.Target{Name: "disk", BlockBytes: 512}
		_, err := Wrap(&fake{}, tt.config).Open(t.Context(), target, runners.Options{Depth: tt.depth, MaxLen: 4096})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "disk") {
			t.Errorf("%+v: %v, want %q", tt.config, err, tt.want)
		}
	}
}

// What the device is prepared for follows from the layers.
func TestOptionsBelow(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		o      runners.Options
		want   runners.Options
	}{
		{"delete chunks", Config{Delete: true, DeleteChunkBytes: mib},
			runners.Options{Depth: 8, MaxLen: mib, DeleteDepth: 3},
			runners.Options{Depth: 8, MaxLen: mib, DeleteDepth: 3}},
		{"splitting", Config{Split: true, MaxTransferBytes: 64 * kib},
			runners.Options{Depth: 8, MaxLen: 128*kib + 512},
			runners.Options{Depth: 24, MaxLen: 64 * kib, DeleteDepth: 8, SubmitBatch: runners.UnmergedBatch}},
		{"splitting, bounded", Config{Split: true, MaxTransferBytes: 4096},
			runners.Options{Depth: 32, MaxLen: mib},
			runners.Options{Depth: 1024, MaxLen: 4096, DeleteDepth: 32, SubmitBatch: runners.UnmergedBatch}},
		{"splitting, deeper than the bound", Config{Split: true, MaxTransferBytes: 4096},
			runners.Options{Depth: 2000, MaxLen: mib},
			runners.Options{Depth: 2000, MaxLen: 4096, DeleteDepth: 2000, SubmitBatch: runners.UnmergedBatch}},
		{"bioq", Config{Bioq: true, LowerDepth: 2},
			runners.Options{Depth: 32, MaxLen: mib, SubmitBatch: 7},
			runners.Options{Depth: 2, MaxLen: mib, DeleteDepth: 2, SubmitBatch: 7}},
		{"bioq deeper than the jobs", Config{Bioq: true, LowerDepth: 64},
			runners.Options{Depth: 4, MaxLen: mib},
			runners.Options{Depth: 4, MaxLen: mib, DeleteDepth: 4}},
		{"all", Config{Delete: true, Split: true, MaxTransferBytes: 64 * kib, Bioq: true, LowerDepth: 4},
			runners.Options{Depth: 32, MaxLen: mib, DeleteDepth: 1},
			runners.Options{Depth: 4, MaxLen: 64 * kib, DeleteDepth: 1, SubmitBatch: runners.UnmergedBatch}},
	}
	for _, tt := range tests {
		f := &fake{}
		open(t, f, tt.config, tt.o)
		if !reflect.DeepEqual(f.options, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, f.options, tt.want)
		}
	}
}

// Slots bound what is accepted, and so does the delete depth; a prefix goes in.
func TestSubmitAcceptsAPrefix(t *testing.T) {
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			q := open(t, &fake{}, c.config, runners.Options{Depth: 4, DeleteDepth: 2})
			ops := []workloads.Op{del(0, mib), read(mib, kib), del(2*mib, mib), del(4*mib, mib), read(8*mib, kib), read(9*mib, kib)}
			if n, err := q.Submit(ops); n != 3 || err != nil {
				t.Fatalf("accepted %d, %v; want the 3 before the third delete", n, err)
			}
			if n, err := q.Submit(ops[4:]); n != 1 || err != nil {
				t.Fatalf("accepted %d, %v; want the 1 that the depth allows", n, err)
			}
			reap(t, q, 4)
			submit(t, q, ops[3])
			reap(t, q, 1)
		})
	}
}

// Reap keeps runners.Queue's promises in every layer.
func TestReap(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{}
			q := open(t, f, c.config, runners.Options{Depth: 8})
			dst := make([]runners.Completion, 8)
			expect := func(what string, dst []runners.Completion, min int, until time.Duration, n int, now time.Duration) {
				t.Helper()
				if got, err := q.Reap(dst, min, until); got != n || err != nil || q.Elapsed() != now {
					t.Errorf("%s: reaped %d at %v with %v; want %d at %v", what, got, q.Elapsed(), err, n, now)
				}
			}
			expect("nothing can come", dst, 1, 0, 0, 0)
			expect("sleep", dst, 1, 5*ms, 0, 5*ms)
			submit(t, q, read(0, kib), read(8*kib, kib), read(64*kib, kib))
			expect("min 0 never waits", dst, 0, 0, 0, 5*ms)
			expect("min 0 never sleeps", dst, 0, 50*ms, 0, 5*ms)
			expect("until comes first", dst, 1, 5*ms+ms/2, 0, 5*ms+ms/2)
			expect("until is past", dst, 1, ms, 0, 5*ms+ms/2)
			expect("dst is full", dst[:1], 8, 0, 1, 6*ms)
			expect("the others are kept", dst, 2, 0, 2, 6*ms)
			expect("no destination", nil, 1, 0, 0, 6*ms)
			submit(t, q, read(0, kib))
			expect("more asked than there are", dst, 5, 0, 1, 7*ms)
			submit(t, q, read(0, kib))
			expect("more asked than there are, until", dst, 5, 10*ms, 1, 10*ms)
		})
	}
}

// Random operations: each comes back once and whole, as it was submitted, and
// its parts cover it exactly.
func TestEveryOperationComesBackOnce(t *testing.T) {
	for _, c := range configs {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 7))
			f := &fake{most: int(seed % 4), cost: func(workloads.Op) time.Duration { return time.Duration(r.IntN(1000)+1) * time.Microsecond }}
			q := open(t, f, c.config, runners.Options{Depth: 16, DeleteDepth: 3})
			drive(t, q, r, 400)
			covered := map[workloads.Kind]int64{}
			for _, l := range f.log {
				covered[l.Op.Kind] += l.Op.Len
			}
			l := q.Layer()
			if l.Read.Bytes != covered[workloads.Read] || l.Write.Bytes != covered[workloads.Write] || l.Delete.Bytes != covered[workloads.Delete] {
				t.Errorf("%s: counted %+v, the device saw %v", c.name, l, covered)
			}
			if err := q.Close(); err != nil || !f.closed {
				t.Errorf("%s: close: %v", c.name, err)
			}
		}
	}
}

// drive issues count random operations, each known by its At.
func drive(t *testing.T, q runners.Queue, r *rand.Rand, count int) {
	t.Helper()
	open := map[time.Duration]runners.Completion{}
	dst := make([]runners.Completion, 5)
	for id := 0; id < count || len(open) > 0; {
		op := randomOp(r)
		op.At = time.Duration(id) + time.Hour
		n := 0
		if id < count {
			n, _ = q.Submit([]workloads.Op{op})
		}
		if n == 1 {
			open[op.At] = runners.Completion{Op: op, Issued: q.Elapsed()}
			id++
			continue
		}
		k, err := q.Reap(dst, 1+r.IntN(4), q.Elapsed()+time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range dst[:k] {
			w, ok := open[c.Op.At]
			if !ok || c.Op != w.Op || c.Issued != w.Issued || c.N != w.Op.Len || c.Err != nil || c.Done <= c.Issued || c.Done > q.Elapsed() {
				t.Fatalf("completion %+v of %+v (known: %t)", c, w, ok)
			}
			delete(open, c.Op.At)
		}
	}
}

func randomOp(r *rand.Rand) workloads.Op {
	op := workloads.Op{Kind: workloads.Kind(r.IntN(int(workloads.Kinds))), Job: uint16(r.IntN(9)), Barrier: r.IntN(20) == 0}
	if op.Kind != workloads.Flush {
		op.Len = 512 * (1 + r.Int64N(400))
		op.Off = 512 * r.Int64N(1<<20)
	}
	return op
}

// seen keeps the operations that a content hook was called with.
type seen struct{ filled, checked []workloads.Op }

func (s *seen) Fill(op workloads.Op, _ []byte) { s.filled = append(s.filled, op) }

func (s *seen) Check(op workloads.Op, _ []byte) error {
	s.checked = append(s.checked, op)
	return io.ErrUnexpectedEOF
}

// The content hook sees the requests that move the bytes, with what else came
// from above unchanged.
func TestContentHook(t *testing.T) {
	for _, c := range configs {
		hook := &seen{}
		q := open(t, &fake{}, c.config, runners.Options{Depth: 4, Data: hook})
		w, r := write(mib, 32*kib), read(2*mib, 32*kib)
		w.At, w.Job, r.At, r.Job = time.Hour, 3, time.Minute, 4
		submit(t, q, del(0, kib), w, r)
		failed := 0
		for _, c := range reap(t, q, 3) {
			if c.Err == io.ErrUnexpectedEOF {
				failed++
			}
		}
		parts := []workloads.Op{w}
		if c.config.Split {
			parts = []workloads.Op{w, w}
			parts[0].Len, parts[1].Len, parts[1].Off = 16*kib, 16*kib, w.Off+16*kib
		}
		if !slices.Equal(hook.filled, parts) {
			t.Errorf("%s: filled %+v, want %+v", c.name, hook.filled, parts)
		}
		if len(hook.checked) != len(parts) || hook.checked[0].At != r.At || hook.checked[0].Job != r.Job || failed != 1 {
			t.Errorf("%s: checked %+v, %d operations failed", c.name, hook.checked, failed)
		}
	}
}

// Parts that never went down are dropped by Close, and it says so.
func TestCloseSaysWhatWasDropped(t *testing.T) {
	for _, tt := range []struct {
		config Config
		want   string
	}{
		{Config{Delete: true, DeleteChunkBytes: mib}, "delete chunk layer: 3 operations"},
		{Config{Split: true, MaxTransferBytes: 4096, Bioq: true, LowerDepth: 2}, "bioq layer"},
	} {
		f := &fake{}
		q := open(t, f, tt.config, runners.Options{Depth: 8})
		submit(t, q, del(0, 8*mib), del(100*mib, 8*mib), del(200*mib, 8*mib), read(500*mib, kib))
		if err := q.Close(); err == nil || !strings.Contains(err.Error(), tt.want) || !f.closed {
			t.Errorf("close: %v, want %q", err, tt.want)
		}
	}
}

func TestNoAllocationPerOperation(t *testing.T) {
	for _, c := range configs {
		f := &fake{quiet: true}
		q := open(t, f, c.config, runners.Options{Depth: 8})
		ops := []workloads.Op{del(0, mib), read(mib, 256*kib), write(4*mib, 128*kib), flush(), read(2*mib, kib)}
		dst := make([]runners.Completion, 8)
		allocs := testing.AllocsPerRun(200, func() {
			n, err1 := q.Submit(ops)
			k, err2 := q.Reap(dst, n, 0)
			if n != len(ops) || k != n || err1 != nil || err2 != nil {
				t.Fatal(n, k, err1, err2)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations for %d operations", c.name, allocs, len(ops))
		}
	}
}
