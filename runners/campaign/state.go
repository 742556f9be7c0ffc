package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
)

// state is what a campaign learns as it goes.
type state struct {
	done     map[int]bool
	attempts map[int]int
	// maxima holds the measured maximum rate of each job of a cell, in
	// operations per second, that percentages refer to; 0 for a job that does
	// not take the load.
	maxima map[cell][]float64
	// choices are the load points that are chosen while measuring.
	choices choices
	// prepared is what was done for workloads in this session.
	prepared map[string]*results.Preparation
	outcome  Outcome
	started  time.Time
	// valid says of each point that was measured whether any trial came out
	// valid, or at least not invalid.
	valid map[point]bool
	// sequence decides when enough is known.
	sequence sequence
	// measured counts the trials of this session; before is the planned time of
	// those that earlier sessions measured.
	measured int
	before   time.Duration
	// earlier is what those took, as far as they tell.
	earlier time.Duration
}

// cell is what shares a measured maximum.
type cell struct{ block, variant, workload int }

func newState(c *Campaign) *state {
	s := &state{
		done: map[int]bool{}, attempts: map[int]int{}, maxima: map[cell][]float64{}, valid: map[point]bool{},
		choices: newChoices(c.Plan.Profile), sequence: newSequence(c),
		prepared: map[string]*results.Preparation{}, started: time.Now(),
	}
	byIndex := map[int]*profiles.Trial{}
	for i := range c.Plan.Trials {
		byIndex[c.Plan.Trials[i].Index] = &c.Plan.Trials[i]
	}
	for i := range c.Done {
		s.recall(byIndex[c.Done[i].Index], &c.Done[i])
		if !c.Simulated { // where no budget is spent
			s.earlier += took(&c.Done[i])
		}
	}
	s.measured = 0
	for index := range s.done {
		s.before += trialTime(c.Plan, byIndex[index])
	}
	return s
}

// took is how long a stored trial was prepared and driven.
func took(t *results.Trial) time.Duration {
	seconds := t.WarmupSeconds + t.WindowSeconds
	if t.Prepared != nil {
		seconds += t.Prepared.Seconds
	}
	return time.Duration(seconds * float64(time.Second))
}

// recall takes over a trial that an earlier session stored. Interrupted and
// failed trials are measured again.
func (s *state) recall(planned *profiles.Trial, t *results.Trial) {
	if planned == nil {
		return
	}
	s.attempts[t.Index] = max(s.attempts[t.Index], t.Attempt+1)
	if t.Status == results.Interrupted || t.Status == results.Failed || s.done[t.Index] {
		return
	}
	s.settle(planned, t)
}

// settle counts a trial as the last word on its place in the plan.
func (s *state) settle(planned *profiles.Trial, t *results.Trial) {
	s.done[planned.Index] = true
	s.measured++
	if t.Load.Max && t.Status == results.Valid {
		s.maxima[cell{planned.Block, planned.Variant, planned.Workload}] = loadRates(t)
	}
	s.choices.learn(planned, t)
	at := point{planned.Variant, planned.Workload, t.Load.String()}
	s.valid[at] = s.valid[at] || t.Status != results.Invalid
	s.outcome.count(t)
}

// point is a variant of a workload at a load point.
type point struct {
	variant, workload int
	load              string
}

// hollow counts the points whose trials all came out invalid.
func (s *state) hollow() (n int) {
	for _, valid := range s.valid {
		if !valid {
			n++
		}
	}
	return n
}

func (o *Outcome) count(t *results.Trial) {
	switch t.Status {
	case results.Valid:
		o.Valid++
		return
	case results.Invalid:
		o.Invalid++
		if slices.ContainsFunc(t.Findings, func(f results.Finding) bool { return f.Code == ioErrors }) {
			o.Erring++
		}
	case results.Unsupported:
		o.Unsupported++
	default:
		o.Failed++
	}
	for _, f := range t.Findings {
		if f.Fatal {
			o.note(f.Text)
			return
		}
	}
}

func (o *Outcome) note(text string) {
	for _, r := range o.Reasons {
		if r == text {
			return
		}
	}
	if len(o.Reasons) < 8 {
		o.Reasons = append(o.Reasons, text)
	}
}

// loadRates are the rates that the jobs under load reached.
func loadRates(t *results.Trial) []float64 {
	rates := make([]float64, len(t.Jobs))
	for i, j := range t.Jobs {
		for _, k := range j.Kinds {
			if j.Load && k.OpsPerSecond.Valid {
				rates[i] += k.OpsPerSecond.V
			}
		}
	}
	return rates
}

// progress says where the campaign stands before a trial.
func (s *state) progress(p *profiles.Plan, t *profiles.Trial) Progress {
	var left, past time.Duration
	for i := range p.Trials {
		if planned := trialTime(p, &p.Trials[i]); s.done[p.Trials[i].Index] {
			past += planned
		} else if s.sequence.expects(&p.Trials[i]) {
			left += planned
		}
	}
	if s.measured > 0 && past > 0 {
		// What the trials so far took beyond their plan, those left will too.
		left = time.Duration(float64(left) * max(1, float64(time.Since(s.started))/float64(past-s.before)))
	}
	return Progress{
		Trial: t.Index + 1, Trials: len(p.Trials), Label: label(p, t), Left: left,
		Workload: p.Profile.Workloads[t.Workload].Name, Variant: p.Variants[t.Variant].ID, Load: t.Load,
	}
}

// trialTime is what a trial takes at least, by its plan.
func trialTime(p *profiles.Plan, t *profiles.Trial) time.Duration {
	m := p.Profile.Workloads[t.Workload].Measure
	return m.Settle + m.Warmup + m.Duration
}

// label names a trial for people.
func label(p *profiles.Plan, t *profiles.Trial) string {
	text := p.Profile.Workloads[t.Workload].Name + " " + p.Variants[t.Variant].Label
	switch {
	case t.Load.Max:
		return text + " at the maximum"
	case t.Load.Percent > 0:
		return fmt.Sprintf("%s at %g%% of the maximum", text, t.Load.Percent)
	case t.Load.Rate > 0:
		return fmt.Sprintf("%s at %g/s", text, t.Load.Rate)
	case t.Load.Depth > 0:
		return fmt.Sprintf("%s at depth %d", text, t.Load.Depth)
	}
	return text
}
