package uring

import "time"

// clock tells the time since it was started.
type clock struct {
	epoch time.Time
}

func (c *clock) start() { c.epoch = time.Now() }

func (c *clock) calibrate() {}

func (c *clock) now() time.Duration { return time.Since(c.epoch) }
