// Package reporttest makes synthetic runs for the tests of reports. The figures
// are drawn from fixed seeds, so that pictures can be compared with goldens.
package reporttest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

// Set is a set of one run.
func Set(run *results.RunData) *results.Set {
	return &results.Set{Runs: []*results.RunData{run}}
}

// Quick is a run in the shape of the quick profile: deletes by chunk, a scrub
// beside reads by batch limit (0 starves the reads), writes by transfer size,
// in three blocks.
func Quick() *results.RunData {
	r := base("quick")
	r.Run.Repeats = 3
	deletes(r)
	scrub(r)
	writes(r)
	r.Run.Planned = len(r.Trials)
	return r
}

// Curves is a run of n settings over six queue depths, once each in as many
// blocks as are asked; the trials of a setting and depth that skip names failed.
func Curves(n, blocks int, skip func(setting, depth int) bool) *results.RunData {
	r := base("curves")
	r.Run.Repeats = blocks
	rng := Rand(4)
	var values []string
	for i := range n {
		values = append(values, fmt.Sprint(64<<i))
	}
	vs := Sweep(r, "curve", "max_sectors_kb", "KiB", "128", values, results.Job{Name: "read", Summary: "random 128 KiB reads", Load: true})
	for block := range blocks {
		for i, v := range vs {
			for _, depth := range []int{1, 2, 4, 8, 16, 32} {
				rate := 9000 * float64(i+4) / float64(n+4) * float64(depth) / float64(depth+4)
				count := int64(rate) + rng.Int64N(60)
				t := Add(r, "curve", v, block, Job(rng, "read", "read", count, 128<<10, time.Duration(float64(depth)/rate*1e9)))
				t.Load = results.Load{Depth: depth}
				t.Jobs[0].Depth = depth
				if skip != nil && skip(i, depth) {
					t.Status, t.Jobs = results.Failed, nil
					t.Findings = []results.Finding{{Code: "io_error", Fatal: true, Text: "read at 4096: input/output error"}}
				}
			}
		}
	}
	r.Run.Planned = len(r.Trials)
	return r
}

// Hostile is a run whose every name tries to be something else.
func Hostile() *results.RunData {
	r := base("<script>alert(1)</script>")
	r.Run.Device.Model = `"><img src=x onerror=alert(2)>`
	r.Run.ProfileText = "name: ```</code></pre><script>alert(3)</script>\n"
	rng := Rand(5)
	vs := Sweep(r, "</title><script>alert(4)</script>", "שלום עולם", "", "", []string{
		"قيمة طويلة جدا من اليمين إلى اليسار", "a value with a very long name that fits nowhere at all, however wide the page", "=HYPERLINK(\"http://example.com\")|`x`",
	}, results.Job{Name: "<b>job</b>", Summary: "</style><style>*{display:none}"})
	for i, v := range vs {
		Add(r, r.Run.Workloads[0].Name, v, 0, Job(rng, "<b>job</b>", "read", 500+int64(i)*100, 4096, time.Millisecond))
	}
	r.Run.Planned = len(r.Trials)
	return r
}

func base(profile string) *results.RunData {
	return &results.RunData{Complete: true, Dir: "run", Run: &results.Run{
		Schema: results.SchemaVersion, ID: "20260102T030405Z-abcd", Tool: "0.1.0", Profile: profile,
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Args: []string{"run", profile},
		ProfileText: "schema: 1\nname: " + profile + "\n", Seed: 7, Engine: "uring", Repeats: 3,
		Device: results.Device{
			Name: "loop9", ID: "/tmp/scratch.img", Kind: "loop", SizeBytes: 1 << 30, LogicalBlockBytes: 512,
			PhysicalBlockBytes: 512, DeleteGranularityBytes: 4096, DeleteMaxBytes: 4294966784, Scratch: true,
			Backing: "ext4 on an SSD", Settings: map[string]string{"queue/max_sectors_kb": "1280", "queue/scheduler": "none"},
		},
		Environment: results.Environment{OS: "linux", Arch: "amd64", Kernel: "6.18.5", CPU: "Example 9000", CPUs: 2, Memory: 8 << 30, Go: "go1.26", Root: true},
	}}
}

// Sweep adds a workload that varies one tunable, with a variant for each value.
func Sweep(r *results.RunData, workload, tunable, unit, def string, values []string, jobs ...results.Job) []results.Variant {
	r.Run.Tunables = append(r.Run.Tunables, results.Tunable{Name: tunable, Unit: unit, Default: def, Values: values})
	r.Run.Workloads = append(r.Run.Workloads, results.Workload{Name: workload, Varies: []string{tunable}, Jobs: jobs})
	var added []results.Variant
	for i, v := range values {
		added = append(added, results.Variant{
			ID: fmt.Sprintf("%s-%d", workload, i), Label: tunable + "=" + v,
			Settings: []results.Setting{{Tunable: tunable, Value: v, Via: "stack"}},
		})
	}
	r.Run.Variants = append(r.Run.Variants, added...)
	return added
}

