package campaign

import (
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
)

// A process that was stopped is known by the beats that did not come.
func TestStopped(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name  string
		beats []time.Duration // the last is when the trial ends
		want  string
	}{
		{"it ran", []time.Duration{250 * ms, 500 * ms, 750 * ms, 900 * ms}, ""},
		{"a busy machine", []time.Duration{250 * ms, 1250 * ms, 1300 * ms}, ""},
		{"stopped", []time.Duration{250 * ms, 1750 * ms, 2000 * ms}, "did not run for 1.5s"},
		{"stopped in the beginning", []time.Duration{1600 * ms, 1750 * ms}, "did not run for 1.6s"},
		{"stopped at the end", []time.Duration{250 * ms, 1450 * ms}, "did not run for 1.2s"},
		{"the longest of two", []time.Duration{2000 * ms, 3100 * ms, 3200 * ms}, "did not run for 2s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trial := &results.Trial{Status: results.Valid}
			heard(tt.beats).judge(trial)
			if tt.want == "" {
				if len(trial.Findings) > 0 {
					t.Errorf("findings %+v, want none", trial.Findings)
				}
				return
			}
			if len(trial.Findings) != 1 || !trial.Findings[0].Fatal || trial.Findings[0].Code != "stopped" || !strings.Contains(trial.Findings[0].Text, tt.want) {
				t.Errorf("findings %+v, want stopped, fatal: %s", trial.Findings, tt.want)
			}
		})
	}
}

// heard is what listening makes of beats at these times.
func heard(at []time.Duration) *beats {
	b, tick, quit := &beats{}, make(chan time.Time), make(chan struct{})
	var clock time.Duration
	read := make(chan struct{})
	now := func() time.Duration {
		defer func() { read <- struct{}{} }()
		return clock
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.listen(now, tick, quit)
	}()
	<-read
	for i, next := range at {
		clock = next
		if i == len(at)-1 {
			close(quit)
		} else {
			tick <- time.Time{}
		}
		<-read
	}
	<-done
	return b
}
