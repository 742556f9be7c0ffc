package columns

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func sample() Table {
	return Table{
		Rows: [][]string{
			{"setting", "throughput", "p50", "p99", "trials"},
			{"64", "250 MB/s", "1.00 ms", "2.02 ms", "3"},
			{"", "246–251", "", "2.00–2.02", ""},
		},
		Right: true, Indent: "  ", Spare: []string{"p50", "none such", "p99"},
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, `
  setting  throughput      p50        p99  trials
  64         250 MB/s  1.00 ms    2.02 ms  3
              246–251           2.00–2.02`},
		{48, `
  setting  throughput        p99  trials
  64         250 MB/s    2.02 ms  3
              246–251  2.00–2.02
  left out, for a terminal of 48 columns: p50`},
		{30, `
  setting  throughput  trials
  64         250 MB/s  3
              246–251
  left out, for a terminal of
    30 columns: p50, p99`},
		{24, `
  setting 64
      throughput 250
        MB/s
      p50 1.00 ms
      p99 2.02 ms
      trials 3
      throughput 246–251
      p99 2.00–2.02`},
	} {
		if got := strings.Join(sample().Lines(c.width), "\n"); got != c.want[1:] {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.width, got, c.want[1:])
		}
	}
}

func TestLongNames(t *testing.T) {
	table := Table{Rows: [][]string{{"name", "a"}, {"a name too long", "1"}, {"short", "2"}}, Name: 8}
	if got, want := strings.Join(table.Lines(0), "|"), "name   a|a name too long|       1|short  2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinesNeverWider(t *testing.T) {
	for width := 20; width < 80; width++ {
		for _, l := range sample().Lines(width) {
			if n := utf8.RuneCountInString(l); n > width {
				t.Errorf("%d columns on a terminal of %d: %s", n, width, l)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{{0, "one two three"}, {8, "one two|  three"}, {2, "one|  two|  three"}} {
		if got := strings.Join(Wrap(" one two\nthree", "  ", c.width), "|"); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
}
