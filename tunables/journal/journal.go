package journal

import (
	"errors"
	"fmt"
	"os"

	"github.com/iosweep/iosweep/internal/durable"
)

const perm = 0o600 // it may name commands that root will run

// Journal is an open journal. It is for one goroutine, and for one process: its
// owner holds a lock.
type Journal struct {
	fs   durable.FS
	path string
	log  *durable.Log
	seq  int
}

// Read says what the journal at path holds, and changes nothing. A file that
// is not there is an empty State.
func Read(fs durable.FS, path string, salvage bool) (*State, error) {
	text, err := durable.ReadFile(fs, path)
	if errors.Is(err, os.ErrNotExist) {
		return &State{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read journal %s: %w", path, err)
	}
	s, err := Replay(text, salvage)
	if err != nil {
		return nil, fmt.Errorf("read journal %s: %w", path, err)
	}
	return s, nil
}

// Start makes a new journal at path, where there must be none, or one that says
// nothing. Its first record is durable when Start returns.
func Start(fs durable.FS, path string, session Session) (*Journal, error) {
	if err := durable.Remove(fs, path); err != nil {
		return nil, fmt.Errorf("start journal %s: %w", path, err)
	}
	log, err := durable.OpenLog(fs, path, perm)
	if err != nil {
		return nil, fmt.Errorf("start journal %s: %w", path, err)
	}
	j := &Journal{fs: fs, path: path, log: log}
	if err := j.append(Record{Kind: Begin, Session: &session}); err != nil {
		return nil, errors.Join(err, log.Close(), durable.Remove(fs, path))
	}
	return j, nil
}

// Continue opens the journal at path, which s was read from, to write more to
// it. Damage that s had notes about is mended first.
func Continue(fs durable.FS, path string, s *State) (*Journal, error) {
	if s.damage {
		if err := durable.WriteFile(fs, path, s.good, perm); err != nil {
			return nil, fmt.Errorf("mend journal: %w", err)
		}
	}
	log, err := durable.OpenLog(fs, path, perm)
	if err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	return &Journal{fs: fs, path: path, log: log, seq: s.seq}, nil
}

// Intend announces a change. The knob must not be touched before it returns nil.
func (j *Journal) Intend(c Change) error {
	return j.append(Record{Kind: Intend, Change: &c})
}

// Applied notes what was read back after a change.
func (j *Journal) Applied(address, observed string) error {
	return j.append(Record{Kind: Applied, Address: address, Value: observed})
}

// Restoring notes that the knobs were found as they were left, and that they
// are being put back from now on.
func (j *Journal) Restoring() error { return j.append(Record{Kind: Restoring}) }

// Restored notes that a knob has its old value, and what was read back.
func (j *Journal) Restored(address, observed string) error {
	return j.append(Record{Kind: Restored, Address: address, Value: observed})
}

// Clear ends the journal and removes its file. The record before that serves a
// reader who finds the file after all; without space for it, removal is enough.
func (j *Journal) Clear() error {
	_ = j.append(Record{Kind: Clear})
	closed := j.log.Close() // first, as Windows removes no file that is open
	if errors.Is(closed, os.ErrClosed) {
		closed = nil // an earlier Clear got this far
	}
	if err := errors.Join(closed, durable.Remove(j.fs, j.path)); err != nil {
		return fmt.Errorf("clear journal %s: %w", j.path, err)
	}
	return nil
}

// Close closes the file and leaves it where it is.
func (j *Journal) Close() error { return j.log.Close() }

func (j *Journal) append(r Record) error {
	r.Version, r.Seq = Version, j.seq+1
	text, err := encode(r)
	if err != nil {
		return err
	}
	if err := j.log.Append(text); err != nil {
		return fmt.Errorf("journal %s: %w", r.Kind, err)
	}
	j.seq = r.Seq
	return nil
}
