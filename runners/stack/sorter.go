package stack

import (
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// sorter is the policy of the bioq layer: whole parents, in the bioq's order.
//
// FreeBSD's bioq hands an ordered request over in its place in the queue and
// waits for nothing; that everything before it is done first is left to the
// device, through an ordered tag or because a flush cannot be mixed with queued
// commands. The queues below have no ordered tags, so the layer waits in the
// device's place: an ordered request goes down alone. The batch limit's
// barriers are barriers only within the queue, there as here.
type sorter struct {
	layer    *layer
	queue    bioq
	requests []request // by parent
	// sizeBytes is the target's size.
	sizeBytes int64

	below   int  // requests at the device
	ordered bool // one of them is ordered
}

func newSorter(l *layer, batch int, sizeBytes int64) *sorter {
	return &sorter{
		layer:     l,
		queue:     bioq{batch: batch},
		requests:  make([]request, len(l.parents)),
		sizeBytes: sizeBytes,
	}
}

// add sorts the parent in. A flush is ordered and stands at the end of the
// medium.
func (s *sorter) add(i int32) {
	op := &s.layer.parents[i].op
	r := &s.requests[i]
	*r = request{parent: i, off: op.Off, length: op.Len, kind: op.Kind, ordered: op.Barrier}
	if op.Kind == workloads.Flush {
		r.off, r.ordered = s.sizeBytes, true
	}
	s.queue.disksort(r)
}

func (s *sorter) next() (int32, workloads.Op, bool) {
	head := s.queue.head
	if head == nil || s.ordered || head.ordered && s.below > 0 {
		return 0, workloads.Op{}, false
	}
	s.queue.takeFirst()
	s.below++
	s.ordered = head.ordered
	p := &s.layer.parents[head.parent]
	p.last = true
	return head.parent, p.op, true
}

func (s *sorter) returned(int32, *runners.Completion) {
	s.below--
	s.ordered = false
}
