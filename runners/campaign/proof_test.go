package campaign

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// readings gives one count of deleted bytes after the other.
type readings []int64

func (r *readings) Read() (c results.Counters, err error) {
	if len(*r) == 0 {
		return c, errors.New("no more")
	}
	c.Delete.Bytes, *r = (*r)[0], (*r)[1:]
	return c, nil
}

func TestDeleteProof(t *testing.T) {
	const mib = 1 << 20
	deleted := func(n int64, err error) runners.Completion {
		return runners.Completion{Op: workloads.Op{Kind: workloads.Delete, Len: n}, Err: err}
	}
	for name, c := range map[string]struct {
		seen readings
		want results.Status
	}{
		"all of it":                {readings{mib, 3 * mib}, results.Valid},
		"with others' beside":      {readings{0, 8 * mib}, results.Valid},
		"without its ragged ends":  {readings{0, 2*mib - 4*512}, results.Valid},
		"a signal took the tail":   {readings{0, mib + 4096}, results.Invalid},
		"the chunk overflowed":     {readings{7, 7}, results.Invalid},
		"counters that disappear":  {readings{0}, results.Valid},
		"no counters from the off": {nil, results.Valid},
	} {
		camp := &Campaign{Meter: &c.seen, Target: runners.Target{Device: true}}
		p := camp.proveDeletes(true)
		l := &lane{}
		l.deleted.Observer = runners.NewRecorder([]runners.JobInfo{{Name: "x", Depth: 1}})
		l.deleted.Completed([]runners.Completion{deleted(mib, nil), deleted(mib, nil), deleted(mib, syscall.EIO)}, time.Second)
		trial := &results.Trial{Status: results.Valid}
		p.judge(trial, []*lane{l}, 512)
		if trial.Status != c.want {
			t.Errorf("%s: %s, %v", name, trial.Status, trial.Findings)
		}
	}
	if (&Campaign{Meter: &readings{1}}).proveDeletes(true) != nil {
		t.Error("a file has no counters to compare with")
	}
}
