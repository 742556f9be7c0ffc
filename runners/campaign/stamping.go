package campaign

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/stack"
	"github.com/iosweep/iosweep/workloads"
	"github.com/iosweep/iosweep/workloads/content"
)

// stamping stamps and checks the blocks of one trial. It belongs to the
// goroutine that drives the jobs.
type stamping struct {
	parts  []stampedPart
	result results.Verification
}

// stampedPart is one extent of the target.
type stampedPart struct {
	profiles.Extent
	*content.Stamps
	journal io.Closer // nil: none
}

// forgetStamps drops the journals of the trial before.
func (c *Campaign) forgetStamps() error {
	if c.Journals == nil {
		return nil
	}
	if err := c.Journals.Clear(); err != nil {
		return fmt.Errorf("remove the journals of stamps: %w", err)
	}
	return nil
}

// stamps begins the stamping of a workload's extents; nil where it does not
// verify.
func (c *Campaign) stamps(w *profiles.Workload, layers stack.Config) (*stamping, error) {
	if !w.Verify {
		return nil, nil
	}
	s := &stamping{}
	// Stamps of an earlier trial with the same seed must not pass for this one's.
	seed := uint64(time.Now().UnixNano())
	g := geometryOf(c.Target)
	for _, e := range w.Extents("", g.SizeBytes) {
		if err := s.open(c, e, stampBytes(w, e, g, layers), seed); err != nil {
			return nil, errors.Join(fmt.Errorf("stamp workload %s: %w", w.Name, err), s.finish(nil))
		}
	}
	return s, nil
}

// open begins one extent.
func (s *stamping) open(c *Campaign, e profiles.Extent, block int64, seed uint64) error {
	o := content.Options{Device: c.Device, Seed: seed, Offset: e.Offset, Length: e.Length, BlockBytes: block}
	part := stampedPart{Extent: e}
	if c.Journals != nil {
		w, err := c.Journals.Create()
		if err != nil {
			return fmt.Errorf("make the journal: %w", err)
		}
		o.Journal, part.journal = w, w
	}
	var err error
	part.Stamps, err = content.NewStamps(o)
	if part.Stamps != nil {
		s.parts = append(s.parts, part)
	} else if part.journal != nil {
		err = errors.Join(err, part.journal.Close())
	}
	return err
}

// stampBytes is the block by which an extent is stamped: every request to the
// device, whatever the layers cut, is a multiple of it and lies on one.
func stampBytes(w *profiles.Workload, e profiles.Extent, g workloads.Geometry, layers stack.Config) int64 {
	var block int64
	for _, j := range w.Jobs {
		own := profiles.ExtentOf(j.Region, g.SizeBytes)
		if own.Offset < e.Offset || own.Offset >= e.Offset+e.Length {
			continue
		}
		block = divisor(divisor(block, j.Granule(g)), own.Offset-e.Offset)
		if j.Region.To > 0 {
			block = divisor(block, pageBytes)
		}
	}
	if layers.Split {
		block = divisor(block, layers.MaxTransferBytes)
	}
	return block
}

// pageBytes is what extents given as shares are rounded to.
const pageBytes = 4096

// divisor is the greatest common divisor; 0 has every number as one.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// part finds the extent of an address; nil for none.
func (s *stamping) part(off int64) *stampedPart {
	for i := range s.parts {
		if p := &s.parts[i]; off >= p.Offset && off < p.Offset+p.Length {
			return p
		}
	}
	return nil
}

// guard keeps a stream of operations in that extent from overlapping itself
// and the others.
func (s *stamping) guard(e profiles.Extent, stream workloads.Stream) workloads.Stream {
	if p := s.part(e.Offset); p != nil {
		return &timedStream{p.Guard(stream), s}
	}
	return stream
}

// timedStream counts what its guard costs, which may wait for the journal.
type timedStream struct {
	guard  workloads.Stream
	stamps *stamping
}

// Next implements workloads.Stream.
func (t *timedStream) Next(op *workloads.Op) bool {
	defer t.stamps.costs(time.Now())
	return t.guard.Next(op)
}

// Completed implements workloads.Feedback.
func (t *timedStream) Completed(op workloads.Op, at time.Duration) {
	if f, ok := t.guard.(workloads.Feedback); ok {
		defer t.stamps.costs(time.Now())
		f.Completed(op, at)
	}
}

// costs adds the time since then to what verifying costs.
func (s *stamping) costs(since time.Time) { s.result.Seconds += time.Since(since).Seconds() }

// Fill implements runners.Data.
func (s *stamping) Fill(op workloads.Op, buf []byte) {
	defer s.costs(time.Now())
	if p := s.part(op.Off); p != nil {
		p.Stamps.Fill(op, buf)
	}
	s.result.Stamped++
}

// Check implements runners.Data. Its error tells the kind of fault only: where
// each was is counted here.
func (s *stamping) Check(op workloads.Op, buf []byte) error {
	defer s.costs(time.Now())
	s.result.Checked++
	p := s.part(op.Off)
	if p == nil {
		return nil
	}
	err := p.Stamps.Check(op, buf)
	var fault *content.Fault
	if !errors.As(err, &fault) {
		return err
	}
	s.result.Faults = CountFault(s.result.Faults, fault)
	return fmt.Errorf("the data is %v", fault.Kind)
}

// CountFault adds a fault to the counts by kind.
func CountFault(all []results.Fault, f *content.Fault) []results.Fault {
	kind := f.Kind.String()
	i := slices.IndexFunc(all, func(r results.Fault) bool { return r.Kind == kind })
	if i < 0 {
		return append(all, results.Fault{Kind: kind, Count: 1, First: f.Off})
	}
	all[i].Count++
	all[i].First = min(all[i].First, f.Off)
	return all
}

// finish ends the journals and puts what was found into the trial. It is safe
// on nil.
func (s *stamping) finish(t *results.Trial) error {
	if s == nil {
		return nil
	}
	var err error
	for _, p := range s.parts {
		err = errors.Join(err, p.Flush())
		if p.journal != nil {
			err = errors.Join(err, p.journal.Close())
		}
	}
	if t == nil {
		return err
	}
	t.Verified = &s.result
	for _, f := range s.result.Faults {
		finding(t, "data_faults", true, fmt.Sprintf("%d reads brought data that is %s, the first of a block at byte %d: the target does not hold what was written to it", f.Count, f.Kind, f.First))
	}
	return err
}

// stampObserver tells the stamps what became of operations.
type stampObserver struct {
	runners.Observer
	stamps *stamping
}

// Completed implements runners.Observer.
func (o *stampObserver) Completed(cs []runners.Completion, at time.Duration) {
	began := time.Now()
	for i := range cs {
		if p := o.stamps.part(cs[i].Op.Off); p != nil {
			p.Done(cs[i].Op, cs[i].Err)
		}
	}
	o.stamps.costs(began)
	o.Observer.Completed(cs, at)
}
