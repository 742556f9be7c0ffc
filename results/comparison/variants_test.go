package comparison

import (
	"slices"
	"testing"
)

// Which value is the base, and the one reason that applies.
func TestBaseSaysWhy(t *testing.T) {
	for _, test := range []struct{ standard, asked, base, note string }{
		{"2", "", "2", "the base is 2, the default"},
		{"", "", "1", "the base is 1, the first of the profile: the run knows no default"},
		{"7", "", "1", "the base is 1, the first of the profile: the default, 7, was not measured"},
		{"2", "1", "1", ""},
	} {
		data := run("a", []string{"1", "2"}, 8, rising)
		data.Run.Tunables[0].Default = test.standard
		table, err := Variants(data, "chunk", test.asked, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if table.Base != "chunk="+test.base || test.note == "" && len(table.Notes) > 0 || test.note != "" && !slices.Contains(table.Notes, test.note) {
			t.Errorf("default %q, asked %q: base %s, notes %q", test.standard, test.asked, table.Base, table.Notes)
		}
	}
}
