package tunables

import (
	"strings"
	"testing"
)

func lookup(t *testing.T, name string) Tunable {
	t.Helper()
	got, ok := Lookup(name)
	if !ok {
		t.Fatalf("Lookup(%q): not found", name)
	}
	return got
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ tunable, text, want, wantErr string }{
		{"physical_breaks", "0x21", "33", ""},
		{"physical_breaks", "33", "33", ""},
		{"physical_breaks", "0x101", "257", ""},
		{"physical_breaks", "64KiB", "", "not an integer"},
		{"physical_breaks", "0", "", "out of range"},
		{"max_sectors_kb", "64", "64", ""},
		{"max_sectors_kb", "64KiB", "64", ""},
		{"max_sectors_kb", "1MiB", "1024", ""},
		{"max_sectors_kb", "64kB", "", "no whole number of KiB"},
		{"max_sectors_kb", "4Ki", "", "4KiB"},
		{"max_sectors_kb", "64K", "", "K"},
		{"max_sectors_kb", "064", "", "begins with 0"},
		{"max_sectors_kb", "+64", "", "not an integer"},
		{"max_sectors_kb", "6_4", "", "not an integer"},
		{"max_sectors_kb", "1,5", "", "not an integer"},
		{"max_sectors_kb", " 64", "", "not an integer"},
		{"max_sectors_kb", "", "", "not an integer"},
		{"max_sectors_kb", "-1", "", "out of range"},
		{"max_sectors_kb", "99999999999999999999", "", "not an integer"},
		{"max_sectors_kb", "0xg", "", "not an integer"},
		{"max_sectors_kb", "0x-4", "", "not an integer"},
		{"delete_max_sectors", "0", "0", ""},
		{"delete_max_sectors", "262144", "262144", ""},
		{"delete_max_sectors", "128MiB", "262144", ""},
		{"delete_max_sectors", "2251799813685247", "2251799813685247", ""},
		{"delete_max_sectors", "2251799813685248", "", "out of range"},
		{"delete_max_sectors", "100B", "", "no whole number of sectors"},
		{"bioq_batchsize", "-1", "-1", ""},
		{"bioq_batchsize", "128", "128", ""},
		{"bioq_batchsize", "2147483648", "", "out of range"},
		{"wbt_lat_usec", "-1", "-1", ""},
		{"wbt_lat_usec", "-2", "", "out of range"},
		{"scheduler", "mq-deadline", "mq-deadline", ""},
		{"scheduler", "[none]", "", "not one word"},
		{"scheduler", "none kyber", "", "not one word"},
		{"discard_max_bytes", "4MiB", "4194304", ""},
		{"discard_max_bytes", "4GiB", "", "out of range"},
		{"sysfs:queue/some_new_knob", "anything goes", "anything goes", ""},
		{"sysfs:queue/some_new_knob", "a\nb", "", "control character"},
		{"sysfs:queue/some_new_knob", "", "", "empty"},
		{"sysfs:queue/some_new_knob", "\xff", "", "UTF-8"},
	} {
		got, err := lookup(t, c.tunable).Parse(c.text)
		if c.wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), c.wantErr) || !strings.Contains(err.Error(), c.tunable) {
				t.Errorf("%s.Parse(%q) = %q, %v; want an error with %q", c.tunable, c.text, got, err, c.wantErr)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s.Parse(%q) = %q, %v; want %q", c.tunable, c.text, got, err, c.want)
		}
	}
}

func TestInt(t *testing.T) {
	if n, err := lookup(t, "physical_breaks").Int("33"); n != 33 || err != nil {
		t.Errorf("Int(33) = %d, %v", n, err)
	}
	if _, err := lookup(t, "scheduler").Int("none"); err == nil {
		t.Error("Int of a Choice succeeds")
	}
	if _, err := lookup(t, "physical_breaks").Int("0x21"); err == nil {
		t.Error("Int accepts what Parse has not made canonical")
	}
}

// What Parse returns is canonical: it parses to itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0x21", "64KiB", "-1", "mq-deadline", "4Ki", "0x", "-0x1", "1 MiB", "\x00"} {
		f.Add(s)
	}
	all := append(All(), adHoc(Address{SpaceSysfs, "queue/x"}))
	f.Fuzz(func(t *testing.T, text string) {
		for _, def := range all {
			value, err := def.Parse(text)
			if err != nil {
				continue
			}
			again, err := def.Parse(value)
			if err != nil || again != value {
				t.Fatalf("%s: %q became %q and then %q, %v", def.Name, text, value, again, err)
			}
		}
	})
}
