package stack

import (
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// cutter is the policy of the layers that cut operations into parts, in
// ascending order. Parents take their turn first in, first out.
type cutter struct {
	layer *layer
	// limit is the longest part in bytes by kind; 0 leaves the kind whole.
	limit [workloads.Kinds]int64
	// serial lets a parent have one part below at a time and go on only when it
	// succeeded. Other parents run meanwhile.
	serial bool
	// stripe, when above 0, is the boundary in bytes that a part which does not
	// end its parent is made to end on, where it reaches one.
	stripe int64

	turn fifo // parents with a part to send now
}

// newDeleteCutter cuts deletes as FreeBSD's DIOCGDELETE does (sys/geom/
// geom_dev.c): one chunk after another. A cut chunk ends on the target's
// delete granularity, in the place of the provider's stripe.
func newDeleteCutter(l *layer, chunk, granularity int64) *cutter {
	c := &cutter{layer: l, serial: true, stripe: granularity, turn: newFifo(len(l.parents))}
	c.limit[workloads.Delete] = chunk
	return c
}

// newTransferCutter splits reads and writes that are larger than a driver's
// scatter list can describe. The parts run side by side.
func newTransferCutter(l *layer, largest int64) *cutter {
	c := &cutter{layer: l, turn: newFifo(len(l.parents))}
	c.limit[workloads.Read], c.limit[workloads.Write] = largest, largest
	return c
}

func (c *cutter) add(i int32) { c.turn.push(i) }

func (c *cutter) next() (int32, workloads.Op, bool) {
	if c.turn.n == 0 {
		return 0, workloads.Op{}, false
	}
	i := c.turn.front()
	p := &c.layer.parents[i]
	part := p.op
	part.Off += p.sent
	part.Len = c.length(part.Kind, part.Off, p.op.Len-p.sent)
	p.sent += part.Len
	p.last = p.sent == p.op.Len
	if p.last || c.serial {
		c.turn.pop()
	}
	return i, part, true
}

// length is that of the next part, when rest bytes from off are left.
func (c *cutter) length(k workloads.Kind, off, rest int64) int64 {
	limit := c.limit[k]
	if limit == 0 || rest <= limit {
		return rest
	}
	if c.stripe > 0 {
		if odd := (off + limit) % c.stripe; odd < limit {
			return limit - odd
		}
	}
	return limit
}

// returned gives a serial parent its next turn, or ends it at the first part
// that failed or fell short, so that the bytes done are a prefix.
func (c *cutter) returned(i int32, part *runners.Completion) {
	p := &c.layer.parents[i]
	switch {
	case !c.serial || p.last:
	case part.Err != nil || part.N < part.Op.Len:
		p.last = true
	default:
		c.turn.push(i)
	}
}
