// Package workloads says what I/O to issue.
//
// A Spec describes one job: where it goes, in what sizes, in what order, how
// fast. NewStream turns it into a deterministic sequence of operations. Nothing
// here touches a device or a clock: a stream is a pure function of its Spec,
// the target's geometry and a seed.
package workloads

import "time"

// Kind is what an operation asks of the target.
type Kind uint8

// The kinds of operation, in the order in which reports show them.
const (
	Read Kind = iota
	Write
	Delete // discard, TRIM, UNMAP: the blocks' content is no longer needed
	Flush  // the target's write cache is made durable
	Kinds  // how many kinds there are
)

// String returns the kind's name as it stands in results: read, write, delete
// or flush.
func (k Kind) String() string {
	switch k {
	case Read:
		return "read"
	case Write:
		return "write"
	case Delete:
		return "delete"
	case Flush:
		return "flush"
	}
	return "unknown"
}

// Op is one operation.
type Op struct {
	// At is when the operation is due, since the job began; 0 means as soon as
	// a slot is free (a closed loop).
	At time.Duration
	// Off is the first byte on the target, Len how many bytes. A flush has 0, 0.
	Off, Len int64
	Kind     Kind
	// Job is the index of the job within its trial; runners.Drive sets it.
	Job uint16
	// Barrier asks that everything queued before it is done before it, and it
	// before everything queued after (FreeBSD's BIO_ORDERED). Only the software
	// layers look at it.
	Barrier bool
}

// Stream yields operations. It is deterministic for a seed and belongs to one
// goroutine. Next fills op and returns true, or returns false at the end of the
// stream; after that it always returns false. It sets every field of op but
// Job. Operations come in nondecreasing order of At, so a caller may draw one
// ahead and hold it until it is due.
type Stream interface {
	Next(op *Op) bool
}

// Feedback is implemented by streams whose next operation depends on when
// earlier ones completed (think time, a burst issued when the one before is
// done). Drive calls Completed once for each completion, with the operation as
// Next gave it and the time since the job began.
//
// Such a stream's Next also returns false while nothing is known of the next
// operation; a later completion may change that, until none is outstanding. Its
// operations are due in any order, for a completion may bring one forward:
// whoever draws ahead draws one for each free slot and issues the earliest.
type Feedback interface {
	Completed(op Op, at time.Duration)
}
