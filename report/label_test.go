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
		if got := labelOf(v, nil); got != want {
			t.Errorf("%+v: label %q, want %q", v, got, want)
		}
	}
}

// TestLabelSaysWhatWasInForce holds that a value that the kernel clamped is not
// named as if it had been in force.
func TestLabelSaysWhatWasInForce(t *testing.T) {
	size := results.Setting{Tunable: "max_sectors_kb", Value: "4096000"}
	merges := results.Setting{Tunable: "nomerges", Value: "2"}
	readBack := map[string]string{"max_sectors_kb": "1280", "nomerges": "2"}
	for want, v := range map[string]results.Variant{
		"4096000 (in force: 1280)":             {ID: "a", Settings: []results.Setting{size}},
		"2":                                    {ID: "b", Settings: []results.Setting{merges}},
		"both (max_sectors_kb in force: 1280)": {ID: "c", Label: "both", Settings: []results.Setting{merges, size}},
	} {
		if got := labelOf(v, readBack); got != want {
			t.Errorf("%+v: label %q, want %q", v, got, want)
		}
	}
}
