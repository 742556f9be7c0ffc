package campaign

import (
	"maps"
	"math"
	"slices"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/curves"
)

// choice follows the load points of a workload that are chosen while measuring.
type choice struct {
	// percent is what was chosen for a planned percentage, which only holds its
	// place.
	percent map[float64]float64
	// steps is what the first block measured, by variant.
	steps map[int][]curves.Step
}

// choices are those of all adaptive workloads, by their index in the profile.
type choices map[int]*choice

func newChoices(p *profiles.Profile) choices {
	all := choices{}
	for i, w := range p.Workloads {
		if w.Adaptive {
			all[i] = &choice{percent: map[float64]float64{}, steps: map[int][]curves.Step{}}
		}
	}
	return all
}

// resolve returns a planned trial with the load point that was chosen in place of
// the one that held its place. A point is chosen before the first trial at it,
// for all variants and blocks, from what the first block measured so far: so
// curves have the same points, and the blocks of variants pair.
func (all choices) resolve(planned *profiles.Trial) *profiles.Trial {
	c := all[planned.Workload]
	if c == nil || planned.Load.Max {
		return planned
	}
	percent, chosen := c.percent[planned.Load.Percent]
	if !chosen {
		percent = c.next(planned.Load.Percent)
		c.percent[planned.Load.Percent] = percent
	}
	resolved := *planned
	resolved.Load.Percent = percent
	return &resolved
}

// next chooses a point. Where the curves leave none, the planned one stays.
func (c *choice) next(planned float64) float64 {
	var all [][]curves.Step
	for _, v := range slices.Sorted(maps.Keys(c.steps)) {
		all = append(all, c.steps[v])
	}
	if percent, ok := curves.Next(all); ok {
		return percent
	}
	return planned
}

// learn takes a finished trial into account. A point that an earlier session of
// the run measured was chosen then.
func (all choices) learn(planned *profiles.Trial, t *results.Trial) {
	c := all[planned.Workload]
	if c == nil {
		return
	}
	percent := 100.0
	if !planned.Load.Max {
		percent = t.Load.Percent
		c.percent[planned.Load.Percent] = percent
	}
	if planned.Block > 0 {
		return
	}
	c.steps[planned.Variant] = append(c.steps[planned.Variant], curves.Step{Percent: percent, Seconds: meanLatency(t)})
}

// meanLatency is over all operations of the jobs under load, from when they were
// due; +Inf of a trial that does not count.
func meanLatency(t *results.Trial) float64 {
	sum, n := 0.0, 0.0
	for _, j := range t.Jobs {
		for _, k := range j.Kinds {
			h := k.Service
			if k.Response != nil {
				h = k.Response
			}
			if mean, ok := h.MeanSeconds(); ok && j.Load {
				sum, n = sum+mean*float64(h.Count()), n+float64(h.Count())
			}
		}
	}
	if n == 0 || t.Status != results.Valid {
		return math.Inf(1)
	}
	return sum / n
}
