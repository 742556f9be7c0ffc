package uring

import (
	"math/bits"
	"os"
	"strings"
	"time"
)

const (
	// firstSpan is how long the counter is compared with the kernel's clock
	// before its rate is first corrected; each later span is twice as long.
	firstSpan = 50 * time.Millisecond
	// samples is how many readings the best of which is taken.
	samples = 8
)

// clock tells the time since it was started. Where the kernel itself trusts the
// processor's time stamp counter, now reads that, at a third of the cost of the
// kernel's clock. The rate is measured while the queue is opened and then
// corrected over ever longer spans, so it ends within a part in a million;
// corrections change the rate, never the time.
type clock struct {
	epoch   time.Time
	counter bool // whether the counter is used

	first   uint64        // counter at firstAt
	firstAt time.Duration // since epoch
	anchor  uint64        // counter at base
	base    time.Duration // since epoch
	rate    uint64        // ns per count, times 2^32
	next    uint64        // counter at the next correction
}

// start begins the time at 0, by the kernel's clock until calibrate.
func (c *clock) start() {
	c.epoch = time.Now()
	if haveCounter && trusted("/sys/devices/system/clocksource/clocksource0/current_clocksource") {
		c.first, c.firstAt = c.sample()
	}
}

// trusted says that the kernel keeps time by the counter.
func trusted(path string) bool {
	name, err := os.ReadFile(path)
	return err == nil && strings.TrimSpace(string(name)) == "tsc"
}

// calibrate goes over to the counter.
func (c *clock) calibrate() {
	if c.first == 0 {
		return
	}
	for c.slow()-c.firstAt < time.Millisecond {
	}
	count, at := c.sample()
	c.anchor, c.base, c.rate = count, at, ratio(at-c.firstAt, count-c.first)
	c.next = count + count - c.first
	c.counter = c.rate > 0
}

// now is the time since start, for the queue's thread.
func (c *clock) now() time.Duration {
	if !c.counter {
		return c.slow()
	}
	count := readCounter()
	if count >= c.next {
		c.correct()
	}
	return c.at(count)
}

// at converts a reading of the counter.
func (c *clock) at(count uint64) time.Duration {
	passed := uint64(max(int64(count-c.anchor), 0))
	high, low := bits.Mul64(passed, c.rate)
	return c.base + time.Duration(high<<32|low>>32)
}

// slow is the time by the kernel's clock, for any thread.
func (c *clock) slow() time.Duration { return time.Since(c.epoch) }

// correct takes the counter's rate from all the time since the start.
func (c *clock) correct() {
	count, at := c.sample()
	c.base, c.anchor = c.at(count), count
	if r := ratio(at-c.firstAt, count-c.first); r > 0 {
		c.rate = r
	}
	span := uint64(float64(firstSpan) / float64(c.rate) * (1 << 32))
	c.next = count + max(count-c.first, span)
}

// sample reads both clocks at the same moment, as nearly as can be.
func (c *clock) sample() (count uint64, at time.Duration) {
	best := ^uint64(0)
	for range samples {
		before := readCounter()
		t := c.slow()
		after := readCounter()
		if after-before < best {
			best, count, at = after-before, before+(after-before)/2, t
		}
	}
	return count, at
}

// ratio is ns per count, times 2^32; 0 when it makes no sense.
func ratio(d time.Duration, counts uint64) uint64 {
	if d <= 0 || counts == 0 || uint64(d)>>32 >= counts {
		return 0
	}
	q, _ := bits.Div64(uint64(d)>>32, uint64(d)<<32, counts)
	return q
}
