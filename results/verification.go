package results

// Verification is what came of stamping writes and checking reads in a trial.
// It counts the whole trial, its warm-up included.
type Verification struct {
	// Stamped and Checked count writes and reads, Seconds is what both cost
	// of the thread that drives the jobs, the journal included.
	Stamped int64   `json:"stamped"`
	Checked int64   `json:"checked"`
	Seconds float64 `json:"seconds"`
	// Faults counts reads that brought something else than was written, by the
	// kind of fault (lost, stale, torn, misplaced, corrupt, ahead).
	Faults []Fault `json:"faults,omitempty"`
}

// Fault is one kind of fault.
type Fault struct {
	Kind string `json:"kind"`
	// Count is how many reads or blocks had it; First is the lowest byte of the
	// target at which such a block begins.
	Count int64 `json:"count"`
	First int64 `json:"first"`
}
