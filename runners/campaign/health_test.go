package campaign

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// vitals gives a reading after another.
type vitals struct {
	readings []map[string]int64
	err      error
}

func (v *vitals) Read(context.Context) (map[string]int64, error) {
	if v.err != nil {
		return nil, v.err
	}
	next := v.readings[0]
	v.readings = v.readings[1:]
	return next, nil
}

func TestHealth(t *testing.T) {
	type counts = map[string]int64
	for name, test := range map[string]struct {
		before, after counts
		code          string
	}{
		"nothing rose":  {counts{"crc_errors": 7}, counts{"crc_errors": 7}, ""},
		"errors rose":   {counts{"crc_errors": 7}, counts{"crc_errors": 9}, "disk_errors"},
		"heat":          {counts{"throttled_1": 0}, counts{"throttled_1": 1}, "hot"},
		"a new failure": {counts{}, counts{"disk_failing": 1}, "disk_errors"},
		"a reset":       {counts{"crc_errors": 7}, counts{"crc_errors": 0}, ""},
	} {
		c := &Campaign{Health: &vitals{readings: []map[string]int64{test.before, test.after}}}
		trial := &results.Trial{Status: results.Valid}
		c.watchHealth(context.Background(), wiping(""))(trial)
		if has(*trial, test.code) != (test.code != "") || (trial.Status == results.Invalid) != (test.code != "") {
			t.Errorf("%s: %s, %+v, want %q", name, trial.Status, trial.Findings, test.code)
		}
	}
	for _, c := range []*Campaign{{}, {Health: &vitals{err: errors.New("no answer")}}} {
		trial := &results.Trial{Status: results.Valid}
		c.watchHealth(context.Background(), wiping(""))(trial)
		if trial.Status != results.Valid {
			t.Errorf("without a reading: %+v", trial)
		}
	}
}

// TestHealthOfEachTarget names the disk that fails.
func TestHealthOfEachTarget(t *testing.T) {
	steady := map[string]int64{"crc_errors": 7}
	c := &Campaign{
		Health: &vitals{readings: []map[string]int64{steady, steady}},
		Named:  []NamedTarget{{Name: "log", Health: &vitals{readings: []map[string]int64{steady, {"crc_errors": 8}}}}},
	}
	trial := &results.Trial{Status: results.Valid}
	c.watchHealth(context.Background(), wiping("", "log"))(trial)
	if len(trial.Findings) != 1 || !strings.Contains(trial.Findings[0].Text, "the disk of target log's crc_errors") {
		t.Errorf("%+v", trial.Findings)
	}
}
