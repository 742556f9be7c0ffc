package campaign

import (
	"testing"
	"time"
)

func TestParseUptime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"12.50 3.00\n": 12500 * time.Millisecond, "": 0, "x 1": 0, "-1 2": 0, "1e300 2": 0, "NaN 1": 0,
	} {
		if got := parseUptime(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if readUsage().up <= 0 {
		t.Error("this machine has no uptime")
	}
}
