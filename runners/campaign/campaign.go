// Package campaign runs a plan on one target. It is the only orchestrator: for
// each trial it
//
//  1. applies the variant's settings and reads them back,
//  2. prepares the target and lets it settle,
//  3. opens queues, drives the workload's jobs and records what came of them,
//  4. reads the settings again, restores them,
//  5. judges the trial and appends it to the run folder.
//
// Settings are restored after each trial, whatever happened in it.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/tunables"
)

// Meter reads what the kernel has counted on the target so far.
type Meter interface {
	Read() (results.Counters, error)
}

// Knobs applies settings to the kernel. *tunables.Host is one.
type Knobs interface {
	Apply(ctx context.Context, settings []tunables.Setting) (*tunables.Lease, error)
}

// Store keeps finished trials. *results.Writer is one.
type Store interface {
	Append(t *results.Trial) error
}

// Journals keeps what was stamped, so that it can be verified after a crash.
type Journals interface {
	// Clear forgets the journals of earlier trials: what follows writes over
	// what they speak of.
	Clear() error
	// Create makes a journal. What is written to it must be durable.
	Create() (io.WriteCloser, error)
}

// Watcher is shown what happens as it happens, from one goroutine at a time.
type Watcher interface {
	// Begins is called before each trial, Runs a few times a second during its
	// warm-up and window, Ends after it was stored.
	Begins(p Progress)
	Runs(p Progress)
	Ends(p Progress, t *results.Trial)
}

// Progress is where a campaign stands.
type Progress struct {
	// Trial counts from 1, of Trials.
	Trial, Trials int
	// Label names the variant, workload and load point.
	Label string
	// Workload is the workload's name, Variant the variant's id.
	Workload, Variant string
	Load              results.Load
	// OpsPerSecond, BytesPerSecond and MeanSeconds are of the last moment.
	OpsPerSecond, BytesPerSecond, MeanSeconds float64
	// Sampled is how long operations took lately, by job and kind.
	Sampled []runners.Sampled
	// Left estimates the time until the end of the campaign.
	Left time.Duration
}

// Campaign is everything that a plan needs to be run. Plan, Engine, Target and
// Store are required.
type Campaign struct {
	Plan   *profiles.Plan
	Engine runners.Engine
	Target runners.Target
	Store  Store
	// Named are the targets beside the first, which jobs name.
	Named []NamedTarget
	// Knobs is nil where no kernel knob can be changed.
	Knobs Knobs
	// Meter is nil where the target has no counters.
	Meter Meter
	// Tracer is nil where requests cannot be traced.
	Tracer Tracer
	// Device is the target's identity (serial, WWN, backing file), which stamped
	// blocks carry; Journals is nil where nothing is to be verified later.
	Device   string
	Journals Journals
	// Health is nil where the target does not tell of its faults.
	Health Health
	// Watch may be nil.
	Watch Watcher
	// Done are the trials that an earlier session of this run has stored.
	Done []results.Trial
	// Only restricts a session to some of the planned trials; nil is all of them.
	Only func(*profiles.Trial) bool
	// Simulated says that time is virtual: nothing is waited for.
	Simulated bool
	// Abandon, when it is closed after ctx was cancelled, ends the wait for
	// operations that do not come back. Nil is never closed.
	Abandon <-chan struct{}
}

// Outcome counts what became of the planned trials.
type Outcome struct {
	Valid, Invalid, Failed, Unsupported int
	// Erring are the invalid trials in which the device failed operations.
	Erring int
	// Reasons holds the first text of each kind of trouble.
	Reasons []string
	// Hollow counts variants at load points whose trials all came out invalid.
	Hollow int
	// Stopped says why a campaign that measures until it knows enough ended, and
	// Inconclusive that it did not come to know it.
	Stopped      string
	Inconclusive bool
}

// ErrTarget means that the target is gone or broken, so that no further trial
// makes sense.
var ErrTarget = errors.New("target lost")

// Run measures every planned trial that Done does not hold. When ctx is
// cancelled it ends the current trial, restores what was changed and returns
// the cause. An error means that the campaign could not go on; trials that
// merely failed are in the store and in the Outcome.
func (c *Campaign) Run(ctx context.Context) (Outcome, error) {
	state := newState(c)
	for i := range c.Plan.Trials {
		planned := &c.Plan.Trials[i]
		if state.done[planned.Index] || c.Only != nil && !c.Only(planned) {
			continue
		}
		enough, err := state.sequence.enough(planned, state.earlier+time.Since(state.started))
		if err != nil {
			return state.outcome, err
		}
		if enough {
			break
		}
		if err := c.runPlace(ctx, state, planned); err != nil {
			return state.outcome, fmt.Errorf("trial %d of %d: %w", planned.Index+1, len(c.Plan.Trials), err)
		}
	}
	state.outcome.Hollow = state.hollow()
	err := state.sequence.finish(&state.outcome)
	return state.outcome, err
}

// runPlace measures one place of the plan, again while the trial comes out
// invalid and the profile allows another attempt.
func (c *Campaign) runPlace(ctx context.Context, s *state, planned *profiles.Trial) error {
	for attempt := s.attempts[planned.Index]; ; attempt++ {
		resolved := s.choices.resolve(planned)
		progress := s.progress(c.Plan, resolved)
		c.begins(progress)
		health := c.watchHealth(ctx, &c.Plan.Profile.Workloads[resolved.Workload])
		trial, err := c.measure(ctx, s, resolved, progress)
		if err == nil { // a disk that is gone or stuck is not asked
			health(trial)
		}
		trial.Attempt = attempt
		if storeErr := c.Store.Append(trial); storeErr != nil {
			return errors.Join(err, fmt.Errorf("store trial: %w", storeErr))
		}
		s.sequence.keep(trial)
		c.ends(progress, trial)
		if err != nil {
			return err
		}
		if trial.Status == results.Invalid && attempt < c.Plan.Profile.Measure.Retries {
			continue
		}
		s.settle(planned, trial)
		return nil
	}
}

func (c *Campaign) begins(p Progress) {
	if c.Watch != nil {
		c.Watch.Begins(p)
	}
}

func (c *Campaign) ends(p Progress, t *results.Trial) {
	if c.Watch != nil {
		c.Watch.Ends(p, t)
	}
}
