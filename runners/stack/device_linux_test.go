package stack

import (
	"context"
	"testing"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// The same operations on a real block device.
func TestSameBytesOnADevice(t *testing.T) {
	sameBytes(t, func(t *testing.T) (runners.Target, string) { return loopDevice(t, patternBytes) })
}

// Chunks reach the device as asked, one at a time.
func TestDeleteChunksOnADevice(t *testing.T) {
	tests := []struct {
		name            string
		chunk, requests int64
	}{
		{"4 MiB chunks", 4 * mib, 64},
		{"64 MiB chunks", 64 * mib, 4},
		{"whole", 0, 1},
	}
	for _, e := range engines(t) {
		for _, tt := range tests {
			t.Run(e.Name()+" "+tt.name, func(t *testing.T) {
				target, _ := loopDevice(t, 256*mib)
				w := &watched{Engine: e}
				q, err := Wrap(w, Config{Delete: true, DeleteChunkBytes: tt.chunk}).Open(t.Context(), target, runners.Options{Depth: 4, MaxLen: 4096})
				if err != nil {
					t.Fatal(err)
				}
				defer q.Close()
				n0, b0 := deletes(t, target)
				submit(t, q, del(0, 256*mib))
				if c := reap(t, q, 1)[0]; c.Err != nil || c.N != 256*mib {
					t.Fatalf("delete: %+v", c)
				}
				n1, b1 := deletes(t, target)
				if n1-n0 != tt.requests || b1-b0 != 256*mib {
					t.Errorf("the kernel counted %d deletes of %d bytes, want %d of %d", n1-n0, b1-b0, tt.requests, 256*mib)
				}
				if w.peak != 1 {
					t.Errorf("%d chunks of one delete at the device at once, want 1", w.peak)
				}
			})
		}
	}
}

// watched is an engine whose queue notes how many operations it held at once.
type watched struct {
	runners.Engine
	held, peak int
}

type watchedQueue struct {
	runners.Queue
	w *watched
}

func (w *watched) Open(ctx context.Context, t runners.Target, o runners.Options) (runners.Queue, error) {
	q, err := w.Engine.Open(ctx, t, o)
	return watchedQueue{q, w}, err
}

func (q watchedQueue) Submit(ops []workloads.Op) (int, error) {
	n, err := q.Queue.Submit(ops)
	q.w.held += n
	q.w.peak = max(q.w.peak, q.w.held)
	return n, err
}

func (q watchedQueue) Reap(dst []runners.Completion, min int, until time.Duration) (int, error) {
	n, err := q.Queue.Reap(dst, min, until)
	q.w.held -= n
	return n, err
}
