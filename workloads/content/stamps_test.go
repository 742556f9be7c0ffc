package content

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

const blockBytes = 4096

// disk is a target in memory with one stamped job, and a journal.
type disk struct {
	t       *testing.T
	data    []byte
	stamps  *Stamps
	journal *bytes.Buffer
}

func newDisk(t *testing.T, seed uint64) *disk {
	d := &disk{t: t, data: make([]byte, 64*blockBytes), journal: &bytes.Buffer{}}
	d.begin(seed)
	return d
}

// begin starts another run on the same data.
func (d *disk) begin(seed uint64) {
	d.t.Helper()
	d.journal.Reset()
	var err error
	d.stamps, err = NewStamps(Options{
		Device: "serial 1", Seed: seed, Length: int64(len(d.data)), BlockBytes: blockBytes, Journal: d.journal,
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func opOn(kind workloads.Kind, block, n int64) workloads.Op {
	return workloads.Op{Kind: kind, Off: block * blockBytes, Len: n * blockBytes}
}

// issue makes a write's content without storing it.
func (d *disk) issue(block, n int64) []byte {
	buf := make([]byte, n*blockBytes)
	d.stamps.Fill(opOn(workloads.Write, block, n), buf)
	return buf
}

func (d *disk) done(block, n int64) { d.stamps.Done(opOn(workloads.Write, block, n), nil) }

func (d *disk) write(block, n int64) {
	copy(d.at(block, n), d.issue(block, n))
	d.done(block, n)
}

func (d *disk) at(block, n int64) []byte { return d.data[block*blockBytes:][:n*blockBytes] }

func (d *disk) read(block, n int64) error {
	return d.stamps.Check(opOn(workloads.Read, block, n), d.at(block, n))
}

// reopen replays the journal, as after a crash.
func (d *disk) reopen() *Ledger {
	d.t.Helper()
	l, err := ReadJournal(bytes.NewReader(d.journal.Bytes()), int64(len(d.data)))
	if err != nil {
		d.t.Fatal(err)
	}
	return l
}

func (d *disk) verify() (Verdict, []*Fault) {
	d.t.Helper()
	if err := d.stamps.Flush(); err != nil {
		d.t.Fatal(err)
	}
	var faults []*Fault
	v, err := d.reopen().Verify(d.t.Context(), bytes.NewReader(d.data), func(f *Fault) { faults = append(faults, f) })
	if err != nil {
		d.t.Fatal(err)
	}
	return v, faults
}

// Each kind of fault is injected once, and must be found by a read in the run
// and by a verification from the journal, at the right block, and nowhere else.
func TestFaultsAreFound(t *testing.T) {
	for _, c := range []struct {
		name   string
		inject func(d *disk)
		kind   Kind
		says   string
	}{
		{"first write lost", func(d *disk) { d.issue(5, 1); d.done(5, 1) }, Lost, "lost: sector 20480 holds generation 0, not 1"},
		{"content of an older run", func(d *disk) {
			d.write(5, 1)
			d.begin(99)
			d.issue(5, 1)
			d.done(5, 1)
		}, Lost, "holds generation 0, not 1"},
		{"block zeroed", func(d *disk) { d.write(5, 1); clear(d.at(5, 1)) }, Lost, "generation 0"},
		{"overwrite lost", func(d *disk) { d.write(5, 1); d.issue(5, 1); d.done(5, 1) }, Stale, "stale: sector 20480 holds generation 1, not 2"},
		{"old content comes back", func(d *disk) {
			d.write(5, 1)
			old := bytes.Clone(d.at(5, 1))
			d.write(5, 1)
			d.write(5, 1)
			copy(d.at(5, 1), old)
		}, Stale, "generation 1, not 3"},
		{"half of an overwrite", func(d *disk) {
			d.write(5, 1)
			copy(d.at(5, 1)[:2048], d.issue(5, 1))
			d.done(5, 1)
		}, Torn, "torn: sector 22528 holds generation 1, not 2"},
		{"half of a first write", func(d *disk) { copy(d.at(5, 1)[2048:], d.issue(5, 1)[2048:]); d.done(5, 1) }, Torn, "sector 20480 holds generation 0"},
		{"two old generations", func(d *disk) {
			d.write(5, 1)
			old := bytes.Clone(d.at(5, 1))
			d.write(5, 1)
			copy(d.at(5, 1), old[:512])
			d.issue(5, 1)
			d.done(5, 1)
		}, Torn, "generation 1, not 3"},
		{"written to another address", func(d *disk) {
			d.write(5, 1)
			copy(d.at(5, 1), d.issue(9, 1))
			copy(d.at(9, 1), d.issue(9, 1))
		}, Misplaced, "sector 20480 was written for byte 36864"},
		{"written to another device", func(d *disk) {
			d.write(5, 1)
			other := newIdentity("serial 2", 7)
			other.stamp(5*blockBytes, 1, d.at(5, 1))
		}, Misplaced, "written to another device"},
		{"one bit flipped", func(d *disk) { d.write(5, 1); d.at(5, 1)[3000] ^= 4 }, Corrupt, "corrupt: checksum of sector 23040"},
		{"newer than ever written", func(d *disk) { d.write(5, 1); d.stamps.id.stamp(5*blockBytes, 7, d.at(5, 1)) }, Ahead, "generation 7, not 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDisk(t, 7)
			d.write(4, 1)
			d.write(6, 1)
			c.inject(d)
			var fault *Fault
			if err := d.read(5, 1); !errors.As(err, &fault) || fault.Kind != c.kind || fault.Off != 5*blockBytes {
				t.Fatalf("read finds %v, want %v", err, c.kind)
			}
			if !strings.Contains(fault.Error(), c.says) {
				t.Errorf("fault %q does not say %q", fault, c.says)
			}
			v, faults := d.verify()
			if c.kind == Ahead { // the journal allows for writes that it was not told of
				return
			}
			if len(faults) != 1 || v.Faults[c.kind] != 1 || v.Sound() {
				t.Fatalf("verification finds %v, want %v", faults, fault)
			}
			faults[0].Most = fault.Most
			if *faults[0] != *fault {
				t.Errorf("verification finds %+v, want %+v", faults[0], fault)
			}
		})
	}
}

func TestSoundDataPasses(t *testing.T) {
	d := newDisk(t, 7)
	for i := range int64(200) {
		block, n := i*37%60, 1+i%4
		d.write(block, n)
		if err := d.read(block, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.read(0, 64); err != nil {
		t.Error(err)
	}
	if v, faults := d.verify(); !v.Sound() || v.Blocks < 60 {
		t.Errorf("verdict %+v, faults %v", v, faults)
	}
}

func TestNeverWrittenBlocksPass(t *testing.T) {
	d := newDisk(t, 7)
	for i := range d.data {
		d.data[i] = byte(i * 31)
	}
	if err := d.read(0, 64); err != nil {
		t.Error(err)
	}
	if v, _ := d.verify(); v.Blocks != 0 {
		t.Errorf("%d blocks looked at, none was written", v.Blocks)
	}
}

// After a crash an unfinished write may be there, not, or in part; only what
// was acknowledged must be there.
func TestUnfinishedWriteAfterACrash(t *testing.T) {
	for _, upTo := range []int{0, 512, 2048, blockBytes} {
		d := newDisk(t, 7)
		d.write(5, 1)
		copy(d.at(5, 1)[:upTo], d.issue(5, 1))
		if v, faults := d.verify(); !v.Sound() {
			t.Errorf("%d bytes of an unacknowledged write: %v", upTo, faults)
		}
	}
	d := newDisk(t, 7)
	d.write(5, 1)
	d.issue(5, 1)
	clear(d.at(5, 1)[:512])
	if v, _ := d.verify(); v.Faults[Torn] != 1 {
		t.Errorf("the acknowledged content is partly gone, found %+v", v)
	}
}

func TestDeletedAndFailedBlocksAreUnknown(t *testing.T) {
	for name, end := range map[string]func(d *disk){
		"delete":       func(d *disk) { d.stamps.Done(opOn(workloads.Delete, 4, 4), nil) },
		"failed write": func(d *disk) { d.issue(5, 1); d.stamps.Done(opOn(workloads.Write, 5, 1), io.ErrUnexpectedEOF) },
	} {
		d := newDisk(t, 7)
		d.write(4, 4)
		end(d)
		clear(d.at(5, 1))
		if err := d.read(5, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if v, faults := d.verify(); !v.Sound() {
			t.Errorf("%s: %v", name, faults)
		}
		d.write(5, 1)
		clear(d.at(5, 1))
		if err := d.read(5, 1); err == nil {
			t.Errorf("%s: a write after it is not checked", name)
		}
	}
}

func TestMisalignedOperationsAreRefused(t *testing.T) {
	d := newDisk(t, 7)
	op := workloads.Op{Kind: workloads.Read, Off: 512, Len: blockBytes}
	if err := d.stamps.Check(op, make([]byte, blockBytes)); err == nil {
		t.Error("a read between blocks passes")
	}
	d.stamps.Fill(op, make([]byte, blockBytes))
	if err := d.stamps.Flush(); err == nil || !strings.Contains(err.Error(), "not on blocks") {
		t.Errorf("a write between blocks: %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	ok := Options{Device: "d", Length: 1 << 20, BlockBytes: 4096}
	for says, change := range map[string]func(*Options){
		"stamp blocks of 100 bytes": func(o *Options) { o.BlockBytes = 100 },
		"stamp blocks of 0 bytes":   func(o *Options) { o.BlockBytes = 0 },
		"not empty":                 func(o *Options) { o.Length = 0 },
		"stamp region at -512":      func(o *Options) { o.Offset = -512 },
		"smaller than a block":      func(o *Options) { o.Length = 512 },
		"smaller region":            func(o *Options) { o.Length = 1 << 50 },
		"all unique":                func(o *Options) { o.Data.DedupRatio = 2 },
	} {
		o := ok
		change(&o)
		if _, err := NewStamps(o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

func TestGuardKeepsOverlapsApart(t *testing.T) {
	d := newDisk(t, 7)
	inner, err := workloads.NewStream(workloads.Spec{
		Access: workloads.Access{Random: 1},
		Mix:    workloads.Mix{Read: 1, Write: 1},
		Sizes:  []workloads.SizeShare{{Bytes: blockBytes, Share: 1}, {Bytes: 4 * blockBytes, Share: 1}},
	}, workloads.Geometry{SizeBytes: int64(len(d.data)), BlockBytes: blockBytes}, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := d.stamps.Guard(inner)
	var flying []workloads.Op
	for i := range 2000 {
		var op workloads.Op
		if len(flying) < 20 && g.Next(&op) {
			for _, other := range flying {
				if op.Off < other.Off+other.Len && other.Off < op.Off+op.Len {
					t.Fatalf("%+v overlaps %+v", op, other)
				}
			}
			flying = append(flying, op)
			continue
		}
		if len(flying) == 0 {
			t.Fatal("the stream has dried up")
		}
		g.(workloads.Feedback).Completed(flying[0], time.Duration(i))
		flying = flying[1:]
	}
}

func TestGuardLeavesFeedbackToTheInnerStream(t *testing.T) {
	d := newDisk(t, 7)
	inner, err := workloads.NewStream(workloads.Spec{Think: time.Second, Depth: 2, Region: workloads.Region{Length: blockBytes}},
		workloads.Geometry{SizeBytes: int64(len(d.data)), BlockBytes: blockBytes}, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := d.stamps.Guard(inner)
	var first, op workloads.Op
	if !g.Next(&first) || g.Next(&op) {
		t.Fatal("two operations on the only block at once")
	}
	g.(workloads.Feedback).Completed(first, time.Millisecond)
	if !g.Next(&op) || op.At <= time.Millisecond {
		t.Errorf("after the completion: %+v", op)
	}
}

// TestDeletesAreInTheJournalFirst loses all that happens after the delete is
// drawn, but for its effect.
func TestDeletesAreInTheJournalFirst(t *testing.T) {
	d := newDisk(t, 7)
	d.write(5, 1)
	if err := d.stamps.Flush(); err != nil {
		t.Fatal(err)
	}
	inner, err := workloads.NewStream(workloads.Spec{
		Mix: workloads.Mix{Delete: 1}, Region: workloads.Region{Offset: 5 * blockBytes, Length: blockBytes},
	}, workloads.Geometry{SizeBytes: int64(len(d.data)), BlockBytes: blockBytes}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var op workloads.Op
	if !d.stamps.Guard(inner).Next(&op) || op.Kind != workloads.Delete {
		t.Fatalf("no delete: %+v", op)
	}
	clear(d.at(5, 1))
	v, err := d.reopen().Verify(t.Context(), bytes.NewReader(d.data), func(f *Fault) { t.Error(f) })
	if err != nil || !v.Sound() {
		t.Errorf("%+v, %v", v, err)
	}
}
