package content

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Ledger is what a journal says that a target must hold.
type Ledger struct {
	// Offset, Length and BlockBytes are the stamped region, in bytes.
	Offset, Length, BlockBytes int64
	// Torn says that the journal ends within a record, as after a crash.
	Torn bool

	id     identity
	bounds []bounds
}

// ReadJournal replays a journal. A torn end is forgiven; other damage wraps
// ErrCorrupt, and so does a region that a target of sizeBytes does not have.
// Eight bytes of memory are kept for each block of the region.
func ReadJournal(r io.Reader, sizeBytes int64) (*Ledger, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	l, err := readHeader(in, sizeBytes)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, recordSize)
	for at := int64(headerSize); ; at += recordSize {
		_, err := io.ReadFull(in, buf)
		switch {
		case err == io.EOF:
			return l, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			l.Torn = true
			return l, nil
		case err != nil:
			return nil, fmt.Errorf("read stamp journal at byte %d: %w", at, err)
		}
		rec, ok := decodeRecord(buf, l.id.table)
		if _, last := in.Peek(1); !ok && last == io.EOF {
			l.Torn = true
			return l, nil
		}
		if !ok || !l.apply(rec) {
			return nil, fmt.Errorf("read stamp journal: record at byte %d: %w", at, ErrCorrupt)
		}
	}
}

func readHeader(in io.Reader, sizeBytes int64) (*Ledger, error) {
	h := make([]byte, headerSize)
	if _, err := io.ReadFull(in, h); err != nil {
		return nil, fmt.Errorf("read stamp journal: no whole header: %w", ErrCorrupt)
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	if string(h[:16]) != title || binary.LittleEndian.Uint32(h[56:]) != crc32.Checksum(h[:56], table) {
		return nil, fmt.Errorf("read stamp journal: no journal of this version: %w", ErrCorrupt)
	}
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint64(h[at:])) }
	l := &Ledger{
		Offset: number(32), Length: number(40), BlockBytes: number(48),
		id: identity{binary.LittleEndian.Uint64(h[16:]), binary.LittleEndian.Uint32(h[24:]), table},
	}
	o := Options{Offset: l.Offset, Length: l.Length, BlockBytes: l.BlockBytes}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("read stamp journal: %w: %w", ErrCorrupt, err)
	}
	if l.Offset > sizeBytes || l.Length > sizeBytes-l.Offset {
		return nil, fmt.Errorf("read stamp journal: region at %d of %d bytes is beyond the target's %d: is it the target that was written? %w",
			l.Offset, l.Length, sizeBytes, ErrCorrupt)
	}
	l.bounds = make([]bounds, l.Length/l.BlockBytes)
	return l, nil
}

// apply replays a record; false: it makes no sense.
func (l *Ledger) apply(r record) bool {
	blocks := int64(len(l.bounds))
	if r.first < 0 || r.n <= 0 || r.first > blocks || r.n > blocks-r.first || r.event < intent || r.event > forgotten {
		return false
	}
	for i := r.first; i < r.first+r.n; i++ {
		b := &l.bounds[i]
		switch r.event {
		case intent:
			b.most = r.generation
		case acknowledged:
			b.least = r.generation
		case forgotten:
			b.least = 0
		}
		if b.least > b.most {
			return false
		}
	}
	return true
}

// Of says whether the journal was kept for that device.
func (l *Ledger) Of(device string) bool { return newIdentity(device, 0).device == l.id.device }

// Verdict counts what Verify found.
type Verdict struct {
	// Blocks is how many were written for certain. The others of the region are
	// looked at too: for what was written elsewhere.
	Blocks int64
	// Faults counts them by kind.
	Faults [Ahead + 1]int64
}

// Sound says that there was no fault.
func (v Verdict) Sound() bool { return v.Faults == [Ahead + 1]int64{} }

// chunkBytes is how much Verify reads at once.
const chunkBytes = 1 << 20

// Verify reads every block of the region and tells report of each fault. A block
// may hold the last generation that was acknowledged or any later one, and a
// mixture of sectors only of these. An error is about reading.
func (l *Ledger) Verify(ctx context.Context, target io.ReaderAt, report func(*Fault)) (Verdict, error) {
	var v Verdict
	per := max(chunkBytes/l.BlockBytes, 1)
	buf := make([]byte, per*l.BlockBytes)
	for first := int64(0); first < int64(len(l.bounds)); first += per {
		part := l.bounds[first:min(first+per, int64(len(l.bounds)))]
		if !written(part) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return v, fmt.Errorf("verify stamps: %w", err)
		}
		off := l.Offset + first*l.BlockBytes
		chunk := buf[:int64(len(part))*l.BlockBytes]
		if n, err := target.ReadAt(chunk, off); n < len(chunk) {
			return v, fmt.Errorf("verify stamps: read %d bytes at %d: %w", len(chunk), off, err)
		}
		l.verifyChunk(&v, off, chunk, part, report)
	}
	return v, nil
}

func (l *Ledger) verifyChunk(v *Verdict, off int64, chunk []byte, part []bounds, report func(*Fault)) {
	for i, b := range part {
		if b.least > 0 {
			v.Blocks++
		}
		at := int64(i) * l.BlockBytes
		if fault := l.id.inspect(off+at, chunk[at:at+l.BlockBytes], b); fault != nil {
			v.Faults[fault.Kind]++
			report(fault)
		}
	}
}

func written(part []bounds) bool {
	for _, b := range part {
		if b.most > 0 {
			return true
		}
	}
	return false
}
