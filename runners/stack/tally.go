package stack

import (
	"maps"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/workloads"
)

// tally counts the requests that the lowest layer gave to the device.
type tally struct {
	kinds [workloads.Kinds]results.CounterKind
}

func newTally() *tally {
	t := &tally{}
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

// snapshot is a copy that stays as it is.
func (t *tally) snapshot(k workloads.Kind) results.CounterKind {
	c := t.kinds[k]
	c.Sizes = maps.Clone(c.Sizes)
	return c
}
