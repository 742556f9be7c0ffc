package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/tunables"
	"github.com/iosweep/iosweep/workloads"
)

// measure runs one trial. It always returns a trial that can be stored; the
// error is for what must end the campaign.
func (c *Campaign) measure(ctx context.Context, s *state, planned *profiles.Trial, p Progress) (*results.Trial, error) {
	w := &c.Plan.Profile.Workloads[planned.Workload]
	t := &results.Trial{
		Schema: results.SchemaVersion, Index: planned.Index, Block: planned.Block,
		Variant: c.Plan.Variants[planned.Variant].ID, Workload: w.Name, Load: planned.Load,
		Seed: planned.Seed, Started: time.Now().UTC(), Status: results.Valid,
	}
	if c.Simulated {
		t.Started = time.Time{}
	}
	js, err := s.resolveLoad(planned, w, t)
	if err != nil {
		fail(t, results.Invalid, "no_maximum", err)
		return t, nil
	}
	if err := c.accepts(w); err != nil {
		return c.failed(t, err)
	}
	where, err := c.place(c.Plan.Variants[planned.Variant].Settings, c.lowerDepth(w))
	t.Settings = where.applied
	if err != nil {
		return c.failed(t, err)
	}
	err = c.applied(ctx, &where, func() error { return c.execute(ctx, s, w, js, t, &where, p) })
	t.Settings = where.applied
	if err != nil {
		return c.failed(t, err)
	}
	judge(c, w, t)
	for _, why := range where.inert {
		finding(t, "no_effect_expected", false, why)
	}
	for _, what := range where.clamped {
		finding(t, "setting_clamped", false, what)
	}
	return t, nil
}

// resolveLoad returns the jobs at a trial's load point. Of a percentage each
// job is offered that share of its own maximum, divided among its copies; the
// trial's rate is the sum.
func (s *state) resolveLoad(planned *profiles.Trial, w *profiles.Workload, t *results.Trial) ([]profiles.Job, error) {
	js := w.JobsAt(t.Load)
	if planned.Load.Percent == 0 || planned.Load.Max {
		return js, nil
	}
	most := s.maxima[cell{planned.Block, planned.Variant, planned.Workload}]
	for i := range js {
		if !js[i].Load {
			continue
		}
		if i >= len(most) || most[i] <= 0 {
			return nil, fmt.Errorf("%g%% of the maximum was asked, and in the trial that measures the maximum job %s came to nothing", planned.Load.Percent, js[i].Name)
		}
		rate := most[i] * planned.Load.Percent / 100
		js[i].Rate = rate / float64(max(1, js[i].Copies))
		t.Load.Rate += rate
	}
	return js, nil
}

// ErrRestore marks failures to put settings back: nothing may follow them.
var ErrRestore = errors.New("restore settings")

// applied applies the kernel's part of the settings, calls do, looks for drift
// and restores.
func (c *Campaign) applied(ctx context.Context, where *placed, do func() error) (err error) {
	if len(where.kernel) == 0 {
		return do()
	}
	lease, err := c.Knobs.Apply(ctx, where.kernel)
	if err != nil {
		return fmt.Errorf("apply settings: %w", err)
	}
	defer func() {
		if e := lease.Restore(ctx); e != nil {
			err = errors.Join(err, fmt.Errorf("%w: %w", ErrRestore, e))
		}
	}()
	where.observe(lease)
	if err := do(); err != nil {
		return err
	}
	drifts, err := lease.Check(ctx)
	if err != nil {
		return fmt.Errorf("read settings back after the trial: %w", err)
	}
	where.drifted(drifts)
	return nil
}

// drifted notes what changed under the trial; judge makes it invalid.
func (p *placed) drifted(drifts []tunables.Drift) {
	for _, d := range drifts {
		for i := range p.applied {
			if p.applied[i].Tunable == d.Tunable {
				p.applied[i].After = d.Got
			}
		}
	}
}

