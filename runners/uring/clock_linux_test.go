package uring

import (
	"testing"
	"time"
)

// TestClockAgreesWithTheKernels, from the start and through corrections of the
// rate, and never runs backwards.
func TestClockAgreesWithTheKernels(t *testing.T) {
	var c clock
	c.start()
	c.calibrate()
	const tolerance = 20 * time.Microsecond
	last := time.Duration(-1)
	for c.slow() < 300*time.Millisecond {
		before := c.slow()
		now := c.now()
		after := c.slow()
		if now < before-tolerance || now > after+tolerance {
			t.Fatalf("%v is not between %v and %v", now, before, after)
		}
		if now < last {
			t.Fatalf("%v after %v", now, last)
		}
		last = now
	}
}

func TestRatio(t *testing.T) {
	const one = 1 << 32
	tests := []struct {
		d      time.Duration
		counts uint64
		want   uint64
	}{
		{time.Second, 1e9, one}, {time.Second, 2e9, one / 2}, {1000 * time.Hour, 36e14, one},
		{0, 5, 0}, {-1, 5, 0}, {5, 0, 0}, {1 << 62, 1, 0},
	}
	for _, tt := range tests {
		if got := ratio(tt.d, tt.counts); got != tt.want {
			t.Errorf("%d ns in %d counts: %d, want %d", tt.d, tt.counts, got, tt.want)
		}
	}
}

func TestCounterOnlyWhereTrusted(t *testing.T) {
	if trusted("/nonexistent") || trusted("/proc/version") {
		t.Error("trusted without the kernel saying so")
	}
	var c clock
	c.epoch = time.Now()
	c.calibrate()
	if c.counter || c.now() <= 0 {
		t.Errorf("a clock without a counter: %v", c.now())
	}
}

func BenchmarkClock(b *testing.B) {
	var c clock
	c.start()
	c.calibrate()
	for b.Loop() {
		c.now()
	}
}