// Add adds a valid trial of a variant.
func Add(r *results.RunData, workload string, v results.Variant, block int, jobs ...results.JobResult) *results.Trial {
	t := results.Trial{
		Schema: results.SchemaVersion, Index: len(r.Trials), Block: block, Variant: v.ID, Workload: workload,
		Status: results.Valid, WindowSeconds: 1.002, WarmupSeconds: 0.2, Jobs: jobs,
	}
	for _, s := range v.Settings {
		t.Settings = append(t.Settings, results.Applied{Setting: s, Observed: s.Value})
	}
	r.Trials = append(r.Trials, t)
	return &r.Trials[len(r.Trials)-1]
}

// Job is a job that did n operations of one kind and size in the window, with
// latencies spread about mean.
func Job(rng *rand.Rand, name, kind string, n, bytes int64, mean time.Duration) results.JobResult {
	h := hist.New()
	for range n {
		h.Record(int64(float64(mean) * (0.6 + 0.3*rng.Float64() + 0.25*rng.ExpFloat64())))
	}
	k := results.KindResult{Kind: kind, Ops: n, Bytes: n * bytes, Service: h}
	if n > 1 {
		k.OpsPerSecond, k.BytesPerSecond = results.Some(float64(n)/1.002), results.Some(float64(n*bytes)/1.002)
	}
	return results.JobResult{Name: name, Depth: 1, AchievedDepth: results.Some(0.98), Kinds: []results.KindResult{k}}
}

// Starved is a job of which nothing completed.
func Starved(name string) results.JobResult {
	return results.JobResult{Name: name, Depth: 1, AchievedDepth: results.Some(1), Pending: 1, OldestPendingSeconds: 0.98}
}

// Rand is the source of a fixture's noise.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func deletes(r *results.RunData) {
	rng := Rand(1)
	vs := Sweep(r, "deletes", "delete_max_sectors", "sectors", "262144", []string{"8192", "65536", "262144", "0"},
		results.Job{Name: "delete", Summary: "whole-region deletes of 256 MiB, depth 1"})
	r.Run.Objectives = append(r.Run.Objectives, results.Objective{Workload: "deletes", Maximise: "throughput"})
	for block := range 3 {
		for i, v := range vs {
			n := []int64{110, 420, 640, 655}[i] + rng.Int64N(40)
			t := Add(r, "deletes", v, block, Job(rng, "delete", "delete", n, 256<<20, time.Second/time.Duration(n)))
			chunk := []int64{4 << 20, 32 << 20, 128 << 20, 256 << 20}[i]
			t.Layer = &results.Layer{Delete: results.CounterKind{Requests: n * (256 << 20) / chunk, Bytes: n * 256 << 20}}
		}
	}
}

func scrub(r *results.RunData) {
	rng := Rand(2)
	vs := Sweep(r, "scrub", "bioq_batchsize", "requests", "128", []string{"0", "16", "128", "1024"},
		results.Job{Name: "scrub", Summary: "sequential 128 KiB reads, depth 16"},
		results.Job{Name: "reader", Summary: "random 4 KiB reads, depth 1"})
	r.Run.Objectives = append(r.Run.Objectives, results.Objective{
		Workload: "scrub", Maximise: "scrub.throughput",
		Limits: []results.Limit{{Metric: "reader.mean", Op: "<=", Value: 0.005, Text: "reader.mean <= 5 ms"}},
	})
	for block := range 3 {
		for i, v := range vs {
			scan := Job(rng, "scrub", "read", []int64{14000, 9800, 13200, 13800}[i]+rng.Int64N(300), 128<<10, 1100*time.Microsecond)
			reader := Starved("reader")
			if i > 0 {
				n := []int64{0, 1500, 240, 60}[i]
				reader = Job(rng, "reader", "read", n, 4096, time.Second/time.Duration(n))
			}
			t := Add(r, "scrub", v, block, scan, reader)
			sorted := scan.Kinds[0].Ops
			t.Layer = &results.Layer{Read: results.CounterKind{Requests: sorted, Bytes: sorted * 128 << 10}, Sorted: sorted, MaxQueued: 17}
			if i > 0 {
				t.Layer.Barriers = sorted / ([]int64{0, 17, 129, 1025}[i])
			}
		}
	}
}

func writes(r *results.RunData) {
	rng := Rand(3)
	vs := Sweep(r, "writes", "physical_breaks", "breaks", "33", []string{"17", "33", "65"},
		results.Job{Name: "write", Summary: "sequential 128 KiB writes, depth 8"})
	r.Run.Objectives = append(r.Run.Objectives, results.Objective{Workload: "writes", Maximise: "ops"})
	for block := range 3 {
		for i, v := range vs {
			n := []int64{2300, 3900, 3950}[i] + rng.Int64N(120)
			t := Add(r, "writes", v, block, Job(rng, "write", "write", n, 128<<10, 8*time.Second/time.Duration(n)))
			size := []int64{64 << 10, 128 << 10, 128 << 10}[i]
			t.Layer = &results.Layer{Write: results.CounterKind{Requests: n * (128 << 10) / size, Bytes: n * 128 << 10}}
		}
	}
}
