package campaign

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
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

// wiping is a workload that deletes on the targets of these names.
func wiping(names ...string) *profiles.Workload {
	w := &profiles.Workload{}
	for _, name := range names {
		w.Jobs = append(w.Jobs, profiles.Job{Target: name, Spec: workloads.Spec{Mix: workloads.Mix{Delete: 1}}})
	}
	return w
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
		camp := &Campaign{Meter: &c.seen, Target: runners.Target{Device: true, DeleteBytes: 512}}
		l := &lane{}
		l.deleted.Observer = runners.NewRecorder([]runners.JobInfo{{Name: "x", Depth: 1}})
		l.deleted.Completed([]runners.Completion{deleted(mib, nil), deleted(mib, nil), deleted(mib, syscall.EIO)}, time.Second)
		trial := &results.Trial{Status: results.Valid}
		for _, p := range camp.proveDeletes(wiping("")) {
			p.judge(trial, []*lane{l})
		}
		if trial.Status != c.want {
			t.Errorf("%s: %s, %v", name, trial.Status, trial.Findings)
		}
	}
	if (&Campaign{Meter: &readings{1}}).proveDeletes(wiping("")) != nil {
		t.Error("a file has no counters to compare with")
	}
}

// limited counts deletes as far as its system does.
type limited struct {
	readings
	uncounted string
	wraps     int64
}

func (l *limited) DeleteLimits() (string, int64) { return l.uncounted, l.wraps }

// What a system does not count is not held against the deletes, and said.
func TestLimitedDeleteProof(t *testing.T) {
	const gib, wrap = 1 << 30, 1 << 32
	for name, c := range map[string]struct {
		meter limited
		len   int64
		want  results.Status
		code  string
	}{
		"no deletes are counted":       {limited{readings{0, 0}, "no deletes are counted", wrap}, gib, results.Valid, "deletes_unproved"},
		"a count of 32 bits started":   {limited{readings{0, 2 * gib}, "", wrap}, 6 * gib, results.Valid, ""},
		"it started, and was short":    {limited{readings{0, gib}, "", wrap}, 6 * gib, results.Invalid, "deletes_short"},
		"too short to have started":    {limited{readings{0, gib}, "", wrap}, 2 * gib, results.Invalid, "deletes_short"},
		"it does not start in 64 bits": {limited{readings{0, 2 * gib}, "", 0}, 6 * gib, results.Invalid, "deletes_short"},
	} {
		camp := &Campaign{Meter: &c.meter, Target: runners.Target{Device: true, DeleteBytes: 512}}
		l := &lane{}
		l.deleted.Observer = runners.NewRecorder([]runners.JobInfo{{Name: "x", Depth: 1}})
		l.deleted.Completed([]runners.Completion{{Op: workloads.Op{Kind: workloads.Delete, Len: c.len}}}, time.Second)
		trial := &results.Trial{Status: results.Valid}
		for _, p := range camp.proveDeletes(wiping("")) {
			p.judge(trial, []*lane{l})
		}
		if trial.Status != c.want || c.code != "" && (len(trial.Findings) != 1 || trial.Findings[0].Code != c.code) {
			t.Errorf("%s: %s, %v", name, trial.Status, trial.Findings)
		}
	}
}

// Each target's deletes are compared with its own count.
func TestDeleteProofOfEachTarget(t *testing.T) {
	device := runners.Target{Device: true, DeleteBytes: 512}
	for name, c := range map[string]struct {
		first, other readings
		want         string // what is said to have deleted too little
	}{
		"both":      {readings{0, 4096}, readings{0, 8192}, ""},
		"the first": {readings{0, 0}, readings{0, 8192}, "the device deleted 0"},
		"the other": {readings{0, 4096}, readings{0, 4096}, "the device of target log deleted 4096"},
	} {
		camp := &Campaign{Meter: &c.first, Target: device, Named: []NamedTarget{{Name: "log", Target: device, Meter: &c.other}, {Name: "idle", Target: device}}}
		lanes := []*lane{{}, {named: "log"}}
		lanes[0].deleted.ops, lanes[0].deleted.bytes = 1, 4096
		lanes[1].deleted.ops, lanes[1].deleted.bytes = 1, 8192
		trial := &results.Trial{Status: results.Valid}
		for _, p := range camp.proveDeletes(wiping("", "log")) {
			p.judge(trial, lanes)
		}
		if len(trial.Findings) > 1 || (len(trial.Findings) == 1) != (c.want != "") ||
			c.want != "" && !strings.Contains(trial.Findings[0].Text, c.want) {
			t.Errorf("%s: %v, want %q", name, trial.Findings, c.want)
		}
	}
}
