package journal

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/internal/durable/durabletest"
)

const path = "state/x.journal"

func session() Session {
	return Session{BootID: "boot", Host: "host", Device: Device{ID: "serial", Name: "sdx", DevNum: "8:0"}}
}

func change(address, before, after string) Change {
	return Change{Tunable: address, Address: address, Before: before, After: after,
		Disturbed: []Saved{{Address: "sysfs:queue/other", Value: "<&>"}}}
}

// written returns a journal's text after two changes, one of them applied.
func written(t *testing.T) []byte {
	t.Helper()
	fs := durabletest.New()
	j, err := Start(fs, path, session())
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(j.Intend(change("a", "1", "2")), j.Applied("a", "3"), j.Intend(change("b", "x", "y")))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := fs.Text(path)
	return []byte(text)
}

func TestReplay(t *testing.T) {
	s, err := Replay(written(t), false)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Pending() || *s.Session != session() || len(s.Notes) != 0 || len(s.Entries) != 2 {
		t.Fatalf("state is %+v", s)
	}
	a, b := s.Entries[0], s.Entries[1]
	if !a.Applied || a.Observed != "3" || a.Disturbed[0].Value != "<&>" || b.Applied || b.Before != "x" {
		t.Errorf("entries are %+v, %+v", a, b)
	}
}

// A journal cut anywhere says what its whole lines say, and never fails.
func TestTorn(t *testing.T) {
	text := written(t)
	for n := range text {
		s, err := Replay(text[:n], false)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		whole := bytes.Count(text[:n], []byte("\n"))
		if n > 0 && text[n-1] != '\n' && text[n] == '\n' {
			whole++ // only the line break is missing
		}
		if s.seq != whole {
			t.Fatalf("cut at %d: %d records of %d", n, s.seq, whole)
		}
		if tornTail := n > 0 && text[n-1] != '\n'; tornTail != (len(s.Notes) > 0) {
			t.Fatalf("cut at %d: notes %q", n, s.Notes)
		}
	}
}

// No single flipped bit goes unnoticed, and none loses a durable record in
// silence.
func TestBitFlips(t *testing.T) {
	text := written(t)
	clean, err := Replay(text, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[i] ^= 1 << bit
			s, err := Replay(flipped, false)
			if err != nil {
				if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "line ") {
					t.Fatalf("byte %d bit %d: %v", i, bit, err)
				}
				continue
			}
			if len(s.Notes) == 0 || s.seq != clean.seq {
				t.Fatalf("byte %d bit %d: %d records and notes %q", i, bit, s.seq, s.Notes)
			}
		}
	}
}

func lines(text []byte) [][]byte {
	rows := bytes.SplitAfter(text, []byte("\n"))
	return rows[:len(rows)-1]
}

func TestDuplicateAndMissing(t *testing.T) {
	rows := lines(written(t))
	for i := range rows {
		twice := bytes.Join(slices.Insert(slices.Clone(rows), i, rows[i]), nil)
		s, err := Replay(twice, false)
		if err != nil || s.seq != len(rows) || len(s.Notes) == 0 {
			t.Errorf("line %d twice: %v", i+1, err)
		}
		if i == len(rows)-1 {
			continue // that is a shorter journal
		}
		missing := bytes.Join(slices.Delete(slices.Clone(rows), i, i+1), nil)
		if _, err := Replay(missing, false); !errors.Is(err, ErrCorrupt) {
			t.Errorf("line %d missing: %v", i+1, err)
		}
	}
}

func TestSalvageKeepsWhatIsWhole(t *testing.T) {
	rows := lines(written(t))
	rows[2] = []byte("{\"crc\":\"0\"}\n")
	text := bytes.Join(rows, nil)
	if _, err := Replay(text, false); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("without salvage: %v", err)
	}
	s, err := Replay(text, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Entries) != 2 || s.Entries[0].Applied || len(s.Notes) == 0 {
		t.Errorf("salvaged %+v", s)
	}
}

