package device

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/results"
)

func TestParseStat(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       results.Counters
		fails      bool
	}{
		{"17 fields", " 10 2 80 5 20 3 160 6 0 9 11 7 1 4096 3 4 8\n", results.Counters{
			Read:   results.CounterKind{Requests: 10, Merges: 2, Bytes: 80 * 512},
			Write:  results.CounterKind{Requests: 20, Merges: 3, Bytes: 160 * 512},
			Delete: results.CounterKind{Requests: 7, Merges: 1, Bytes: 4096 * 512},
			Flush:  results.CounterKind{Requests: 4},
		}, false},
		{"15 fields", "1 0 8 0 0 0 0 0 0 0 0 2 0 16 0", results.Counters{
			Read: results.CounterKind{Requests: 1, Bytes: 4096}, Delete: results.CounterKind{Requests: 2, Bytes: 8192},
		}, false},
		{"11 fields", "1 0 8 0 0 0 0 0 0 0 0", results.Counters{Read: results.CounterKind{Requests: 1, Bytes: 4096}}, false},
		{"empty", "", results.Counters{}, true},
		{"words", "1 0 x 0 0 0 0 0 0 0 0", results.Counters{}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseStat(tc.text)
			if (err != nil) != tc.fails {
				t.Fatalf("err = %v", err)
			}
			if !sameCounters(got, tc.want) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// An NVMe disk with several paths is counted on its paths where the kernel does
// not count on the disk, and on the disk where it does.
func TestMeterOfPaths(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"nvme1n1": "0 0 0 0 0 0 0 0 0 0 0", "nvme1c0n1": "1 0 8 0 2 0 16 0 0 0 0 1 0 8 0 1 0", "nvme1c3n1": "10 0 80 0 20 1 160 0 0 0 0 0 0 0 0 0 0",
		"nvme1c0n2": "99 0 99 0 0 0 0 0 0 0 0", "nvme2n1": "5 0 40 0 0 0 0 0 0 0 0", "nvme2c0n1": "7 0 56 0 0 0 0 0 0 0 0",
	} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name, "stat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := NewMeter(Info{SysDir: filepath.Join(root, "nvme1n1")}).Read()
	if err != nil || c.Read.Bytes != 88*512 || c.Write.Requests != 22 || c.Write.Merges != 1 || c.Delete.Requests != 1 || c.Flush.Requests != 1 {
		t.Errorf("%+v, %v; want the sum of both paths", c, err)
	}
	c, err = NewMeter(Info{SysDir: filepath.Join(root, "nvme2n1")}).Read()
	if err != nil || c.Read.Requests != 5 || c.Source != filepath.Join(root, "nvme2n1", "stat") {
		t.Errorf("%+v, %v; want the disk's own", c, err)
	}
}

func sameCounters(a, b results.Counters) bool {
	same := func(a, b results.CounterKind) bool {
		return a.Requests == b.Requests && a.Merges == b.Merges && a.Bytes == b.Bytes && maps.Equal(a.Sizes, b.Sizes)
	}
	return a.Source == b.Source && a.SpanSeconds == b.SpanSeconds &&
		same(a.Read, b.Read) && same(a.Write, b.Write) && same(a.Delete, b.Delete) && same(a.Flush, b.Flush)
}

func TestMeterReadsAndSubtracts(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := NewMeter(Info{SysDir: dir})
	write("1 1 8 0 2 2 16 0 0 0 0 3 3 24 0 4 0\n")
	before, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	write("11 3 88 0 22 5 176 0 0 0 0 33 7 264 0 44 0\n")
	after, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	d := Sub(after, before)
	if d.Read.Requests != 10 || d.Write.Merges != 3 || d.Delete.Bytes != 240*512 || d.Flush.Requests != 40 {
		t.Errorf("difference is %+v", d)
	}
	if d.SpanSeconds <= 0 || d.Source != filepath.Join(dir, "stat") {
		t.Errorf("span %v, source %q", d.SpanSeconds, d.Source)
	}
}

func TestMeterSaysWhyItCannot(t *testing.T) {
	if _, err := NewMeter(Info{Kind: kindFile, Path: "x"}).Read(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("file: err = %v", err)
	}
	dir := t.TempDir()
	for _, d := range []string{"queue", "mq"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "queue/iostats"), []byte("0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewMeter(Info{SysDir: dir}).Read(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("iostats off: err = %v", err)
	}
	if _, err := NewMeter(Info{SysDir: t.TempDir()}).Read(); err == nil {
		t.Error("a device that is gone has counters")
	}
}

func TestParseTrace(t *testing.T) {
	const text = `# tracer: nop
  kworker/u8:2-77 [001] .....  10.1: block_rq_issue: 7,7300 WS 65536 () 0 + 128 be,0,4 [kworker/u8:2]
  a b c-78 [001] .....  10.2: block_rq_issue: 7,7300 WS 65536 () 128 + 128 [block_rq_issue]
  x-78 [001] .....  10.2: block_rq_issue: 7,73 WS 4096 () 128 + 8 [x]
  x-78 [001] .....  10.3: block_rq_issue: 7,7300 DS 4194304 () 128 + 8192 [x]
  x-78 [001] .....  10.4: block_rq_issue: 7,7300 RA 4096 () 128 + 8 [x]
  x-78 [001] .....  10.5: block_rq_issue: 7,7300 FF 0 () 0 + 0 [x]
  x-78 [001] .....  10.6: block_rq_issue: 7,7300 W nonsense
`
	got := parseTrace(text, "7,7300")
	if !maps.Equal(got.Write, map[int64]int64{65536: 2}) || !maps.Equal(got.Read, map[int64]int64{4096: 1}) ||
		!maps.Equal(got.Delete, map[int64]int64{4194304: 1}) {
		t.Errorf("got %+v", got)
	}
	if got.Note() != "" {
		t.Errorf("note %q, though all was seen", got.Note())
	}
	got.Unseen = parseDropped("entries: 12\noverrun: 3\ndropped events: 41\nread events: 0\n")
	if got.Unseen != 41 || got.Note() == "" {
		t.Errorf("unseen %d, note %q", got.Unseen, got.Note())
	}
}
