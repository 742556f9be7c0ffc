package sim

import (
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// ssd is a device whose requests cost a fixed time and a time for each byte,
// served by channels; a delete holds as many of them as the model says.
type ssd struct{ p SSD }

func (ssd) pick([]request, time.Duration) int { return 0 }

func (s ssd) serve(op *workloads.Op, _ time.Duration) (time.Duration, int) {
	switch op.Kind {
	case workloads.Read:
		return s.p.Read.time(op.Len), 1
	case workloads.Write:
		return s.p.Write.time(op.Len), 1
	case workloads.Delete:
		return s.deletion(op.Len), s.p.DeleteChannels
	}
	return s.p.Flush, 1
}

// deletion is the time of a delete, which the device's driver may cut.
func (s ssd) deletion(length int64) time.Duration {
	limit := s.p.DeleteLimitBytes
	if limit == 0 || length <= limit {
		return s.p.Delete.time(length)
	}
	return time.Duration(length/limit)*s.p.Delete.time(limit) + s.p.Delete.rest(length%limit)
}

// time is what a request of so many bytes costs.
func (c Cost) time(length int64) time.Duration {
	ns := float64(c.Fixed)
	if c.BytesPerSecond > 0 {
		ns += float64(float64(length) * 1e9 / c.BytesPerSecond)
	}
	return time.Duration(ns)
}

// rest is the cost of what is left over; nothing costs nothing.
func (c Cost) rest(length int64) time.Duration {
	if length == 0 {
		return 0
	}
	return c.time(length)
}
