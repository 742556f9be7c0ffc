package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// What BenchmarkLarge asks for: 10,008 trials of some 21 kB a line, as a second of
// an open loop over 4,000 operations leaves them.
const (
	largeVariants, largeBlocks = 12, 139
	largeOps                   = 4000
)

// largeRun writes a run of that size, as a Writer would but for the 10,000 syncs,
// and returns its folder.
func largeRun(tb testing.TB) string {
	tb.Helper()
	data := reporttest.Curves(largeVariants, 1, nil)
	data.Run.Objectives = []results.Objective{{Workload: "curve", Maximise: "throughput"}}
	data.Run.Planned *= largeBlocks
	dir := tb.TempDir()
	w, err := results.Create(dir, data.Run)
	if err != nil {
		tb.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, results.TrialsFile))
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	lines, jobs := bufio.NewWriter(file), largeJobs(64)
	for n := range data.Run.Planned {
		t := data.Trials[n%len(data.Trials)]
		t.Index, t.Block, t.Jobs = n, n/len(data.Trials), jobs[n%len(jobs)]
		if err := json.NewEncoder(lines).Encode(t); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(lines.Flush(), w.Close()); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// largeJobs are jobs of which trials are made up, since drawing each trial's own
// would take most of the time.
func largeJobs(n int) (jobs [][]results.JobResult) {
	rng := reporttest.Rand(3)
	for i := range n {
		mean := time.Duration(i+20) * 10 * time.Microsecond
		j := reporttest.Job(rng, "read", "read", largeOps, 128<<10, mean)
		j.Kinds[0].Response = reporttest.Job(rng, "read", "read", largeOps, 128<<10, mean*5/4).Kinds[0].Service
		j.Lateness = reporttest.Job(rng, "read", "read", largeOps, 128<<10, mean/8).Kinds[0].Service
		j.Series = &results.Series{IntervalSeconds: 0.02}
		for range 50 {
			ops := 70 + rng.Int64N(20)
			j.Series.Ops, j.Series.Bytes = append(j.Series.Ops, ops), append(j.Series.Bytes, ops*128<<10)
			j.Series.MeanSeconds = append(j.Series.MeanSeconds, mean.Seconds()*(0.9+0.2*rng.Float64()))
			j.Series.MaxSeconds = append(j.Series.MaxSeconds, mean.Seconds()*(2+rng.Float64()))
		}
		jobs = append(jobs, []results.JobResult{j})
	}
	return jobs
}

// BenchmarkLarge runs what decides and reports over 10,000 trials, each as a
// process of its own, and tells the most memory that one took.
func BenchmarkLarge(b *testing.B) {
	dir := largeRun(b)
	for _, args := range [][]string{
		{"compare", dir, "--vary", "max_sectors_kb"},
		{"recommend", dir},
		{"curves", dir},
		{"export", dir, "--format", "csv", "--out", filepath.Join(b.TempDir(), "trials.csv")},
		{"report", dir, "--out", filepath.Join(b.TempDir(), "report")},
	} {
		b.Run(args[0], func(b *testing.B) {
			most := int64(0)
			for b.Loop() {
				cmd := exec.Command(os.Args[0], args...)
				cmd.Env = append(os.Environ(), actAsIosweep+"=1")
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatal(fmt.Errorf("%v: %w\n%s", args, err, out))
				}
				usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				most = max(most, usage.Maxrss)
			}
			b.ReportMetric(float64(most)/1024, "MiB-RSS")
		})
	}
}
