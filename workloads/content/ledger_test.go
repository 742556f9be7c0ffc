package content

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/workloads"
)

func TestTornEndIsForgiven(t *testing.T) {
	d := newDisk(t, 7)
	d.write(1, 1)
	d.write(2, 1)
	d.issue(3, 1)
	whole := bytes.Clone(d.journal.Bytes())
	for cut := 1; cut < recordSize; cut++ {
		l, err := ReadJournal(bytes.NewReader(whole[:len(whole)-cut]), int64(len(d.data)))
		if err != nil || !l.Torn {
			t.Fatalf("%d bytes cut: %v", cut, err)
		}
	}
	garbled := bytes.Clone(whole)
	garbled[len(garbled)-1] ^= 1
	if l, err := ReadJournal(bytes.NewReader(garbled), int64(len(d.data))); err != nil || !l.Torn {
		t.Errorf("last record garbled: %v", err)
	}
	if l := d.reopen(); l.Torn {
		t.Error("a whole journal is called torn")
	}
}

func TestDamagedJournalsAreRefused(t *testing.T) {
	d := newDisk(t, 7)
	d.write(1, 1)
	d.write(2, 1)
	if err := d.stamps.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		damage func(j []byte) []byte
		size   int64
		says   string
	}{
		{"empty", func(j []byte) []byte { return nil }, 1 << 20, "no whole header"},
		{"title", func(j []byte) []byte { j[0] ^= 1; return j }, 1 << 20, "no journal of this version"},
		{"header", func(j []byte) []byte { j[40] ^= 1; return j }, 1 << 20, "no journal of this version"},
		{"record in the middle", func(j []byte) []byte { j[headerSize+9] ^= 1; return j }, 1 << 20, "record at byte 64"},
		{"another target", func(j []byte) []byte { return j }, 4096, "is it the target that was written"},
	} {
		_, err := ReadJournal(bytes.NewReader(c.damage(bytes.Clone(d.journal.Bytes()))), c.size)
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.says)
		}
	}
}

func TestLedgerKnowsItsDevice(t *testing.T) {
	if l := newDisk(t, 7).reopen(); !l.Of("serial 1") || l.Of("serial 2") {
		t.Error("device is not told apart")
	}
}

// TestIntentsAreWrittenBeforeTheWrite looks at what the journal knows when a
// write is about to be issued: enough, and told once for many writes.
func TestIntentsAreWrittenBeforeTheWrite(t *testing.T) {
	d := newDisk(t, 7)
	before := d.journal.Len()
	d.issue(3, 4)
	d.issue(3, 4)
	if grown := d.journal.Len() - before; grown != recordSize {
		t.Errorf("journal grew by %d bytes at two writes, want one record", grown)
	}
	for range reservation {
		d.write(5, 1)
	}
	if v, faults := d.verify(); !v.Sound() || d.stamps.reserved <= reservation {
		t.Errorf("after %d writes of a block, %d reserved: %v", reservation, d.stamps.reserved, faults)
	}
}

// TestMisplacedOnWhatWasNeverWritten finds a write where none was to go.
func TestMisplacedOnWhatWasNeverWritten(t *testing.T) {
	d := newDisk(t, 7)
	d.write(5, 1)
	copy(d.at(40, 1), d.at(5, 1))
	if v, faults := d.verify(); v.Faults[Misplaced] != 1 || v.Blocks != 1 || faults[0].Off != 40*blockBytes {
		t.Errorf("verdict %+v, faults %v", v, faults)
	}
}

// failing is a journal device that fills up.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestJournalErrorsAreKept(t *testing.T) {
	o := Options{Device: "d", Length: 1 << 20, BlockBytes: 4096, Journal: &failing{10}}
	if _, err := NewStamps(o); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("no room for the header: %v", err)
	}
	o.Journal = &failing{100}
	s, err := NewStamps(o)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.Fill(opOn(workloads.Write, 1, 1), make([]byte, blockBytes))
		s.Done(opOn(workloads.Write, 1, 1), nil)
	}
	if err := s.Flush(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("no room for records: %v", err)
	}
}

func TestVerifyReportsReadErrors(t *testing.T) {
	d := newDisk(t, 7)
	d.write(63, 1)
	if _, err := d.reopen().Verify(t.Context(), bytes.NewReader(d.data[:1000]), nil); !errors.Is(err, io.EOF) {
		t.Errorf("target too short: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.reopen().Verify(ctx, bytes.NewReader(d.data), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// FuzzReadJournal checks that no input makes the replay panic or take more
// memory than the target's size allows.
func FuzzReadJournal(f *testing.F) {
	var b bytes.Buffer
	s, err := NewStamps(Options{Device: "d", Length: 1 << 18, BlockBytes: 4096, Journal: &b})
	if err != nil {
		f.Fatal(err)
	}
	for i := range int64(5) {
		s.Fill(opOn(workloads.Write, i, 2), make([]byte, 2*blockBytes))
		s.Done(opOn(workloads.Write, i, 2), nil)
	}
	s.Done(opOn(workloads.Delete, 2, 2), nil)
	if err := s.Flush(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:100])
	target := make([]byte, 1<<18)
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ReadJournal(bytes.NewReader(data), 1<<18)
		if err != nil {
			return
		}
		if l.Length > 1<<18 {
			t.Fatalf("region of %d bytes on a target of %d", l.Length, 1<<18)
		}
		if _, err := l.Verify(t.Context(), bytes.NewReader(target), func(*Fault) {}); err != nil {
			t.Fatal(err)
		}
	})
}
