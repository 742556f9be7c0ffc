package report

import (
	"testing"

	"github.com/iosweep/iosweep/results"
)

// TestLabelOf prefers how people know a value.
func TestLabelOf(t *testing.T) {
	breaks := results.Setting{Tunable: "physical_breaks", Value: "33", Label: "0x21 (128 KiB)"}
	chunk := results.Setting{Tunable: "delete_max_sectors", Value: "0"}
	for want, v := range map[string]results.Variant{
		"0x21 (128 KiB)": {ID: "a", Settings: []results.Setting{breaks}},
		"0 (no limit)":   {ID: "b", Settings: []results.Setting{chunk}},
		"as found":       {ID: "c", Label: "as found"},
		"both":           {ID: "d", Label: "both", Settings: []results.Setting{breaks, chunk}},
		"e":              {ID: "e"},
	} {
		if got := labelOf(v); got != want {
			t.Errorf("%+v: label %q, want %q", v, got, want)
		}
	}
}
