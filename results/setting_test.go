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
