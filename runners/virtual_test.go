package runners

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// virtual is a queue on a virtual clock in front of a first-in, first-out
// server, the known system that Drive and Recorder are judged by.
type virtual struct {
	slots   int
	servers []time.Duration // when each is free
	service func(op workloads.Op) time.Duration
	fail    func(op workloads.Op) error // nil: none fails
	lost    func(op workloads.Op) bool  // nil: none is lost
	broken  error                       // what Reap returns after the clock passes an hour

	now    time.Duration
	out    []Completion // in the order of Done
	lostN  int
	oldest Completion // the first that was lost
	most   int        // the largest number outstanding
	perJob map[uint16]int
	peak   map[uint16]int
	issued []workloads.Op // kept when keep is set
	keep   bool
	tick   func(now time.Duration) // called by each Reap
}

func newVirtual(slots, servers int, service time.Duration) *virtual {
	return &virtual{
		slots: slots, servers: make([]time.Duration, servers),
		service: func(workloads.Op) time.Duration { return service },
		out:     make([]Completion, 0, slots),
		perJob:  map[uint16]int{}, peak: map[uint16]int{},
	}
}

func (v *virtual) Submit(ops []workloads.Op) (int, error) {
	for n, op := range ops {
		if len(v.out)+v.lostN == v.slots {
			return n, nil
		}
		v.start(op)
	}
	return len(ops), nil
}

func (v *virtual) start(op workloads.Op) {
	if v.keep {
		v.issued = append(v.issued, op)
	}
	if v.lost != nil && v.lost(op) {
		if v.lostN++; v.lostN == 1 {
			v.oldest = Completion{Op: op, Issued: v.now}
		}
		return
	}
	s := 0
	for i, free := range v.servers {
		if free < v.servers[s] {
			s = i
		}
	}
	c := Completion{Op: op, Issued: v.now, N: op.Len}
	c.Done = max(v.now, v.servers[s]) + v.service(op)
	v.servers[s] = c.Done
	if v.fail != nil {
		c.Err = v.fail(op)
	}
	i := len(v.out)
	for i > 0 && v.out[i-1].Done > c.Done {
		i--
	}
	v.out = slices.Insert(v.out, i, c)
	v.most = max(v.most, len(v.out))
	v.perJob[op.Job]++
	v.peak[op.Job] = max(v.peak[op.Job], v.perJob[op.Job])
}

func (v *virtual) Reap(dst []Completion, least int, until time.Duration) (int, error) {
	if v.tick != nil {
		v.tick(v.now)
	}
	if v.broken != nil && v.now > time.Hour {
		return 0, v.broken
	}
	if least > 0 {
		v.wait(until)
	}
	n := 0
	for n < len(dst) && n < len(v.out) && v.out[n].Done <= v.now {
		v.perJob[v.out[n].Op.Job]--
		n++
	}
	copy(dst, v.out[:n])
	v.out = v.out[:copy(v.out, v.out[n:])]
	return n, nil
}

// wait moves the clock to the next completion or to until.
func (v *virtual) wait(until time.Duration) {
	next := until
	if len(v.out) > 0 && (until == 0 || v.out[0].Done < until) {
		next = v.out[0].Done
	}
	v.now = max(v.now, next)
}

func (v *virtual) Oldest() (workloads.Op, time.Duration, bool) {
	return v.oldest.Op, v.oldest.Issued, v.lostN > 0
}

func (v *virtual) Elapsed() time.Duration { return v.now }

func (v *virtual) Close() error { return nil }

var errBroken = errors.New("broken")

// counted is a stream of n reads (0: endless), due as gap says.
type counted struct {
	n, issued int64
	length    int64
	kind      workloads.Kind
	at        time.Duration
	gap       func() time.Duration // nil: a closed loop
}

func (s *counted) Next(op *workloads.Op) bool {
	if s.n > 0 && s.issued == s.n {
		return false
	}
	if s.gap != nil {
		s.at += s.gap()
		op.At = s.at
	}
	op.Len, op.Kind = max(s.length, 4096), s.kind
	op.Off = s.issued * op.Len
	s.issued++
	return true
}

func poisson(rate float64, seed uint64) func() time.Duration {
	r := rand.New(rand.NewPCG(seed, 0))
	return func() time.Duration { return max(1, time.Duration(r.ExpFloat64()/rate*1e9)) }
}

// thinker pauses for a time that differs by slot after each completion.
type thinker struct {
	due    []time.Duration
	pauses []time.Duration
	turn   int
}

func (s *thinker) Next(op *workloads.Op) bool {
	if len(s.due) == 0 {
		return false
	}
	op.At, op.Len = s.due[0], 4096
	s.due = s.due[1:]
	return true
}

func (s *thinker) Completed(_ workloads.Op, at time.Duration) {
	s.due = append(s.due, at+s.pauses[s.turn%len(s.pauses)])
	s.turn++
}

// bursts issues groups of size, the next when the one before is done.
type bursts struct {
	size, left, done int
	groups           int
}

func (s *bursts) Next(op *workloads.Op) bool {
	if s.left == 0 {
		return false
	}
	s.left--
	op.Len = 4096
	return true
}

func (s *bursts) Completed(workloads.Op, time.Duration) {
	s.done++
	if s.done == s.size && s.groups > 1 {
		s.groups--
		s.done, s.left = 0, s.size
	}
}
