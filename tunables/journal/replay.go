package journal

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
)

// Errors that callers tell apart.
var (
	// ErrCorrupt: a line is not as it was written.
	ErrCorrupt = errors.New("journal is damaged")
	// ErrVersion: another version of iosweep wrote it.
	ErrVersion = errors.New("journal has version")
)

// maxJournal bounds what is read, in bytes. A journal of a run is a few KiB.
const maxJournal = 16 << 20

// State is what a journal says.
type State struct {
	// Session is nil when there is no journal.
	Session *Session
	// Entries are the changes, in the order in which they were made.
	Entries []Entry
	// Restoring says that restoring had begun.
	Restoring bool
	// Notes say in words what was wrong with the file and did not matter.
	Notes []string

	seq     int
	last    Record
	cleared bool
	// good holds the lines that count, for a file that must be mended.
	good   []byte
	damage bool
}

// Entry is one change and what became of it.
type Entry struct {
	Change
	// Applied says that the knob was written and read back as Observed.
	Applied  bool
	Observed string
	Restored bool
}

// Pending says that the journal holds changes that are not put back.
func (s *State) Pending() bool { return s.Session != nil && !s.cleared }

// Replay reads a journal's text. A torn last line is dropped with a note: its
// record was not durable, so the knob was not touched. Anything else that is
// wrong is an error that names the line. With salvage, damaged lines are
// dropped with a note instead; records of another version never are.
func Replay(text []byte, salvage bool) (*State, error) {
	if len(text) > maxJournal {
		return nil, fmt.Errorf("%w: %d bytes are more than any run writes", ErrCorrupt, len(text))
	}
	s := &State{}
	for n := 1; len(text) > 0; n++ {
		row, rest, whole := bytes.Cut(text, []byte("\n"))
		err := s.line(row, whole, salvage)
		if err != nil && (!salvage || errors.Is(err, ErrVersion)) {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if err != nil {
			s.note("line %d was left out: %v", n, err)
		}
		text = rest
	}
	return s, nil
}

func (s *State) note(format string, args ...any) {
	s.damage = true
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// line takes one line; whole says that it had its line break.
func (s *State) line(row []byte, whole, salvage bool) error {
	r, err := decode(row)
	if err != nil && !whole && !errors.Is(err, ErrVersion) {
		return s.tail(row, salvage)
	}
	if err != nil {
		return err
	}
	if !whole {
		s.note("the last line break was missing")
	}
	return s.take(r, salvage)
}

// tail judges a last line that is neither whole nor readable. Where only its
// line break was overwritten, the record is durable and counts.
func (s *State) tail(row []byte, salvage bool) error {
	if r, err := decode(row[:max(len(row)-1, 0)]); err == nil {
		s.note("the last line break was damaged")
		return s.take(r, salvage)
	}
	s.note("the last line was torn; what it announced was not done")
	return nil
}

func (s *State) take(r Record, salvage bool) error {
	if r.Seq == s.seq && reflect.DeepEqual(r, s.last) {
		s.note("record %d stood twice", r.Seq)
		return nil
	}
	if r.Seq != s.seq+1 && !(salvage && r.Seq > s.seq) {
		return fmt.Errorf("%w: record %d follows record %d", ErrCorrupt, r.Seq, s.seq)
	}
	if err := s.apply(r); err != nil {
		return err
	}
	s.seq, s.last = r.Seq, r
	again, err := encode(r)
	s.good = append(s.good, again...)
	return err
}

func (s *State) apply(r Record) error {
	if (r.Kind == Begin) != (s.Session == nil) || s.cleared {
		return fmt.Errorf("%w: a record %q stands in the wrong place", ErrCorrupt, r.Kind)
	}
	switch {
	case r.Kind == Begin && r.Session != nil:
		s.Session = r.Session
	case r.Kind == Intend && r.Change != nil:
		s.Entries = append(s.Entries, Entry{Change: *r.Change})
	case r.Kind == Restoring:
		s.Restoring = true
	case r.Kind == Clear:
		s.cleared = true
	case r.Kind == Applied || r.Kind == Restored:
		return s.advance(r)
	default:
		return fmt.Errorf("%w: a record %q is not complete, or of no known kind", ErrCorrupt, r.Kind)
	}
	return nil
}

// advance notes what became of the change that r names.
func (s *State) advance(r Record) error {
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Address != r.Address {
			continue
		}
		if r.Kind == Applied {
			e.Applied, e.Observed = true, r.Value
		} else {
			e.Restored = true
		}
		return nil
	}
	return fmt.Errorf("%w: a record %q names %s, which was never announced", ErrCorrupt, r.Kind, r.Address)
}
