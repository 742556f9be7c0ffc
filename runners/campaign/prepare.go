package campaign

import (
	"context"
	"fmt"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// Preparing writes and deletes in large sequential requests, straight to the
// engine: it is not measured and no layer stands in front of it.
const (
	prepareBytes = 1 << 20
	prepareDepth = 8
)

// prepare brings the jobs' regions into the state that the workload asks for.
func (c *Campaign) prepare(ctx context.Context, w *profiles.Workload, js []profiles.Job) error {
	if c.Simulated || !w.Prepare.Delete && !w.Prepare.Fill { // a model has no content
		return nil
	}
	for _, region := range regions(js) {
		if w.Prepare.Delete {
			spec := workloads.Spec{Name: "prepare", Mix: workloads.Mix{Delete: 1}, Region: region, Whole: true, Access: workloads.Access{StopAtEnd: true}}
			if err := c.once(ctx, spec, 1, 1); err != nil {
				return fmt.Errorf("prepare %s: delete: %w", w.Name, err)
			}
		}
		if w.Prepare.Fill {
			spec := workloads.Spec{Name: "prepare", Mix: workloads.Mix{Write: 1}, Region: region, Access: workloads.Access{StopAtEnd: true}}
			spec.Sizes = []workloads.SizeShare{{Bytes: fillBytes(spec, c.geometry()), Share: 1}}
			if err := c.once(ctx, spec, prepareDepth, 0); err != nil {
				return fmt.Errorf("prepare %s: fill: %w", w.Name, err)
			}
		}
	}
	return nil
}

// fillBytes is the transfer size of a fill: large, and a divisor of the region
// so that nothing at its end is left out.
func fillBytes(s workloads.Spec, g workloads.Geometry) int64 {
	size := int64(prepareBytes)
	for size > g.BlockBytes && s.Bytes(g)%size != 0 {
		size /= 2
	}
	return size
}

// regions lists the distinct regions of the jobs.
func regions(js []profiles.Job) []workloads.Region {
	var out []workloads.Region
	seen := map[workloads.Region]bool{}
	for _, j := range js {
		if !seen[j.Region] {
			seen[j.Region] = true
			out = append(out, j.Region)
		}
	}
	return out
}

// once drives a spec to the end of its stream, or for ops operations.
func (c *Campaign) once(ctx context.Context, s workloads.Spec, depth int, ops int64) error {
	l := &lane{}
	if err := l.add(profiles.Job{Spec: withDepth(s, depth), Copies: 1}, 0, c.geometry(), 1); err != nil {
		return err
	}
	l.record(0)
	if err := drive(ctx, c.Engine, c.Target, []*lane{l}, runners.Limits{Ops: ops}, edgeWatch{}); err != nil {
		return err
	}
	return firstError(l)
}

func withDepth(s workloads.Spec, depth int) workloads.Spec {
	s.Depth = depth
	return s
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
