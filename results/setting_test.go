package results

import "testing"

func TestSettingText(t *testing.T) {
	for want, s := range map[string]Setting{
		"0x21 (128 KiB)": {Tunable: "physical_breaks", Value: "33", Label: "0x21 (128 KiB)"},
		"0 (no limit)":   {Tunable: "delete_max_sectors", Value: "0"},
		"-1 (no limit)":  {Tunable: "bioq_batchsize", Value: "-1"},
		"128":            {Tunable: "bioq_batchsize", Value: "128"},
		"0":              {Tunable: "nomerges", Value: "0"},
		"none":           {Tunable: "scheduler", Value: "none"},
	} {
		if got := s.Text(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}

// A value that was not taken is never named alone.
func TestSettingInForce(t *testing.T) {
	size := Setting{Tunable: "max_sectors_kb", Value: "4096000"}
	for observed, want := range map[string]string{"": "4096000", "4096000": "4096000", "1280": "4096000 (in force: 1280)"} {
		if got := size.InForce(observed); got != want {
			t.Errorf("observed %q: %q, want %q", observed, got, want)
		}
	}
}