func TestOtherVersion(t *testing.T) {
	body := `{"version":2,"seq":1,"kind":"begin","colour":"blue"}`
	text := []byte(`{"crc":"` + checksum([]byte(body)) + `","record":` + body + "}\n")
	for _, salvage := range []bool{false, true} {
		if _, err := Replay(text, salvage); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "version 2") {
			t.Errorf("salvage %v: %v", salvage, err)
		}
	}
}

func TestWrongPlace(t *testing.T) {
	ok := Record{Version: 1, Seq: 1, Kind: Begin, Session: &Session{}}
	for _, records := range [][]Record{
		{{Version: 1, Seq: 1, Kind: Restoring}},
		{{Version: 1, Seq: 1, Kind: Begin}},
		{ok, {Version: 1, Seq: 2, Kind: Begin, Session: &Session{}}},
		{ok, {Version: 1, Seq: 2, Kind: Intend}},
		{ok, {Version: 1, Seq: 2, Kind: Applied, Address: "a"}},
		{ok, {Version: 1, Seq: 2, Kind: "dance"}},
		{ok, {Version: 1, Seq: 2, Kind: Clear}, {Version: 1, Seq: 3, Kind: Restoring}},
	} {
		var text []byte
		for _, r := range records {
			row, err := encode(r)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, row...)
		}
		if _, err := Replay(text, false); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%+v: %v", records, err)
		}
	}
}

// A torn journal is mended before more is written to it.
func TestContinueMends(t *testing.T) {
	fs := durabletest.New()
	fs.Put(path, string(written(t))+`{"crc":"12`)
	s, err := Read(fs, path, false)
	if err != nil {
		t.Fatal(err)
	}
	j, err := Continue(fs, path, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Restoring(), j.Restored("a", "1"), j.Close()); err != nil {
		t.Fatal(err)
	}
	fs.Crash(durabletest.Everything)
	s, err = Read(fs, path, false)
	if err != nil || len(s.Notes) != 0 || !s.Restoring || !s.Entries[0].Restored || s.Entries[1].Restored {
		t.Fatalf("after mending: %+v, %v", s, err)
	}
}

func TestClear(t *testing.T) {
	fs := durabletest.New()
	j, err := Start(fs, path, session())
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Clear(); err != nil {
		t.Fatal(err)
	}
	if _, ok := fs.Text(path); ok {
		t.Error("the file stayed")
	}
	s, err := Read(fs, path, false)
	if err != nil || s.Pending() {
		t.Errorf("after Clear: %+v, %v", s, err)
	}
}

// A full disk must be known before the knob is touched.
func TestFullDisk(t *testing.T) {
	fs := durabletest.New()
	j, err := Start(fs, path, session())
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	fs.Fault = func(op durabletest.Op) error {
		if op.Name == "write" {
			return full
		}
		return nil
	}
	if err := j.Intend(change("a", "1", "2")); !errors.Is(err, full) {
		t.Errorf("Intend = %v", err)
	}
	if err := j.Clear(); err != nil {
		t.Errorf("Clear = %v", err)
	}
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"crc":"0","record":{}}` + "\n"))
	f.Add([]byte("{}\n\n\x00\x00"))
	if seed, err := os.ReadFile("testdata/version1.journal"); err == nil {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Replay(text, false)
		if err != nil {
			return
		}
		again, err := Replay(s.good, false)
		if err != nil || again.seq != s.seq || len(again.Notes) != 0 {
			t.Fatalf("the mended journal reads %+v, %v", again, err)
		}
		if _, err := Replay(text, true); err != nil {
			t.Fatalf("salvage fails on what is whole: %v", err)
		}
	})
}

// A journal that version 1 wrote stays readable.
func TestStoredVersion1(t *testing.T) {
	text, err := os.ReadFile("testdata/version1.journal")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, written(t)) {
		t.Error("the records that are written have changed: give them a new version")
	}
}
