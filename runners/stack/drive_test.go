package stack

import (
	"testing"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// list is a stream of given operations.
type list struct{ ops []workloads.Op }

func (l *list) Next(op *workloads.Op) bool {
	if len(l.ops) == 0 {
		return false
	}
	*op, l.ops = l.ops[0], l.ops[1:]
	return true
}

// totals is an observer that adds up.
type totals struct {
	t     *testing.T
	ops   int
	bytes int64
	begun bool
	ended bool
	last  time.Duration
}

func (o *totals) Begin(time.Duration)                     { o.begun = true }
func (o *totals) End(time.Duration)                       { o.ended = true }
func (o *totals) Submitted([]workloads.Op, time.Duration) {}

func (o *totals) Completed(cs []runners.Completion, _ time.Duration) {
	for _, c := range cs {
		if c.Err != nil || c.Done < c.Issued || c.Issued < c.Op.At {
			o.t.Errorf("completion %+v", c)
		}
		o.ops++
		o.bytes += c.N
		o.last = max(o.last, c.Done)
	}
}

// The common loop drives the layers as it drives a device, on a virtual clock:
// two jobs share them, one of them paced.
func TestThroughDrive(t *testing.T) {
	for _, c := range configs {
		t.Run(c.name, func(t *testing.T) {
			q := open(t, &fake{}, c.config, runners.Options{Depth: 12})
			var closed, paced []workloads.Op
			for i := range int64(100) {
				closed = append(closed, write(i*mib, 32*kib))
				p := del(512*mib+i*mib, 128*kib)
				p.At = time.Duration(i+1) * 10 * time.Millisecond
				paced = append(paced, p)
			}
			o := &totals{t: t}
			sources := []runners.Source{{Stream: &list{closed}, Depth: 8}, {Stream: &list{paced}, Depth: 4}}
			if err := runners.Drive(t.Context(), q, sources, runners.Limits{}, o); err != nil {
				t.Fatal(err)
			}
			if o.ops != 200 || o.bytes != 100*160*kib || !o.begun || !o.ended || o.last < time.Second || o.last > 1100*time.Millisecond {
				t.Errorf("%d operations, %d bytes, the last done at %v", o.ops, o.bytes, o.last)
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a request costs in the layers, beside the device.
func BenchmarkLayers(b *testing.B) {
	for _, c := range configs {
		b.Run(c.name, func(b *testing.B) {
			f := &fake{quiet: true}
			q, err := Wrap(f, c.config).Open(b.Context(), runners.Target{SizeBytes: 1 << 30, BlockBytes: 512},
				runners.Options{Depth: 32, MaxLen: mib})
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]runners.Completion, 32)
			op := []workloads.Op{read(0, 4096)}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				op[0].Off = int64(i*7919%(1<<18)) * 4096
				if n, _ := q.Submit(op); n == 0 {
					q.Reap(dst, 1, 0)
				}
			}
		})
	}
}
