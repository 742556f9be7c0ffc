package sim

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/portable"
	"github.com/iosweep/iosweep/runners/stack"
	"github.com/iosweep/iosweep/workloads"
)

// TestSlow holds that a real file slowed as a disk serves sequential reads at
// the disk's pace, never faster, and moves every byte.
func TestSlow(t *testing.T) {
	const size = 64 << 20
	f, err := os.Create(filepath.Join(t.TempDir(), "target"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	m, err := Load("hdd-7200")
	if err != nil {
		t.Fatal(err)
	}
	target := runners.Target{File: f, Name: "file", SizeBytes: size, BlockBytes: 512, Writable: true}
	s := workloads.Spec{Name: "scrub", Sizes: []workloads.SizeShare{{Bytes: 128 << 10, Share: 1}}, Depth: 16}
	for _, layers := range []stack.Config{{}, {Bioq: true, BioqBatch: 8, LowerDepth: 1}} {
		e := stack.Wrap(Slow{Inner: portable.Engine{}, Model: m}, layers)
		q, err := e.Open(context.Background(), target, runners.Options{Depth: s.Depth, MaxLen: 128 << 10})
		if err != nil {
			t.Fatal(err)
		}
		stream, err := workloads.NewStream(s, workloads.Geometry{SizeBytes: size, BlockBytes: 512}, 1)
		if err != nil {
			t.Fatal(err)
		}
		r := runners.NewRecorder([]runners.JobInfo{{Name: s.Name, Depth: s.Depth, Interval: time.Second}})
		if err := runners.Drive(context.Background(), q, []runners.Source{{Stream: stream, Depth: s.Depth}}, runners.Limits{Ops: 256}, r); err != nil {
			t.Fatal(err)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		k := only(t, r.Results()[0], "read")
		begin, end := r.Window()
		if k.Ops != 256 || k.Bytes != 256*128<<10 {
			t.Errorf("%d operations and %d bytes, want 256 and %d", k.Ops, k.Bytes, 256*128<<10)
		}
		// 255 of the requests follow their predecessor: the model cannot do them
		// in less. How much longer the host takes is not this test's matter.
		if least := 255 * 705 * time.Microsecond; end-begin < least {
			t.Errorf("took %v, and the disk needs %v", end-begin, least)
		}
	}
}
