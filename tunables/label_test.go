package tunables

import "testing"

func TestLabel(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"physical_breaks", "17", "0x11 (64 KiB)"},
		{"physical_breaks", "33", "0x21 (128 KiB)"},
		{"physical_breaks", "257", "0x101 (1 MiB)"},
		{"physical_breaks", "1", "0x1 (4 KiB)"},
		{"physical_breaks", "many", "many"},
		{"delete_max_sectors", "65536", "65536"},
		{"scheduler", "none", "none"},
	} {
		def, ok := Lookup(c.name)
		if !ok {
			t.Fatalf("no tunable %s", c.name)
		}
		if got := def.Label(c.value); got != c.want {
			t.Errorf("%s %s: label %q, want %q", c.name, c.value, got, c.want)
		}
	}
}
