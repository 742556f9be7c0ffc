package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/runners/campaign"
)

// TestVerdictOf holds that a run in which nothing was measured, or in which the
// device failed, never ends with 0.
func TestVerdictOf(t *testing.T) {
	for _, tt := range []struct {
		o    campaign.Outcome
		want int
	}{
		{campaign.Outcome{}, exitUnsupported},
		{campaign.Outcome{Valid: 3}, exitOK},
		{campaign.Outcome{Valid: 3, Invalid: 1}, exitOK},
		{campaign.Outcome{Valid: 3, Invalid: 1, Erring: 1}, exitInvalid},
		{campaign.Outcome{Valid: 3, Failed: 1}, exitFailed},
		{campaign.Outcome{Invalid: 2}, exitInvalid},
		{campaign.Outcome{Unsupported: 2}, exitUnsupported},
	} {
		if got := exitCode(verdictOf(tt.o)); got != tt.want {
			t.Errorf("%+v: exit code %d, want %d", tt.o, got, tt.want)
		}
	}
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("boom") }

// TestPanicIsAFailure holds that a fault of iosweep's own is not taken for a
// wrong command line, which is what Go's exit code for it would say.
func TestPanicIsAFailure(t *testing.T) {
	var stderr bytes.Buffer
	if code := execute([]string{"profiles"}, panicking{}, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "boom") {
		t.Errorf("exit code %d, want %d: %s", code, exitFailed, stderr.String())
	}
}
