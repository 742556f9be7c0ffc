package campaign

import (
	"context"
	"fmt"
	"slices"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// SNIA's Performance Test Specification: over the window the values stay within
// steadyRange of their mean, and the fitted line moves by no more than
// steadySlope of it.
const steadyRange, steadySlope = 0.20, 0.10

// judgeSteady judges the last rounds.
func judgeSteady(s *results.Steadiness) {
	s.Steady, s.Range, s.Slope = false, results.Float{}, results.Float{}
	if len(s.Rounds) < s.Window {
		return
	}
	last := s.Rounds[len(s.Rounds)-s.Window:]
	mean := 0.0
	for _, v := range last {
		mean += v / float64(len(last))
	}
	if mean <= 0 {
		return
	}
	spread, rise := (slices.Max(last)-slices.Min(last))/mean, fittedRise(last)/mean
	s.Range, s.Slope = results.Some(spread), results.Some(rise)
	s.Steady = spread <= steadyRange && max(rise, -rise) <= steadySlope
}

// fittedRise is the least-squares line's value at the last point less that at
// the first.
func fittedRise(values []float64) float64 {
	middle := float64(len(values)-1) / 2
	var up, across float64
	for i, v := range values {
		x := float64(i) - middle
		up, across = up+x*v, across+x*x
	}
	return up / across * float64(len(values)-1)
}

// overwrite writes the extents at random, round by round, until the quantity is
// steady or there were enough rounds.
func (c *Campaign) overwrite(ctx context.Context, s *profiles.Steady, parts []part) (*results.Steadiness, error) {
	out := &results.Steadiness{Quantity: s.On, RoundSeconds: s.Round.Seconds(), Window: profiles.SteadyWindow}
	for round := range s.Rounds {
		v, err := c.round(ctx, s, parts, uint64(round+1))
		if err != nil {
			return out, fmt.Errorf("overwrite: round %d: %w", round+1, err)
		}
		out.Rounds = append(out.Rounds, v)
		if judgeSteady(out); out.Steady {
			break
		}
	}
	return out, nil
}

// round drives one round over all targets at once and returns its figure.
func (c *Campaign) round(ctx context.Context, s *profiles.Steady, parts []part, seed uint64) (float64, error) {
	var lanes []*lane
	for i, e := range parts {
		if i == 0 || e.target.File != parts[i-1].target.File {
			lanes = append(lanes, &lane{target: e.target})
		}
		job := profiles.Job{Spec: workloads.Spec{
			Name: "overwrite", Mix: workloads.Mix{Write: 1}, Access: workloads.Access{Random: 1}, Depth: s.Depth,
			Sizes:  []workloads.SizeShare{{Bytes: s.SizeBytes, Share: 1}},
			Region: workloads.Region{Offset: e.Offset, Length: e.Length},
		}}
		if err := lanes[len(lanes)-1].add(job, i, workloads.JobSeed(seed, i, 0)); err != nil {
			return 0, err
		}
	}
	for _, l := range lanes {
		l.record(0)
	}
	if err := drive(ctx, c.Engine, lanes, runners.Limits{Duration: s.Round, Grace: c.grace(), Abandon: c.Abandon}, edgeWatch{}); err != nil {
		return 0, err
	}
	t := &results.Trial{}
	for _, l := range lanes {
		if err := firstError(l); err != nil {
			return 0, err
		}
		t.Jobs = append(t.Jobs, l.recorder.Results()...)
	}
	begin, end := lanes[0].recorder.Window()
	t.WindowSeconds = (end - begin).Seconds()
	value, note, err := results.Metric(t, s.On)
	if err != nil {
		return 0, err
	}
	if !value.Valid && s.On == "mean" {
		return 0, fmt.Errorf("it has no mean latency: %s: make the rounds longer", note)
	}
	return value.V, nil // a round in which the target hardly did anything has a rate of 0
}

// judgePrepared tells the reader of a trial what its preparation came to.
func judgePrepared(t *results.Trial, p *results.Preparation) {
	if p == nil || p.Steadiness == nil || p.Steadiness.Steady {
		return
	}
	s := p.Steadiness
	finding(t, "prepared_unsteady", false, fmt.Sprintf("the target was not steady after %d rounds of %g s of random overwrite: over the last %d rounds %s ranged over %s of its mean and its line moved by %s",
		len(s.Rounds), s.RoundSeconds, s.Window, s.Quantity, percentText(s.Range), percentText(s.Slope)))
}

func percentText(f results.Float) string {
	if !f.Valid {
		return "an unknown share"
	}
	return fmt.Sprintf("%.0f %%", 100*f.V)
}