// execute prepares the target, drives the workload and fills the trial in.
func (c *Campaign) execute(ctx context.Context, s *state, w *profiles.Workload, js []profiles.Job, t *results.Trial, where *placed, p Progress) error {
	if err := c.forgetStamps(); err != nil {
		return err
	}
	ctx, unguard := c.guard(ctx, w)
	defer unguard()
	if err := c.prepare(ctx, s, w, t); err != nil {
		return err
	}
	if err := c.settleDown(ctx, w.Measure.Settle); err != nil {
		return err
	}
	stamps, err := c.stamps(w, where.layers)
	if err != nil {
		return err
	}
	lanes, err := c.lanes(js, c.shares(where), t.Seed, w.Measure.Duration, stamps)
	if err != nil {
		return errors.Join(err, stamps.finish(nil))
	}
	stop := c.observe(lanes, p)
	sizes := c.traced(ctx, w.Measure.Warmup, w.Deletes())
	span := &meterSpan{meter: c.Meter, spans: c.spans(w)}
	edges := edgeWatch{span.open, span.close}
	if c.Simulated {
		edges = edgeWatch{} // the host's processors say nothing of a model
	}
	proofs := c.proveDeletes(w)
	var pulse beats
	hush := c.beat(&pulse)
	err = c.drive(ctx, c.engine(where), lanes, c.limits(w.Measure), edges)
	hush()
	stop()
	pulse.judge(t)
	for _, p := range proofs {
		if err == nil {
			p.judge(t, lanes)
		}
	}
	collect(t, js, lanes)
	if c.Simulated {
		dropCopies(t)
	} else {
		t.SkewSeconds = windowSkew(lanes).Seconds()
	}
	err = errors.Join(err, stamps.finish(t))
	if err == nil && span.err != nil {
		finding(t, "no_counters", false, span.err.Error())
	}
	if span.asleep > 0 {
		finding(t, "suspended", true, fmt.Sprintf("the machine slept for %v during the measurement: keep it awake and measure again", span.asleep.Round(100*time.Millisecond)))
	}
	t.Counters, t.NamedCounters, t.CPU = span.counters, span.named, span.cpu
	sizes(t)
	if where.layered() {
		t.Layer = sumLayers(lanes)
	}
	return err
}

func (c *Campaign) limits(m profiles.Measure) runners.Limits {
	return runners.Limits{Warmup: m.Warmup, Duration: m.Duration, Ops: m.Ops, Bytes: m.Bytes, Grace: c.grace(), Abandon: c.Abandon}
}

// grace is how long operations may take before the device counts as stuck: a
// delete of a whole device may take minutes, and on a model no time is lost.
func (c *Campaign) grace() time.Duration {
	if c.Simulated {
		return 24 * time.Hour
	}
	return 5 * time.Minute
}

// settleDown waits until what a change of settings stirs up has passed.
func (c *Campaign) settleDown(ctx context.Context, settle time.Duration) error {
	if c.Simulated || settle == 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		// The cause tells a device that went; that it is a cancellation tells
		// the operator's wish, whatever the cause's type.
		return fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx))
	case <-time.After(settle):
		return nil
	}
}

// collect brings the lanes' results together, copies of one job merged.
func collect(t *results.Trial, js []profiles.Job, lanes []*lane) {
	byJob := make([][]results.JobResult, len(js))
	for _, l := range lanes {
		for k, r := range l.recorder.Results() {
			byJob[l.index[k]] = append(byJob[l.index[k]], r)
		}
	}
	for i, parts := range byJob {
		r := runners.MergeJobs(parts)
		r.Load = js[i].Load
		t.Jobs = append(t.Jobs, r)
	}
	if len(lanes) > 0 {
		begin, end := lanes[0].recorder.Window()
		t.WarmupSeconds, t.WindowSeconds = max(0, begin-lanes[0].began).Seconds(), (end - begin).Seconds()
	}
}

// dropCopies leaves out response times that repeat the service times: on a
// virtual clock a closed loop issues everything when it is due.
func dropCopies(t *results.Trial) {
	for _, j := range t.Jobs {
		for i := range j.Kinds {
			if k := &j.Kinds[i]; j.Rate == 0 && k.Response.Equal(k.Service) {
				k.Response = nil
			}
		}
	}
}

// failed classifies what went wrong and says whether the campaign can go on.
func (c *Campaign) failed(t *results.Trial, err error) (*results.Trial, error) {
	switch {
	case errors.Is(err, ErrRestore), errors.Is(err, tunables.ErrHung):
		return fail(t, results.Failed, "not_restored", err), err
	case gone(err):
		return fail(t, results.Failed, "target_lost", err), fmt.Errorf("%w: %w", ErrTarget, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fail(t, results.Interrupted, "interrupted", err), err
	case errors.Is(err, tunables.ErrRefused), errors.Is(err, tunables.ErrPending):
		return fail(t, results.Failed, "refused", err), err
	case errors.Is(err, ErrPanic):
		return fail(t, results.Failed, "panic", err), err
	case errors.Is(err, runners.ErrStuck):
		return fail(t, results.Failed, "target_stuck", err), fmt.Errorf("%w: %w", ErrTarget, err)
	case errors.Is(err, tunables.ErrUnsupported), errors.Is(err, runners.ErrUnsupported), errors.Is(err, workloads.ErrMisfit):
		return fail(t, results.Unsupported, "unsupported", err), nil
	}
	return fail(t, results.Failed, "failed", err), nil
}

func fail(t *results.Trial, status results.Status, code string, err error) *results.Trial {
	t.Status = status
	finding(t, code, true, err.Error())
	return t
}

// finding adds a finding; a fatal one makes a valid trial invalid.
func finding(t *results.Trial, code string, fatal bool, text string) {
	t.Findings = append(t.Findings, results.Finding{Code: code, Fatal: fatal, Text: text})
	if fatal && t.Status == results.Valid {
		t.Status = results.Invalid
	}
}
