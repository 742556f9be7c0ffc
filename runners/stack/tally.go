package stack

import (
	"maps"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// tally counts the requests that the lowest layer gave to the device.
type tally struct {
	kinds [workloads.Kinds]results.CounterKind
	// deletes are the service times of deletes since the last reading.
	deletes *hist.Hist
}

func newTally() *tally {
	t := &tally{deletes: hist.New()}
	for k := range t.kinds {
		t.kinds[k].Sizes = make(map[int64]int64)
	}
	return t
}

// count allocates only when it sees a size for the first time.
func (t *tally) count(ops []workloads.Op) {
	for i := range ops {
		k := &t.kinds[ops[i].Kind]
		k.Requests++
		k.Bytes += ops[i].Len
		k.Sizes[ops[i].Len]++
	}
}

// returned times a request that came back from the device.
func (t *tally) returned(c *runners.Completion) {
	if c.Op.Kind == workloads.Delete && c.Err == nil {
		t.deletes.Record(int64(c.Done - c.Issued))
	}
}

// takeDeletes returns the service times since it was last called; nil when
// there are none.
func (t *tally) takeDeletes() *hist.Hist {
	if t.deletes.Count() == 0 {
		return nil
	}
	h := t.deletes
	t.deletes = hist.New()
	return h
}

// snapshot is a copy that stays as it is.
func (t *tally) snapshot(k workloads.Kind) results.CounterKind {
	c := t.kinds[k]
	c.Sizes = maps.Clone(c.Sizes)
	return c
}
