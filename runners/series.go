package runners

import (
	"time"

	"github.com/iosweep/iosweep/results"
)

// maxPoints bounds a series; see JobInfo.Interval.
const maxPoints = 4096

// point is what completed in one interval of a series.
type point struct {
	ops, bytes   int64
	latency, max time.Duration
}

// series is a job's progress in equal intervals of the window. The zero value
// keeps nothing.
type series struct {
	step   time.Duration
	begin  time.Duration // of the window
	points []point
	// from and to are the bounds of the interval last counted in, at place.
	from, to time.Duration
	place    int
}

func (s *series) add(done time.Duration, bytes int64, latency time.Duration) {
	if s.step <= 0 {
		return
	}
	if done < s.from || done >= s.to {
		s.move(done)
	}
	p := &s.points[s.place]
	p.ops++
	p.bytes += bytes
	p.latency += latency
	p.max = max(p.max, latency)
}

// move makes the interval of done the current one.
func (s *series) move(done time.Duration) {
	for (done-s.begin)/s.step >= maxPoints {
		s.halve()
	}
	s.place = int((done - s.begin) / s.step)
	if s.points == nil {
		s.points = make([]point, 0, maxPoints)
	}
	if s.place >= len(s.points) {
		s.points = s.points[:s.place+1]
	}
	s.from = s.begin + time.Duration(s.place)*s.step
	s.to = s.from + s.step
}

// halve joins intervals in pairs.
func (s *series) halve() {
	n := len(s.points)
	for i := 0; i < n; i += 2 {
		p := s.points[i]
		if i+1 < n {
			next := s.points[i+1]
			p.ops, p.bytes, p.latency = p.ops+next.ops, p.bytes+next.bytes, p.latency+next.latency
			p.max = max(p.max, next.max)
		}
		s.points[i/2] = p
	}
	clear(s.points[(n+1)/2:])
	s.points = s.points[:(n+1)/2]
	s.step *= 2
}

// result returns the whole intervals of the window. A last one that is cut
// short would read as a dip, so it is left out; nil when there is no whole one.
func (s *series) result(window time.Duration) *results.Series {
	if s.step <= 0 || window < s.step {
		return nil
	}
	n := int(window / s.step)
	r := &results.Series{
		IntervalSeconds: s.step.Seconds(),
		Ops:             make([]int64, n), Bytes: make([]int64, n),
		MeanSeconds: make([]float64, n), MaxSeconds: make([]float64, n),
	}
	for i := range min(n, len(s.points)) {
		p := s.points[i]
		r.Ops[i], r.Bytes[i], r.MaxSeconds[i] = p.ops, p.bytes, p.max.Seconds()
		if p.ops > 0 {
			r.MeanSeconds[i] = p.latency.Seconds() / float64(p.ops)
		}
	}
	return r
}
