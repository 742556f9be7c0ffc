package device

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestParseMountinfo(t *testing.T) {
	const text = "36 35 98:0 /mnt1 /mnt\\040two rw,noatime master:1 - ext3 /dev/root\\134x rw,errors=continue\n" +
		"37 35 8:1 / / rw shared:1 master:2 propagate_from:3 - xfs /dev/sda1 rw\n" +
		"nonsense\n" + "1 2 3 - x y\n" + "38 35 0:5 / /dev rw - devtmpfs none rw"
	want := []mount{
		{"98:0", "/mnt two", "ext3", `/dev/root\x`},
		{"8:1", "/", "xfs", "/dev/sda1"},
		{"0:5", "/dev", "devtmpfs", "none"},
	}
	if got := parseMountinfo(text); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestParseSwaps(t *testing.T) {
	const text = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/sda2  partition\t8\t0\t-2\n/swap\\040file file 8 0 -3\n\n"
	if got, want := parseSwaps(text), []string{"/dev/sda2", "/swap file"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseWriting(t *testing.T) {
	for text, want := range map[string]bool{
		"pos:\t0\nflags:\t0100002\nmnt_id:\t1\n": true, "flags:\t0100001\n": true,
		"pos:\t0\nflags:\t0100000\n": false, "flags:\tx2\n": false, "": false,
	} {
		if parseWriting(text) != want {
			t.Errorf("parseWriting(%q) = %v", text, !want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		`a\040b`: "a b", `\134`: `\`, `\9`: `\9`, `end\`: `end\`, `\777`: `\777`, `x`: "x", `\0401`: " 1",
	} {
		if got := unescape(in); got != want {
			t.Errorf("unescape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanID(t *testing.T) {
	for in, want := range map[string]string{
		"  WD-WX11  ":         "WD-WX11",
		"t10.ATA     QEMU  1": "t10.ATA_QEMU_1",
		"a\x1b[31mb\x00c\n":   "a_[31mb_c",
		"\xff\xfe":            "",
	} {
		if got := cleanID(in); got != want {
			t.Errorf("cleanID(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSaysNothing(t *testing.T) {
	for id, want := range map[string]bool{
		"": true, "eui.0000000000000000": true, "naa.0": true, "uuid.00000000-0000-0000-0000-000000000000": true,
		"0x0000": true, "0": true, "naa.5000c500": false, "S5GY": false,
	} {
		if saysNothing(id) != want {
			t.Errorf("saysNothing(%q) = %v", id, !want)
		}
	}
}

func TestHolding(t *testing.T) {
	mounts := []mount{{point: "/", fsType: "ext4"}, {point: "/srv", fsType: "xfs"}, {point: "/srv", fsType: "tmpfs"}}
	for path, want := range map[string]string{"/srv/a": "tmpfs", "/srvx": "ext4", "/": "ext4"} {
		if m, ok := holding(mounts, path); !ok || m.fsType != want {
			t.Errorf("%s is in %+v, want %s", path, m, want)
		}
	}
	if m, ok := holding(nil, "/x"); ok {
		t.Errorf("without mounts it is in %+v", m)
	}
}

func FuzzParseMountinfo(f *testing.F) {
	f.Add("36 35 98:0 /mnt1 /mnt\\040two rw master:1 - ext3 /dev/root rw\n")
	f.Add(" - ")
	f.Fuzz(func(t *testing.T, text string) {
		if got := parseMountinfo(text); len(got) > strings.Count(text, "\n")+1 {
			t.Errorf("%d mounts of %d lines", len(got), strings.Count(text, "\n"))
		}
	})
}

func FuzzParseSwaps(f *testing.F) {
	f.Add("Filename Type Size Used Priority\n/dev/sda2 partition 8 0 -2\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range parseSwaps(text) {
			if p == "" {
				t.Error("an empty path")
			}
		}
	})
}

func FuzzParseStat(f *testing.F) {
	f.Add("1 0 8 0 0 0 0 0 0 0 0 2 0 16 0 4 0")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseStat(text)
		if err == nil && (c.Read.Requests < 0 || c.Write.Requests < 0 || c.Delete.Requests < 0) {
			t.Errorf("negative counts: %+v", c)
		}
	})
}

func FuzzParseTrace(f *testing.F) {
	f.Add("x-1 [0] . 1: block_rq_issue: 7,0 W 4096 () 0 + 8 [x]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := parseTrace(text, "7,0")
		for size, n := range s.Write {
			if size <= 0 || n <= 0 {
				t.Errorf("%d requests of %d bytes", n, size)
			}
		}
		if parseDropped(text) < 0 {
			t.Error("a negative number of dropped events")
		}
	})
}

func FuzzCleanID(f *testing.F) {
	f.Add("t10.ATA     QEMU\x1b[0m")
	f.Fuzz(func(t *testing.T, s string) {
		id := cleanID(s)
		if strings.ContainsFunc(id, func(r rune) bool { return unicode.IsSpace(r) || r < ' ' || r == 0x7f }) {
			t.Errorf("cleanID(%q) = %q", s, id)
		}
		if cleanID(id) != id {
			t.Errorf("cleanID(%q) is not stable", id)
		}
	})
}

func FuzzParseCPU(f *testing.F) {
	f.Add("model name\t: Test CPU @ 2 GHz\nflags\t\t: fpu hypervisor\n")
	f.Fuzz(func(t *testing.T, text string) {
		if model, _ := parseCPU(text); strings.ContainsAny(model, "\n\x1b") {
			t.Errorf("model %q", model)
		}
		if parseMemTotal(text) < 0 {
			t.Error("negative memory")
		}
	})
}
