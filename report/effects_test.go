package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// seen is the effect of one setting on 1000 operations of 128 KiB.
func seen(t *testing.T, tunable, value, via, kind string, watch func(*results.Trial)) report.Effect {
	t.Helper()
	r := pair(1, 1, 1)
	r.Trials, r.Run.Workloads, r.Run.Variants, r.Run.Objectives = nil, nil, nil, nil
	vs := reporttest.Sweep(r, "w", tunable, "", "", []string{value}, results.Job{Name: kind})
	vs[0].Settings[0].Via = via
	r.Run.Variants[0].Settings[0].Via = via
	tr := reporttest.Add(r, "w", vs[0], 0, reporttest.Job(reporttest.Rand(1), kind, kind, 1000, 128<<10, time.Millisecond))
	watch(tr)
	return build(t, r).Workloads[0].Effects[0]
}

func requests(n, size int64) results.CounterKind {
	return results.CounterKind{Requests: n, Bytes: n * size}
}

func TestEffectIsProvenFromCounters(t *testing.T) {
	const kib = 1 << 10
	write := func(n, size int64) func(*results.Trial) {
		return func(t *results.Trial) { t.Counters = &results.Counters{Write: requests(n, size)} }
	}
	del := func(n, size int64) func(*results.Trial) {
		return func(t *results.Trial) { t.Layer = &results.Layer{Delete: requests(n, size)} }
	}
	bioq := func(sorted, barriers int64, queued int) func(*results.Trial) {
		return func(t *results.Trial) {
			t.Layer = &results.Layer{Sorted: sorted, Barriers: barriers, MaxQueued: queued}
		}
	}
	for _, c := range []struct {
		name, tunable, value, via, kind string
		watch                           func(*results.Trial)
		state, says                     string
	}{
		{"as asked", "max_sectors_kb", "64", "kernel", "write", write(2000, 64*kib), report.Proven, "64 KiB write requests, as asked"},
		{"no effect", "max_sectors_kb", "64", "kernel", "write", write(1000, 128*kib), report.NoEffect, "no effect: write requests stayed 128 KiB, 64 KiB asked"},
		{"never reached", "max_sectors_kb", "512", "kernel", "write", write(1000, 128*kib), report.Untested, "no operation was larger than the limit of 512 KiB"},
		{"split further", "max_sectors_kb", "64", "kernel", "write", write(8000, 16*kib), report.Differs, "write requests were 16 KiB, 64 KiB asked"},
		{"nothing counted", "max_sectors_kb", "64", "kernel", "write", write(0, 0), report.Unwatched, "no request of the kind was counted"},
		{"sizes known", "max_sectors_kb", "64", "kernel", "write", func(t *results.Trial) {
			k := requests(2000, 64*kib)
			k.Sizes = map[int64]int64{64 * kib: 1990, 4096: 10}
			t.Counters = &results.Counters{Write: k}
		}, report.Proven, "64 KiB (99.5 % of 2000 requests)"},
		{"sizes traced for longer", "max_sectors_kb", "64", "kernel", "write", func(t *results.Trial) {
			k := requests(417, 64*kib)
			k.Sizes = map[int64]int64{64 * kib: 540, 4096: 10}
			t.Counters = &results.Counters{Write: k}
		}, report.Proven, "64 KiB (98.2 % of 550 requests)"},
		{"breaks", "physical_breaks", "17", "stack", "write", func(t *results.Trial) {
			t.Layer = &results.Layer{Write: requests(2000, 64*kib)}
		}, report.Proven, "64 KiB write requests"},
		{"delete chunks", "delete_max_sectors", "64", "stack", "delete", del(4000, 32*kib), report.Proven, "32 KiB delete requests"},
		{"whole deletes", "delete_max_sectors", "0", "stack", "delete", del(1000, 128*kib), report.Proven, "each operation whole, as asked"},
		{"split below", "delete_max_sectors", "0", "stack", "delete", del(2000, 64*kib), report.Differs, "something below splits"},
		{"barriers", "bioq_batchsize", "4", "stack", "read", bioq(1000, 200, 9), report.Proven, "200 barriers in 1000 sorted insertions"},
		{"no barriers", "bioq_batchsize", "0", "stack", "read", bioq(1000, 0, 9), report.Proven, "no barrier in 1000 sorted insertions"},
		{"batch never full", "bioq_batchsize", "128", "stack", "read", bioq(100, 0, 9), report.Untested, "never full"},
		{"nothing queued", "bioq_batchsize", "4", "stack", "read", bioq(1000, 0, 1), report.NoEffect, "nothing to sort"},
		{"no counter", "scheduler", "mq-deadline", "kernel", "read", func(*results.Trial) {}, report.Unwatched, "no counter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := seen(t, c.tunable, c.value, c.via, c.kind, c.watch)
			if e.State != c.state || !strings.Contains(e.Seen, c.says) {
				t.Errorf("%s: %s\nwant %s: %s", e.State, e.Seen, c.state, c.says)
			}
		})
	}
}

func TestKernelSettingIsJudgedByTheKernelsCounters(t *testing.T) {
	e := seen(t, "max_sectors_kb", "64", "kernel", "write", func(t *results.Trial) {
		t.Layer = &results.Layer{Write: requests(1000, 128<<10)}
		t.Counters = &results.Counters{Write: requests(2000, 64<<10)}
	})
	if e.State != report.Proven {
		t.Errorf("%s: %s", e.State, e.Seen)
	}
}

func TestClampedValueIsTold(t *testing.T) {
	e := seen(t, "nr_requests", "3", "kernel", "read", func(t *results.Trial) { t.Settings[0].Observed = "4" })
	if !strings.Contains(e.Seen, "read back as 4, which is what counts") {
		t.Errorf("%s", e.Seen)
	}
}

func TestNoEffectIsAFinding(t *testing.T) {
	r := reporttest.Quick()
	for i := range r.Trials {
		if r.Trials[i].Workload == "writes" {
			n := r.Trials[i].Jobs[0].Kinds[0].Ops
			r.Trials[i].Layer.Write = requests(n, 128<<10)
		}
	}
	for _, f := range build(t, r).Findings {
		if f.Code == "no_effect" && strings.Contains(f.Where, "physical_breaks = 17") {
			return
		}
	}
	t.Error("a setting without effect is no finding")
}
