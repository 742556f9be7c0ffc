package workloads

import (
	"math"
	"time"
)

// NewStream returns the spec's operations on a target for a seed. Its errors
// are Validate's.
//
// The same spec, geometry and seed give the same operations on every machine
// and in every release. Two jobs of a trial need different seeds: see JobSeed.
// Address 0 is used as any other, unlike vdbench, which never touches the first
// block of a device; a Region keeps off it.
func NewStream(s Spec, g Geometry, seed uint64) (Stream, error) {
	if err := s.Validate(g); err != nil {
		return nil, err
	}
	l, err := s.place(g)
	if err != nil {
		return nil, err
	}
	ops := newOps(s, l, seed)
	switch {
	case s.Rate > 0:
		return newPaced(ops, s, seed), nil
	case s.Think > 0 || s.Burst.Ops > 0:
		return newGrouped(ops, s, seed), nil
	}
	return ops, nil
}

// newOps returns the operations without their due times.
func newOps(s Spec, l layout, seed uint64) Stream {
	kinds := newKinds(s.Mix)
	switch {
	case s.Whole:
		return whole(l.region)
	case s.plainRandom() && kinds.only:
		return &scattered{
			draw:  newDraw(seed, forAddress),
			begin: l.region.begin,
			step:  l.align,
			size:  l.greatest,
			slots: l.region.slots(l.greatest, l.align),
			kind:  kinds.one,
		}
	}
	return newPicker(s, l, kinds, seed)
}

// plainRandom says that all addresses are uniform over the region and all sizes
// equal.
func (s Spec) plainRandom() bool {
	least, greatest := s.extremes()
	return s.Access.Random >= 1 && s.Access.PoissonMid == 0 && s.HotBand.High == 0 &&
		!s.Hit.used() && least == greatest
}

// whole deletes an area again and again.
type whole area

func (w whole) Next(op *Op) bool {
	op.At, op.Off, op.Len, op.Kind, op.Barrier = 0, w.begin, w.end-w.begin, Delete, false
	return true
}

// scattered is the plain random job, by far the most common, without the
// decisions that it does not need. It yields what a picker would.
type scattered struct {
	draw
	begin, step, size int64
	slots             uint64
	kind              Kind
}

func (s *scattered) Next(op *Op) bool {
	op.At, op.Len, op.Kind, op.Barrier = 0, s.size, s.kind, false
	op.Off = s.begin + s.step*int64(s.below(s.slots))
	return true
}

// paced gives each operation of a stream the time at which it is due.
type paced struct {
	ops  Stream
	gaps arrivals
	due  time.Duration
	part float64 // of a nanosecond, carried
}

func newPaced(ops Stream, s Spec, seed uint64) *paced {
	return &paced{ops: ops, gaps: arrivals{
		draw: newDraw(seed, forArrival), kind: s.Arrivals, mean: 1e9 / s.Rate,
	}}
}

// Next spaces operations in whole nanoseconds without losing the fractions, so
// that the mean rate is the one asked for.
func (p *paced) Next(op *Op) bool {
	if !p.ops.Next(op) {
		return false
	}
	p.part += p.gaps.next()
	if p.part >= float64(math.MaxInt64-p.due) {
		return false // 292 years on
	}
	ns := time.Duration(p.part)
	p.part -= float64(ns)
	p.due += ns
	op.At = max(p.due, 1) // 0 would mean: as soon as possible
	return true
}

// arrivals draws the gaps between operations, in nanoseconds.
type arrivals struct {
	draw
	kind Arrivals
	mean float64
}

func (a *arrivals) next() float64 {
	switch a.kind {
	case Deterministic:
		return a.mean
	case UniformSpaced:
		return float64(2 * a.mean * a.unit())
	}
	return float64(a.mean * exponential(&a.draw))
}
