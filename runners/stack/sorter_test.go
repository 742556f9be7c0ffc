package stack

import (
	"slices"
	"testing"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// sorted opens a bioq layer alone.
func sorted(t *testing.T, f *fake, batch, lower, depth int) *queue {
	t.Helper()
	return open(t, f, Config{Bioq: true, BioqBatch: batch, LowerDepth: lower}, runners.Options{Depth: depth})
}

// The first goes to the idle device at once; the others are sorted while it is
// busy.
func TestSorterOrder(t *testing.T) {
	barrier := write(15, 1)
	barrier.Barrier = true
	tests := []struct {
		name         string
		batch, lower int
		ops          []workloads.Op
		want         []int64
	}{
		{"one at a time", 0, 1, []workloads.Op{read(50, 1), read(10, 1), read(60, 1), read(55, 1)}, []int64{50, 55, 60, 10}},
		{"0 means one at a time", 0, 0, []workloads.Op{read(50, 1), read(10, 1), read(60, 1)}, []int64{50, 60, 10}},
		{"two at a time", 0, 2, []workloads.Op{read(50, 1), read(10, 1), read(60, 1), read(5, 1)}, []int64{50, 10, 60, 5}},
		{"batch limit", 1, 1, []workloads.Op{read(0, 1), read(90, 1), read(80, 1), read(70, 1), read(60, 1)}, []int64{0, 80, 90, 70, 60}},
		{"all kinds are sorted alike", 0, 1, []workloads.Op{read(0, 1), del(90, 1), write(80, 1)}, []int64{0, 80, 90}},
		{"ordered write", 0, 8, []workloads.Op{read(30, 1), barrier, read(20, 1), read(5, 1), read(16, 1)}, []int64{30, 15, 16, 20, 5}},
		{"flush stands at the end", 0, 1, []workloads.Op{read(30, 1), read(40, 1), flush(), read(20, 1), read(5, 1)}, []int64{30, 40, 0, 5, 20}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			q := sorted(t, f, tt.batch, tt.lower, 8)
			submit(t, q, tt.ops...)
			reap(t, q, len(tt.ops))
			if got := f.offsets(); !slices.Equal(got, tt.want) {
				t.Errorf("order %v, want %v", got, tt.want)
			}
			if f.peak > max(1, tt.lower) {
				t.Errorf("%d requests at the device, want at most %d", f.peak, tt.lower)
			}
		})
	}
}

// An ordered request goes down when everything before it is done, and alone.
// The limit's barriers do not make the device wait.
func TestOrderedRequestsGoDownAlone(t *testing.T) {
	barrier := write(15, 1)
	barrier.Barrier = true
	for _, ordered := range []workloads.Op{barrier, flush()} {
		f := &fake{}
		q := sorted(t, f, 0, 4, 16)
		submit(t, q, read(1, 1), read(2, 1), ordered, read(3, 1), read(4, 1))
		if len(f.held) != 2 {
			t.Errorf("%v: %d requests went down at first, want the 2 before it", ordered.Kind, len(f.held))
		}
		reap(t, q, 2)
		if len(f.held) != 1 || f.held[0].Op.Kind != ordered.Kind {
			t.Errorf("%v: at the device now: %v", ordered.Kind, f.held)
		}
		reap(t, q, 1)
		if len(f.held) != 2 {
			t.Errorf("%v: %d requests went down after it, want 2", ordered.Kind, len(f.held))
		}
		reap(t, q, 2)
	}
	f := &fake{}
	q := sorted(t, f, 1, 2, 16)
	submit(t, q, read(1, 1), read(2, 1), read(3, 1), read(4, 1), read(5, 1), read(6, 1))
	for range 6 {
		reap(t, q, 1)
	}
	if q.Layer().Barriers == 0 || f.now != 3e6 {
		t.Errorf("%d barriers, done at %v; want some and 3 ms", q.Layer().Barriers, f.now)
	}
}

// The starvation table through the whole layer: a sequential stream with two
// requests outstanding passes a far request for as long as the limit lets it.
func TestSorterStarvation(t *testing.T) {
	for _, tt := range []struct{ batch, want int }{{0, 0}, {1, 3}, {4, 5}, {8, 9}, {128, 129}} {
		f := &fake{}
		q := sorted(t, f, tt.batch, 1, 8)
		submit(t, q, read(2e8, 1)) // keeps the device busy while the others queue
		submit(t, q, read(0, 1), read(1, 1), read(1e8, 1))
		reap(t, q, 1)
		for next := int64(2); next < 402; next++ {
			submit(t, q, read(next, 1))
			reap(t, q, 1)
		}
		if got := slices.Index(f.offsets(), 1e8); max(0, got) != tt.want {
			t.Errorf("batch %d: the far request went down at %d, want %d (0: never)", tt.batch, got, tt.want)
		}
	}
}
