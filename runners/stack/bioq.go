package stack

import "github.com/iosweep/iosweep/workloads"

// request is one entry of a bioq. The first fields are the caller's, the links
// the queue's.
type request struct {
	off, length int64
	kind        workloads.Kind
	parent      int32
	// ordered marks FreeBSD's BIO_ORDERED.
	ordered bool

	prev, next *request
}

// bioq is FreeBSD's bio queue (sys/kern/subr_disk.c, sys/sys/bio.h): a one-way
// elevator with a limit on how many requests may be sorted in between two
// barriers. It knows nothing of devices or time. The zero value is an empty
// queue without a limit.
type bioq struct {
	// batch is debug.bioq_batchsize; 0 and below mean no limit.
	batch int

	head, tail *request
	// insertPoint is the last barrier: requests are sorted in only behind it.
	insertPoint *request
	// lastOff is where the elevator stands. It is moved by barriers and by
	// removals from the head.
	lastOff int64
	total   int
	// batched is how many requests were sorted in since the last barrier.
	batched int

	// sorted and limited count insertions since the beginning: sorted in, and
	// sent to the tail by the limit. longest is the greatest total.
	sorted, limited int64
	longest         int
}

// key is the distance from where the elevator stands. What lies behind it
// wraps around to a huge distance and so comes last.
func (q *bioq) key(r *request) uint64 { return uint64(r.off - q.lastOff) }

// insertTail makes r a barrier: what is there goes before it, and what comes
// is sorted in behind it.
func (q *bioq) insertTail(r *request) {
	q.link(q.tail, r, nil)
	q.batched = 0
	q.insertPoint = r
	q.lastOff = r.off
}

// insertHead puts r before everything else.
func (q *bioq) insertHead(r *request) {
	if q.insertPoint == nil {
		q.lastOff = r.off
	}
	q.link(nil, r, q.head)
	q.batched = 0
}

// remove takes r, which is queued, out of the queue. The elevator moves to the
// end of r only when r was the head and no barrier is queued; a barrier that
// leaves keeps the elevator at its own offset.
func (q *bioq) remove(r *request) {
	if q.insertPoint == nil {
		if r == q.head {
			q.lastOff = r.off + r.length
		}
	} else if r == q.insertPoint {
		q.insertPoint = nil
	}
	q.unlink(r)
	if q.head == nil {
		q.batched = 0
	}
}

// takeFirst removes the head and returns it, or nil.
func (q *bioq) takeFirst() *request {
	r := q.head
	if r != nil {
		q.remove(r)
	}
	return r
}

// disksort inserts r where the elevator will come past it. Ordered requests,
// commands that have no place on the disk, and the first request after more
// than batch were sorted in become barriers instead.
func (q *bioq) disksort(r *request) {
	if r.ordered || !sortable(r.kind) {
		q.insertTail(r)
		return
	}
	if q.batch > 0 && q.batched > q.batch {
		q.limited++
		q.insertTail(r)
		return
	}
	prev, next := q.insertPoint, q.head
	if prev != nil {
		next = prev.next
	}
	for key := q.key(r); next != nil && key >= q.key(next); {
		prev, next = next, next.next
	}
	q.link(prev, r, next)
	q.sorted++
	q.batched++
}

func sortable(k workloads.Kind) bool {
	return k == workloads.Read || k == workloads.Write || k == workloads.Delete
}

// link puts r between its neighbours; nil stands for the ends.
func (q *bioq) link(prev, r, next *request) {
	r.prev, r.next = prev, next
	if prev == nil {
		q.head = r
	} else {
		prev.next = r
	}
	if next == nil {
		q.tail = r
	} else {
		next.prev = r
	}
	q.total++
	q.longest = max(q.longest, q.total)
}

func (q *bioq) unlink(r *request) {
	if r.prev == nil {
		q.head = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		q.tail = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
	q.total--
}
