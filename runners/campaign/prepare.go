package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// Preparing writes and deletes in large sequential requests, straight to the
// engine: it is not measured and no layer stands in front of it.
const (
	prepareBytes = 1 << 20
	prepareDepth = 8
)

// prepare brings the jobs' regions into the state that the workload asks for,
// unless an earlier trial did that for the whole run.
func (c *Campaign) prepare(ctx context.Context, s *state, w *profiles.Workload, t *results.Trial) error {
	p := w.Prepare
	if c.Simulated || !p.Delete && p.Fills == 0 && p.Steady == nil { // a model has no content
		return nil
	}
	if done := s.prepared[w.Name]; p.Once && done != nil {
		judgePrepared(t, done)
		return nil
	}
	began := time.Now()
	done, err := c.prepareParts(ctx, p, c.parts(w))
	done.Seconds = time.Since(began).Seconds()
	t.Prepared = done
	if err != nil {
		return fmt.Errorf("prepare %s: %w", w.Name, err)
	}
	s.prepared[w.Name] = done
	judgePrepared(t, done)
	return nil
}

// part is an extent of a target.
type part struct {
	target runners.Target
	profiles.Extent
}

// parts are what the workload's jobs use, target by target.
func (c *Campaign) parts(w *profiles.Workload) []part {
	var list []part
	for _, name := range w.Targets() {
		t := c.on(name).Target
		for _, e := range w.Extents(name, t.SizeBytes) {
			list = append(list, part{t, e})
		}
	}
	return list
}

// prepareParts returns what was done, up to an error.
func (c *Campaign) prepareParts(ctx context.Context, p profiles.Prepare, parts []part) (*results.Preparation, error) {
	done := &results.Preparation{}
	for _, e := range parts {
		if p.Delete {
			if err := c.erase(ctx, e); err != nil {
				return done, fmt.Errorf("delete: %w", err)
			}
			done.DeletedBytes += e.Length
		}
		for range p.Fills {
			if err := c.fill(ctx, e); err != nil {
				return done, fmt.Errorf("fill: %w", err)
			}
			done.FilledBytes += e.Length
		}
	}
	if p.Steady == nil {
		return done, nil
	}
	var err error
	done.Steadiness, err = c.overwrite(ctx, p.Steady, parts)
	return done, err
}

// erase deletes an extent with one request.
func (c *Campaign) erase(ctx context.Context, e part) error {
	return c.once(ctx, workloads.Spec{Mix: workloads.Mix{Delete: 1}, Whole: true, Depth: 1}, e, 1)
}

// fill writes an extent: what large requests leave over at its end by one more.
func (c *Campaign) fill(ctx context.Context, e part) error {
	rest := e.Length % prepareBytes
	spec := workloads.Spec{Mix: workloads.Mix{Write: 1}, Depth: prepareDepth}
	if large := e.Length - rest; large > 0 {
		spec.Sizes = []workloads.SizeShare{{Bytes: prepareBytes, Share: 1}}
		if err := c.once(ctx, spec, part{e.target, profiles.Extent{Offset: e.Offset, Length: large}}, 0); err != nil {
			return err
		}
	}
	if rest == 0 {
		return nil
	}
	spec.Sizes = []workloads.SizeShare{{Bytes: rest, Share: 1}}
	return c.once(ctx, spec, part{e.target, profiles.Extent{Offset: e.Offset + e.Length - rest, Length: rest}}, 0)
}

// once drives a spec over an extent to its end, or for ops operations.
func (c *Campaign) once(ctx context.Context, s workloads.Spec, e part, ops int64) error {
	s.Name, s.Access = "prepare", workloads.Access{StopAtEnd: true}
	s.Region = workloads.Region{Offset: e.Offset, Length: e.Length}
	l := &lane{target: e.target}
	if err := l.add(profiles.Job{Spec: s}, 0, 1); err != nil {
		return err
	}
	l.record(0)
	if err := drive(ctx, c.Engine, []*lane{l}, runners.Limits{Ops: ops, Grace: c.grace(), Abandon: c.Abandon}, edgeWatch{}); err != nil {
		return err
	}
	return firstError(l)
}

// firstError reports operations that failed: a target that was not prepared
// must not be measured.
func firstError(l *lane) error {
	for _, r := range l.recorder.Results() {
		for _, k := range r.Kinds {
			for text := range k.ErrorTexts {
				return fmt.Errorf("%d of %d %ss failed: %s", k.Errors, k.Ops+k.Errors, k.Kind, text)
			}
		}
	}
	return nil
}
