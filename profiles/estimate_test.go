package profiles_test

import (
	"slices"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/workloads"
)

const mib = 1 << 20

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		what, measure, workload string
		want                    profiles.Cost
	}{
		{"reads", "warmup: 1s, duration: 2s, settle: 500ms", "jobs: [{name: j}]",
			profiles.Cost{Time: 3500 * time.Millisecond, Bounded: true}},
		{"writes at the assumed speed", "duration: 2s", "jobs: [{name: j, op: write}]",
			profiles.Cost{Time: 2 * time.Second, WriteBytes: 2e9}},
		{"a share of writes", "duration: 2s", "jobs: [{name: j, mix: {read: 75%, write: 25%}}]",
			profiles.Cost{Time: 2 * time.Second, WriteBytes: 5e8}},
		{"bounded by the region", "duration: 2s", "jobs: [{name: j, op: delete, access: {at_end: stop}, region: {length: 64MiB}}]",
			profiles.Cost{Time: 2 * time.Second, DeleteBytes: 64 * mib, Bounded: true}},
		{"bounded by the amount and what is outstanding", "duration: 2s, amount: 8MiB", "jobs: [{name: j, op: write, size: 1MiB, depth: 4}]",
			profiles.Cost{Time: 9188608 * time.Nanosecond, WriteBytes: 12 * mib, Bounded: true}},
		{"bounded by operations", "duration: 2s, ops: 10", "jobs: [{name: j, op: write, size: 1MiB, depth: 1}]",
			profiles.Cost{Time: 11485760 * time.Nanosecond, WriteBytes: 11 * mib, Bounded: true}},
		{"not bounded: the warm-up is not counted", "warmup: 1s, duration: 2s, ops: 10", "jobs: [{name: j, op: write, size: 1MiB}]",
			profiles.Cost{Time: 1011485760 * time.Nanosecond, WriteBytes: 3e9}},
		{"an amount that takes longer than the duration", "duration: 1s, amount: 8GiB", "jobs: [{name: j}]",
			profiles.Cost{Time: time.Second, Bounded: true}},
		{"bounded by the rate", "duration: 2s", "jobs: [{name: j, op: write, size: 1MiB, rate: 10/s, arrivals: deterministic}]",
			profiles.Cost{Time: 2 * time.Second, WriteBytes: 21 * mib, Bounded: true}},
		{"expected of a rate", "duration: 2s", "jobs: [{name: j, op: write, size: 1MiB, rate: 10/s}]",
			profiles.Cost{Time: 2 * time.Second, WriteBytes: 20 * mib}},
		{"filling counts overlaps once", "duration: 1s", "prepare: [delete, fill], jobs: [{name: a, region: {length: 512MB}}, {name: b, region: {length: 512MB}}]",
			profiles.Cost{Time: 1512 * time.Millisecond, WriteBytes: 512e6, DeleteBytes: 512e6, Bounded: true}},
		{"time of an amount", "amount: 1024MB", "jobs: [{name: j, size: 512kB}]",
			profiles.Cost{Time: 1224 * time.Millisecond, Bounded: true}},
		{"the whole target", "ops: 2", "jobs: [{name: j, op: delete, size: whole, region: whole, access: {at_end: stop}}]",
			profiles.Cost{Time: 2*1073741824*time.Nanosecond + 200*time.Microsecond, DeleteBytes: 1 << 30, Bounded: true}},
		{"copies", "duration: 1s", "jobs: [{name: j, op: write, copies: 3}]",
			profiles.Cost{Time: time.Second, WriteBytes: 3e9}},
	} {
		p, err := profiles.Parse("p.yaml", []byte("schema: 1\nname: x\nmeasure: {repeats: 1, "+c.measure+"}\nworkloads: [{name: w, "+c.workload+"}]"))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		plan, err := p.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Estimate(1 << 30); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.what, got, c.want)
		}
	}
}

func TestExtents(t *testing.T) {
	job := func(r workloads.Region) profiles.Job { return profiles.Job{Spec: workloads.Spec{Region: r}} }
	for _, c := range []struct {
		what string
		jobs []profiles.Job
		want []profiles.Extent
	}{
		{"the whole target", []profiles.Job{job(workloads.Region{})}, []profiles.Extent{{0, 1000 * 4096}}},
		{"apart, in order", []profiles.Job{job(workloads.Region{Offset: 8192, Length: 4096}), job(workloads.Region{Length: 4096})},
			[]profiles.Extent{{0, 4096}, {8192, 4096}}},
		{"touching", []profiles.Job{job(workloads.Region{Length: 4096}), job(workloads.Region{Offset: 4096, Length: 4096})},
			[]profiles.Extent{{0, 8192}}},
		{"one inside another", []profiles.Job{job(workloads.Region{Length: 40960}), job(workloads.Region{Offset: 4096, Length: 4096})},
			[]profiles.Extent{{0, 40960}}},
		{"shares are rounded outwards", []profiles.Job{job(workloads.Region{From: 0.00015, To: 0.0005})},
			[]profiles.Extent{{0, 4096}}},
		{"but not past the end", []profiles.Job{job(workloads.Region{From: 0.5, To: 1})},
			[]profiles.Extent{{500 * 4096, 500 * 4096}}},
	} {
		w := profiles.Workload{Jobs: c.jobs}
		if got := w.Extents("", 1000*4096); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}
