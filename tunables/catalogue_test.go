package tunables

import (
	"strings"
	"testing"
)

func TestCatalogueIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, def := range All() {
		if seen[def.Name] {
			t.Errorf("%s is defined twice", def.Name)
		}
		seen[def.Name] = true
		if def.Summary == "" || def.Doc == "" || def.Source == "" || def.Default == "" {
			t.Errorf("%s: a summary, doc, source or default is missing", def.Name)
		}
		if def.Type == Integer && def.Min >= def.Max {
			t.Errorf("%s: range %d to %d", def.Name, def.Min, def.Max)
		}
		if canonical, err := def.Parse(def.Usual); def.Usual != "" && (err != nil || canonical != def.Usual || !strings.HasPrefix(def.Default, def.Usual)) {
			t.Errorf("%s: the usual value %q reads as %q, %v; people are told %q", def.Name, def.Usual, canonical, err, def.Default)
		}
		if len(def.Kernel) == 0 && !def.Stack {
			t.Errorf("%s: acts nowhere", def.Name)
		}
		for _, k := range def.Kernel {
			if _, err := ParseAddress(k.Address); err != nil {
				t.Errorf("%s: %v", def.Name, err)
			}
		}
	}
}

// A tunable may only disturb what the catalogue can restore.
func TestDisturbedIsKnown(t *testing.T) {
	for _, def := range All() {
		for _, name := range def.Disturbs {
			if _, ok := Lookup(strings.TrimSuffix(name, "/*")); !ok {
				t.Errorf("%s disturbs %s, which is nowhere", def.Name, name)
			}
		}
	}
}

func TestLookupAddress(t *testing.T) {
	for _, c := range []struct {
		address string
		ok      bool
		typ     Type
	}{
		{"sysfs:queue/scheduler", true, Choice}, // the catalogue's definition stays
		{"sysfs:queue/discard_max_bytes", true, Integer},
		{"sysfs:queue/new_knob", true, Text},
		{"sysfs:device/queue_depth", true, Integer},
		{"module:zfs/zfs_vdev_aggregation_limit", true, Integer},
		{"module:nvme_core/io_timeout", true, Text},
		{"sysctl:kern.cam.da.3.delete_max", true, Text},
		{`command:{"get":["/bin/a"],"set":["/bin/b","x"]}`, true, Text},
		{`command:{"get":["a"],"set":["/bin/b"]}`, false, 0},
		{`command:{"get":["/bin/a"]}`, false, 0},
		{`command:{"get":["/bin/a"],"set":["/bin/b"],"shell":true}`, false, 0},
		{"sysfs:../../etc/passwd", false, 0},
		{"sysfs:queue/../uevent", false, 0},
		{"sysfs:queue/", false, 0},
		{"sysfs:queue", false, 0},
		{"sysfs:uevent/x", false, 0},
		{"sysfs:/queue/scheduler", false, 0},
		{"sysfs:queue//scheduler", false, 0},
		{"sysfs:queue/a\x00b", false, 0},
		{"module:zfs/../x", false, 0},
		{"module:zfs", false, 0},
		{"sysctl:", false, 0},
		{"sysctl:a..b", true, Text}, // no such name is the kernel's answer
		{"magic:x", false, 0},
		{"sysfs:queue/" + strings.Repeat("x", 5000), false, 0},
	} {
		got, ok := Lookup(c.address)
		if ok != c.ok || ok && (got.Type != c.typ || got.Name != c.address) {
			t.Errorf("Lookup(%q) = %q type %d, %v; want %v type %d", c.address, got.Name, got.Type, ok, c.ok, c.typ)
		}
	}
	if _, ok := Lookup("no_such_knob"); ok {
		t.Error("Lookup finds what is not there")
	}
}

func TestKnob(t *testing.T) {
	for _, c := range []struct {
		name, goos, want string
	}{
		{"delete_max_sectors", "freebsd", "sysctl:kern.geom.dev.delete_max_sectors"},
		{"delete_max_sectors", "linux", ""},
		{"bioq_batchsize", "freebsd", "sysctl:debug.bioq_batchsize"},
		{"max_sectors_kb", "linux", "sysfs:queue/max_sectors_kb"},
		{"max_sectors_kb", "windows", ""},
		{`command:{"get":["/bin/a"],"set":["/bin/b"]}`, "darwin", `command:{"get":["/bin/a"],"set":["/bin/b"]}`},
	} {
		k, ok := lookup(t, c.name).Knob(c.goos)
		if k.Address != c.want || ok != (c.want != "") {
			t.Errorf("%s on %s: %q, %v; want %q", c.name, c.goos, k.Address, ok, c.want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"sysfs:queue/x", "module:a/b", "sysctl:a.b", `command:{"get":["/a"],"set":["/b"]}`, "sysfs:queue/../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		if a.String() != text {
			t.Fatalf("%q became %q", text, a)
		}
		if a.Space != SpaceCommand && (strings.Contains(a.Path, "..") && a.Space != SpaceSysctl || strings.HasPrefix(a.Path, "/")) {
			t.Fatalf("%q reaches out of its space", text)
		}
	})
}
