package stack

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/portable"
	"github.com/iosweep/iosweep/runners/uring"
	"github.com/iosweep/iosweep/workloads"
)

// engines are those that work here; the log says why another does not.
func engines(t *testing.T) []runners.Engine {
	t.Helper()
	var es []runners.Engine
	for _, e := range []runners.Engine{portable.Engine{}, uring.Engine{}} {
		if err := e.Probe(); err != nil {
			t.Logf("without %s: %v", e.Name(), err)
			continue
		}
		es = append(es, e)
	}
	return es
}

// patternBytes is the size of the targets that the pattern below covers.
const patternBytes = 8 << 20

// place fills each 512-byte block with a pattern of its own and knows which
// blocks were deleted since.
type place struct{ deleted []bool }

func (p *place) content(off int64, buf []byte) {
	var seed [32]byte
	for i := 0; i < len(buf); i += 512 {
		block := (off + int64(i)) / 512
		if p.deleted[block] {
			clear(buf[i : i+512])
			continue
		}
		copy(seed[:], fmt.Sprint(block))
		rand.NewChaCha8(seed).Read(buf[i : i+512])
	}
}

func (p *place) Fill(op workloads.Op, buf []byte) { p.content(op.Off, buf) }

func (p *place) Check(op workloads.Op, buf []byte) error {
	want := make([]byte, len(buf))
	p.content(op.Off, want)
	if !bytes.Equal(buf, want) {
		return fmt.Errorf("%d bytes at %d are not what was written or deleted there", op.Len, op.Off)
	}
	return nil
}

// tiles covers the target once, in pieces of random sizes and order.
func tiles(kind workloads.Kind, r *rand.Rand) []workloads.Op {
	var ops []workloads.Op
	for off := int64(0); off < patternBytes; {
		n := min(4096*(1+r.Int64N(64)), patternBytes-off)
		ops = append(ops, workloads.Op{Kind: kind, Off: off, Len: n})
		off += n
	}
	r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	return ops
}

// pattern is what every queue is asked to do: write everything, delete a third,
// read everything back.
func pattern(p *place) [][]workloads.Op {
	r := rand.New(rand.NewPCG(1, 2))
	writes, reads := tiles(workloads.Write, r), tiles(workloads.Read, r)
	deletes := tiles(workloads.Delete, r)
	deletes = deletes[:len(deletes)/3]
	for _, d := range deletes {
		for b := d.Off / 512; b < (d.Off+d.Len)/512; b++ {
			p.deleted[b] = true
		}
	}
	return [][]workloads.Op{append(writes, flush()), deletes, append(reads, flush())}
}

// issue runs a phase through q and waits until all of it is done.
func issue(t *testing.T, q runners.Queue, ops []workloads.Op) {
	t.Helper()
	dst := make([]runners.Completion, 8)
	for outstanding := 0; len(ops) > 0 || outstanding > 0; {
		n, err := q.Submit(ops)
		if err != nil {
			t.Fatal(err)
		}
		ops, outstanding = ops[n:], outstanding+n
		k, err := q.Reap(dst, 1, 0)
		if err != nil || k == 0 {
			t.Fatalf("reaped %d with %d outstanding: %v", k, outstanding, err)
		}
		for _, c := range dst[:k] {
			if c.Err != nil || c.N != c.Op.Len || c.Done <= c.Issued {
				t.Fatalf("completion %+v", c)
			}
		}
		outstanding -= k
	}
}

// sameBytes runs the pattern through every engine, plain and under every
// layer, each on a fresh target, and compares what stands on them after.
func sameBytes(t *testing.T, fresh func(t *testing.T) (runners.Target, string)) {
	all := &place{deleted: make([]bool, patternBytes/512)}
	pattern(all)
	want := make([]byte, patternBytes)
	all.content(0, want)
	stacks := append([]struct {
		name   string
		config Config
	}{{"plain", Config{}}}, configs...)
	for _, e := range engines(t) {
		for _, c := range stacks {
			t.Run(e.Name()+" "+c.name, func(t *testing.T) {
				target, path := fresh(t)
				through(t, Wrap(e, c.config), target)
				got, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if sha256.Sum256(got) != sha256.Sum256(want) {
					t.Error("the target's content differs")
				}
			})
		}
	}
}

// through runs the pattern through one queue.
func through(t *testing.T, e runners.Engine, target runners.Target) {
	t.Helper()
	p := &place{deleted: make([]bool, patternBytes/512)}
	phases := pattern(&place{deleted: make([]bool, patternBytes/512)})
	q, err := e.Open(t.Context(), target, runners.Options{Depth: 16, MaxLen: 256 * kib, DeleteDepth: 4, Data: p})
	if err != nil {
		t.Fatal(err)
	}
	issue(t, q, phases[0])
	issue(t, q, phases[1])
	pattern(p) // from here on the deleted blocks are zeros
	issue(t, q, phases[2])
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

func TestSameBytesInAFile(t *testing.T) {
	sameBytes(t, func(t *testing.T) (runners.Target, string) {
		path := filepath.Join(t.TempDir(), "target")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		if err := file.Truncate(patternBytes); err != nil {
			t.Fatal(err)
		}
		return runners.Target{File: file, Name: path, SizeBytes: patternBytes, BlockBytes: 512, DeleteBytes: 4096, Writable: true}, path
	})
}
