package content

import (
	"fmt"
	"io"

	"github.com/iosweep/iosweep/workloads"
)

// Options describes the stamped part of a target.
type Options struct {
	// Device is the target's identity (serial or WWN), the same for whoever
	// verifies later.
	Device string
	// Seed is the trial's. It also tells this run's stamps from older ones.
	Seed uint64
	// Offset and Length are the region in bytes; BlockBytes is the granule of
	// its operations (workloads.Spec.Granule), a multiple of 512. Four bytes of
	// memory are kept for each block.
	Offset, Length, BlockBytes int64
	// Data is the content beneath the stamps; it cannot be deduplicated.
	Data workloads.Data
	// Journal, if not nil, is told of every write that is done, so that the
	// target can be verified after a crash; the last of them, up to 127, may be
	// missing then, which makes the verification lenient about these blocks and
	// never wrong. It must append durably, on another device. A record takes 32
	// bytes.
	Journal io.Writer
}

// maxBlocks bounds the table at 4 GiB of memory.
const maxBlocks = 1 << 30

func (o Options) check() error {
	switch {
	case o.BlockBytes < sector || o.BlockBytes%sector != 0:
		return fmt.Errorf("stamp blocks of %d bytes: give a multiple of %d", o.BlockBytes, sector)
	case o.Offset < 0 || o.Offset%sector != 0 || o.Length <= 0 || o.Length%sector != 0:
		return fmt.Errorf("stamp region at %d of %d bytes: give a multiple of %d, not empty", o.Offset, o.Length, sector)
	case o.Length/o.BlockBytes > maxBlocks:
		return fmt.Errorf("stamp region of %d bytes in blocks of %d: more than %d blocks; use larger transfers or a smaller region", o.Length, o.BlockBytes, maxBlocks)
	case o.Length < o.BlockBytes:
		return fmt.Errorf("stamp region of %d bytes: smaller than a block of %d", o.Length, o.BlockBytes)
	case o.Data.DedupRatio > 1:
		return fmt.Errorf("stamp content with a dedup ratio of %v: stamped blocks are all unique; leave the ratio out", o.Data.DedupRatio)
	}
	return nil
}

// The table's entry for a block: its last issued generation and two flags.
const (
	busy       = 1 << 31 // an operation on it is outstanding
	unknown    = 1 << 30 // it may hold anything: deleted, or a write failed
	generation = unknown - 1
)

// Stamps stamps the writes of one job and checks its reads. It belongs to the
// goroutine that drives the job, and sees all writes to its region. Reads are
// judged exactly only if none overlaps an unfinished write: see Guard.
type Stamps struct {
	id      identity
	pattern *Pattern
	offset  int64
	block   int64
	table   []uint32
	journal *journal
	// reserved is the generation up to which the journal expects any block.
	reserved uint32
	err      error
}

// NewStamps returns stamps for a region of which nothing is known.
func NewStamps(o Options) (*Stamps, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Stamps{
		id:      newIdentity(o.Device, o.Seed),
		pattern: NewPattern(o.Data, o.Seed),
		offset:  o.Offset, block: o.BlockBytes,
		table: make([]uint32, o.Length/o.BlockBytes),
	}
	if o.Journal != nil {
		s.journal = newJournal(o.Journal)
		s.fail(s.journal.begin(o, s.id))
	}
	return s, s.err
}

// Fill makes the next generation of each block of a write.
func (s *Stamps) Fill(op workloads.Op, buf []byte) {
	first, n, ok := s.blocks(op)
	if !ok {
		s.fail(fmt.Errorf("stamp write of %d bytes at %d: not on blocks of %d bytes of the stamped region", op.Len, op.Off, s.block))
		return
	}
	for i := first; i < first+n; i++ {
		next := s.table[i]&generation + 1
		if next == generation {
			s.fail(fmt.Errorf("stamp block %d: written %d times: begin a new run", i, next))
		}
		s.table[i] = s.table[i]&busy | next
		s.reserve(next)
		off := s.offset + i*s.block
		part := buf[(i-first)*s.block:][:s.block]
		s.pattern.fill(off, next, part)
		s.id.stamp(off, next, part)
	}
}

// reservation is how many generations the journal is told of at once. It must
// know of a write before the target does; to tell it of each would cost a write
// to stable storage for each.
const reservation = 1 << 16

// reserve tells the journal that any block may be written in that generation.
func (s *Stamps) reserve(next uint32) {
	if s.journal == nil || next <= s.reserved {
		return
	}
	s.reserved = min(next+reservation, generation)
	s.fail(s.journal.add(record{intent, s.reserved, 0, int64(len(s.table))}))
	s.fail(s.journal.flush())
}

// Check returns the first fault of a read, as a *Fault.
func (s *Stamps) Check(op workloads.Op, buf []byte) error {
	first, n, ok := s.blocks(op)
	if !ok {
		return fmt.Errorf("verify read of %d bytes at %d: not on blocks of %d bytes of the stamped region", op.Len, op.Off, s.block)
	}
	for i := first; i < first+n; i++ {
		if s.table[i]&unknown != 0 {
			continue
		}
		want := s.table[i] & generation
		part := buf[(i-first)*s.block:][:s.block]
		if fault := s.id.inspect(s.offset+i*s.block, part, bounds{want, want}); fault != nil {
			return fault
		}
	}
	return nil
}

// Done must be told of every completion where there is a journal or where the
// job goes on after a failed write. What a failed write, or any delete, leaves
// is unknown until the next write.
func (s *Stamps) Done(op workloads.Op, err error) {
	first, n, ok := s.blocks(op)
	switch {
	case !ok || op.Kind == workloads.Read:
	case op.Kind == workloads.Write && err == nil:
		s.record(acknowledged, first, n)
	case op.Kind == workloads.Write:
		s.doom(first, n)
	default:
		s.forget(first, n)
	}
}

// doom forgets blocks, and sees to it that the journal says so from now on:
// otherwise what becomes of them would look like a loss.
func (s *Stamps) doom(first, n int64) {
	s.forget(first, n)
	if s.journal != nil {
		s.fail(s.journal.flush())
	}
}

func (s *Stamps) forget(first, n int64) {
	for i := first; i < first+n; i++ {
		s.table[i] |= unknown
	}
	s.record(forgotten, first, n)
}

// Flush writes the acknowledgements that the journal still holds back and
// returns the first error that Fill, Done or Flush met.
func (s *Stamps) Flush() error {
	if s.journal != nil {
		s.fail(s.journal.flush())
	}
	return s.err
}

func (s *Stamps) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// blocks returns an operation's blocks.
func (s *Stamps) blocks(op workloads.Op) (first, n int64, ok bool) {
	rel := op.Off - s.offset
	first, n = rel/s.block, op.Len/s.block
	ok = rel >= 0 && rel%s.block == 0 && op.Len > 0 && op.Len%s.block == 0 && n <= int64(len(s.table))-first
	return first, n, ok
}

// record notes an event of blocks in the journal, one record for each run of
// equal generations.
func (s *Stamps) record(e event, first, n int64) {
	if s.journal == nil {
		return
	}
	for end := first + n; first < end; {
		g, run := s.table[first]&generation, first+1
		for run < end && s.table[run]&generation == g {
			run++
		}
		s.fail(s.journal.add(record{e, g, first, run - first}))
		first = run
	}
}
