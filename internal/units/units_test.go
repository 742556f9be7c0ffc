package units_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/internal/units"
)

func TestParseBytes(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		err  string // part of the error; empty: none
	}{
		{"4KiB", 4096, ""},
		{"4 KiB", 4096, ""},
		{"4kB", 4000, ""},
		{"1.5GiB", 3 << 29, ""},
		{"0.5 kB", 500, ""},
		{"0B", 0, ""},
		{"2TiB", 2 << 40, ""},
		{"9223372036854775807B", math.MaxInt64, ""},
		{"9223372036854775808B", 0, "too large"},
		{"8388608TiB", 0, "too large"},
		{"4Ki", 0, "did you mean 4KiB?"},
		{"4K", 0, "did you mean 4KiB?"},
		{"4k", 0, "did you mean 4KiB?"},
		{"4kib", 0, "did you mean 4KiB?"},
		{"4KB", 0, "did you mean 4kB?"},
		{"4G", 0, "did you mean 4GiB?"},
		{"4096", 0, "write 4096B if that is meant"},
		{"4,5KiB", 0, `unknown unit ",5KiB"`},
		{"4  KiB", 0, "unknown unit"},
		{"4KiB ", 0, "unknown unit"},
		{" 4KiB", 0, "plain number"},
		{"-4KiB", 0, "plain number"},
		{"+4KiB", 0, "plain number"},
		{".5KiB", 0, "plain number"},
		{"5.KiB", 0, "plain number"},
		{"1.2.3KiB", 0, "plain number"},
		{"1e3B", 0, "unknown unit"},
		{"0x10B", 0, "unknown unit"},
		{"0.1KiB", 0, "not a whole number of bytes"},
		{"", 0, "plain number"},
		{"KiB", 0, "plain number"},
		{"4 ", 0, "unknown unit"},
		{"NaN", 0, "plain number"},
		{strings.Repeat("9", 10000) + "B", 0, "plain number"},
	} {
		got, err := units.ParseBytes(c.text)
		check(t, c.text, got, err, c.want, c.err)
	}
}

func TestParseDuration(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		err  string
	}{
		{"30s", 30 * time.Second, ""},
		{"1.5 ms", 1500 * time.Microsecond, ""},
		{"2min", 2 * time.Minute, ""},
		{"1h", time.Hour, ""},
		{"250us", 250 * time.Microsecond, ""},
		{"7ns", 7, ""},
		{"0s", 0, ""},
		{"0.5ns", 0, "not a whole number of nanoseconds"},
		{"5µs", 0, "did you mean 5us?"},
		{"5m", 0, "did you mean 5ms?"},
		{"5sec", 0, "did you mean 5s?"},
		{"1h30min", 0, "unknown unit"},
		{"30", 0, "write 30s if that is meant"},
		{"999999999999h", 0, "too large"},
	} {
		got, err := units.ParseDuration(c.text)
		check(t, c.text, got, err, c.want, c.err)
	}
}

func TestParseRateAndPercent(t *testing.T) {
	for _, c := range []struct {
		parse func(string) (float64, error)
		text  string
		want  float64
		err   string
	}{
		{units.ParseRate, "1000/s", 1000, ""},
		{units.ParseRate, "0.5 /s", 0.5, ""},
		{units.ParseRate, "1000", 0, "like 1000/s"},
		{units.ParseRate, "1k/s", 0, "like 1000/s"},
		{units.ParseRate, "Inf/s", 0, "like 1000/s"},
		{units.ParsePercent, "50%", 50, ""},
		{units.ParsePercent, "12.5 %", 12.5, ""},
		{units.ParsePercent, "50", 0, "like 50%"},
		{units.ParsePercent, "1e2%", 0, "like 50%"},
	} {
		got, err := c.parse(c.text)
		check(t, c.text, got, err, c.want, c.err)
	}
}

// check compares a parser's answer with what a table says.
func check[T comparable](t *testing.T, text string, got T, err error, want T, wantErr string) {
	t.Helper()
	if len(text) > 40 {
		text = text[:40]
	}
	switch {
	case wantErr == "" && err != nil:
		t.Errorf("%q: %v", text, err)
	case wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)):
		t.Errorf("%q: error %v, want one with %q", text, err, wantErr)
	case got != want:
		t.Errorf("%q: got %v, want %v", text, got, want)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{units.FormatBytes(0), "0 B"},
		{units.FormatBytes(4096), "4 KiB"},
		{units.FormatBytes(1500), "1500 B"},
		{units.FormatBytes(512), "512 B"},
		{units.FormatBytes(100_000_000), "100 MB"},
		{units.FormatBytes(1 << 30), "1 GiB"},
		{units.FormatBytes(1e12), "1 TB"},
		{units.FormatBytes(-4096), "-4 KiB"},
		{units.FormatBytes(math.MinInt64), "-8388608 TiB"},
		{units.FormatBytesApprox(65536), "64.0 KiB"},
		{units.FormatBytesApprox(1023.9), "1.00 KiB"},
		{units.FormatBytesApprox(0), "0 B"},
		{units.FormatBytesApprox(1 << 52), "4100 TiB"},
		{units.FormatRate(812e6), "812 MB/s"},
		{units.FormatRate(2.6e9), "2.60 GB/s"},
		{units.FormatRate(math.NaN()), "n/a"},
		{units.FormatRate(math.Inf(1)), "n/a"},
		{units.FormatOps(12345), "12.3k/s"},
		{units.FormatOps(999.9), "1.00k/s"},
		{units.FormatOps(0.25), "0.25/s"},
		{units.FormatSeconds(0.0651), "65.1 ms"},
		{units.FormatSeconds(0.0009996), "1.00 ms"},
		{units.FormatSeconds(94), "94.0 s"},
		{units.FormatSeconds(40e-9), "40.0 ns"},
		{units.FormatSeconds(-0.002), "-2.00 ms"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func FuzzParseBytes(f *testing.F) {
	for _, s := range []string{"4KiB", "1.5 GB", "4Ki", "", "0.1B", "9223372036854775807B", "µ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := units.ParseBytes(text)
		if err != nil {
			if len(err.Error()) > 600 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if again, err := units.ParseBytes(units.FormatBytes(n)); n < 0 || err != nil || again != n {
			t.Errorf("%q is %d, printed %q, read back %d (%v)", text, n, units.FormatBytes(n), again, err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"30s", "1.5 ms", "5m", "", "1h30min", "0.5ns"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := units.ParseDuration(text); err == nil && d < 0 {
			t.Errorf("%q is %v", text, d)
		}
	})
}

func FuzzParseRate(f *testing.F) {
	f.Add("1000/s")
	f.Add("50%")
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (float64, error){units.ParseRate, units.ParsePercent} {
			if v, err := parse(text); err == nil && (v < 0 || math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Errorf("%q is %v", text, v)
			}
		}
	})
}

func FuzzFormat(f *testing.F) {
	f.Add(0.0651)
	f.Add(math.Inf(-1))
	f.Fuzz(func(t *testing.T, v float64) {
		for _, s := range []string{units.FormatSeconds(v), units.FormatRate(v), units.FormatOps(v), units.FormatBytesApprox(v)} {
			if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || s == "" {
				t.Errorf("%v is printed %q", v, s)
			}
		}
	})
}
