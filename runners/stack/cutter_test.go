package stack

import (
	"fmt"
	"maps"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

func TestDeleteChunks(t *testing.T) {
	tests := []struct {
		name  string
		chunk int64
		op    workloads.Op
		want  [][2]int64
	}{
		{"0 is one whole range", 0, del(0, 1<<30), [][2]int64{{0, 1 << 30}}},
		{"even", 4 * mib, del(mib, 8*mib), [][2]int64{{mib, 4 * mib}, {5 * mib, 4 * mib}}},
		{"remainder", 4 * mib, del(0, 9*mib), [][2]int64{{0, 4 * mib}, {4 * mib, 4 * mib}, {8 * mib, mib}}},
		{"exactly one", 4 * mib, del(0, 4*mib), [][2]int64{{0, 4 * mib}}},
		{"smaller than a chunk", 4 * mib, del(512, 1024), [][2]int64{{512, 1024}}},
		{"a cut chunk ends on the stripe", 8 * kib, del(512, 16*kib),
			[][2]int64{{512, 8*kib - 512}, {8 * kib, 8 * kib}, {16 * kib, 512}}},
		{"a chunk that reaches no boundary stays", 1 * kib, del(512, 2*kib), [][2]int64{{512, kib}, {1536, kib}}},
		{"a chunk shorter than a stripe stops on it", 3 * kib, del(2*kib, 4*kib),
			[][2]int64{{2 * kib, 2 * kib}, {4 * kib, 2 * kib}}},
		{"writes stay whole", 4 * kib, write(0, mib), [][2]int64{{0, mib}}},
		{"nothing is still one request", 4 * kib, del(0, 0), [][2]int64{{0, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			q := open(t, f, Config{Delete: true, DeleteChunkBytes: tt.chunk}, runners.Options{Depth: 4})
			submit(t, q, tt.op)
			if c := reap(t, q, 1)[0]; c.N != tt.op.Len || c.Err != nil || c.Op != tt.op {
				t.Errorf("completion %+v", c)
			}
			if got := f.spans(); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("requests %v, want %v", got, tt.want)
			}
		})
	}
}

// One parent's chunks never overlap; two parents' do.
func TestDeleteChunksRunOneAfterAnother(t *testing.T) {
	f := &fake{}
	q := open(t, f, Config{Delete: true, DeleteChunkBytes: mib}, runners.Options{Depth: 4})
	submit(t, q, del(0, 4*mib), del(100*mib, 3*mib), read(500*mib, kib))
	cs := reap(t, q, 3)
	for i, want := range []time.Duration{1, 3, 4} {
		if want *= time.Millisecond; cs[i].Done != want || cs[i].Issued != 0 {
			t.Errorf("completion %d: issued %v, done %v, want 0, %v", i, cs[i].Issued, cs[i].Done, want)
		}
	}
	last := map[bool]time.Duration{}
	for _, c := range f.log {
		if second := c.Op.Off >= 100*mib; c.Op.Kind == workloads.Delete {
			if c.Issued < last[second] {
				t.Errorf("chunk at %d went down at %v, before the last was done at %v", c.Op.Off, c.Issued, last[second])
			}
			last[second] = c.Done
		}
	}
	if f.peak != 3 {
		t.Errorf("%d requests at the device at once, want 3", f.peak)
	}
}

// A delete that fails has deleted a prefix, and says how long it is.
func TestDeleteStopsAtTheFirstError(t *testing.T) {
	tests := []struct {
		name string
		n    int64
		err  error
	}{
		{"error", 0, syscall.EIO},
		{"short", 4096, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{fail: func(op workloads.Op) (int64, error) {
				if op.Off == 2*mib {
					return tt.n, tt.err
				}
				return op.Len, nil
			}}
			q := open(t, f, Config{Delete: true, DeleteChunkBytes: mib}, runners.Options{Depth: 1})
			submit(t, q, del(0, 8*mib))
			c := reap(t, q, 1)[0]
			if c.N != 2*mib+tt.n || c.Err != tt.err || len(f.log) != 3 {
				t.Errorf("deleted %d with %v in %d requests, want %d, %v, 3", c.N, c.Err, len(f.log), 2*mib+tt.n, tt.err)
			}
			submit(t, q, del(100*mib, mib))
			if c := reap(t, q, 1)[0]; c.N != mib || c.Err != nil {
				t.Errorf("the next delete: %+v", c)
			}
		})
	}
}

