package uring

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
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
	even   bool // its gaps, rather than exponential
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
		gap := 1.0
		if !s.even {
			gap = s.r.ExpFloat64()
		}
		s.at += time.Duration(gap / s.rate * 1e9)
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