func TestSplitting(t *testing.T) {
	tests := []struct {
		name string
		max  int64
		op   workloads.Op
		want [][2]int64
	}{
		{"0x11 breaks", 64 * kib, write(0, 128*kib), [][2]int64{{0, 64 * kib}, {64 * kib, 64 * kib}}},
		{"0x21 breaks", 128 * kib, write(0, 128*kib), [][2]int64{{0, 128 * kib}}},
		{"remainder", 64 * kib, read(512, 129*kib),
			[][2]int64{{512, 64 * kib}, {512 + 64*kib, 64 * kib}, {512 + 128*kib, kib}}},
		{"never below a page", 0, read(0, 8*kib), [][2]int64{{0, 4 * kib}, {4 * kib, 4 * kib}}},
		{"deletes stay whole", 64 * kib, del(0, mib), [][2]int64{{0, mib}}},
		{"flushes stay whole", 64 * kib, flush(), [][2]int64{{0, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			q := open(t, f, Config{Split: true, MaxTransferBytes: tt.max}, runners.Options{Depth: 4})
			submit(t, q, tt.op)
			if len(f.log) != len(tt.want) {
				t.Errorf("%d parts went down at once, want %d", len(f.log), len(tt.want))
			}
			if c := reap(t, q, 1)[0]; c.N != tt.op.Len || c.Err != nil || c.Op != tt.op {
				t.Errorf("completion %+v", c)
			}
			if got := f.spans(); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("requests %v, want %v", got, tt.want)
			}
		})
	}
}

// A split operation is done when its last part is, and fails as the first part
// that failed.
func TestSplitCompletion(t *testing.T) {
	f := &fake{
		cost: func(op workloads.Op) time.Duration { return time.Duration(10-op.Off/(64*kib)) * time.Millisecond },
		fail: func(op workloads.Op) (int64, error) {
			switch op.Off / (64 * kib) {
			case 1:
				return 512, syscall.EIO
			case 2: // is back sooner
				return 0, syscall.ENOSPC
			}
			return op.Len, nil
		},
	}
	q := open(t, f, Config{Split: true, MaxTransferBytes: 64 * kib}, runners.Options{Depth: 1})
	submit(t, q, write(0, 256*kib))
	c := reap(t, q, 1)[0]
	if c.Done != 10*time.Millisecond || c.Err != syscall.ENOSPC || c.N != 128*kib+512 {
		t.Errorf("done %v, error %v, %d bytes; want 10ms, ENOSPC, %d", c.Done, c.Err, c.N, 128*kib+512)
	}
}

// Parts wait for room below without overtaking each other.
func TestPartsGoDownAsRoomAllows(t *testing.T) {
	for _, most := range []int{0, 1, 3} {
		f := &fake{most: most}
		q := open(t, f, Config{Delete: true, Split: true, MaxTransferBytes: 4096},
			runners.Options{Depth: 8, MaxLen: mib})
		if f.options.Depth != maxDeviceDepth || f.options.MaxLen != 4096 || f.options.DeleteDepth != 8 {
			t.Fatalf("options below: %+v", f.options)
		}
		var ops []workloads.Op
		for i := range int64(8) {
			ops = append(ops, read(i*mib, mib))
		}
		submit(t, q, ops...)
		if f.peak != maxDeviceDepth {
			t.Errorf("%d parts below, want %d", f.peak, maxDeviceDepth)
		}
		reap(t, q, 8)
		for i, off := range f.offsets() {
			if off != int64(i)*4096 {
				t.Fatalf("most %d: part %d is at %d", most, i, off)
			}
		}
	}
}

// What the layers count is what went to the device.
func TestLayerCounts(t *testing.T) {
	f := &fake{}
	q := open(t, f, Config{Delete: true, DeleteChunkBytes: 4 * mib, Split: true, MaxTransferBytes: 64 * kib, Bioq: true},
		runners.Options{Depth: 8})
	submit(t, q, del(0, 256*mib), write(300*mib, 160*kib), read(301*mib, 512), flush())
	reap(t, q, 4)
	l := q.Layer()
	if l.Delete.Requests != 64 || l.Delete.Bytes != 256*mib || !maps.Equal(l.Delete.Sizes, map[int64]int64{4 * mib: 64}) {
		t.Errorf("deletes %+v", l.Delete)
	}
	if l.Write.Requests != 3 || l.Write.Bytes != 160*kib || !maps.Equal(l.Write.Sizes, map[int64]int64{64 * kib: 2, 32 * kib: 1}) {
		t.Errorf("writes %+v", l.Write)
	}
	if l.Read.Requests != 1 || l.Read.Bytes != 512 || l.Sorted != 68 || l.Barriers != 0 {
		t.Errorf("reads %+v, sorted %d, barriers %d", l.Read, l.Sorted, l.Barriers)
	}
	if n := l.DeleteService.Count(); n != 64 {
		t.Errorf("%d chunks were timed, want 64", n)
	}
	l.Read.Sizes[512] = 99
	again := q.Layer()
	if again.Read.Sizes[512] != 1 {
		t.Error("a reading is not a copy")
	}
	if again.DeleteService != nil {
		t.Error("chunks are timed twice")
	}
}
