package uring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// jobVariable carries a benchJob to the process that this program starts of
// itself, so that what is measured of iosweep is a whole process, as of fio.
const jobVariable = "IOSWEEP_BENCH_JOB"

func TestMain(m *testing.M) {
	text := os.Getenv(jobVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	if err := runJob(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// benchJob is one cell on one device.
type benchJob struct {
	Path    string
	Size    int64
	Device  bool
	Name    string
	Write   bool
	Serial  bool
	Length  int64
	Depth   int
	Jobs    int
	Rate    float64
	Even    bool // even gaps rather than exponential ones
	Seconds float64
}

// benchResult is what either program reports: operations per second, processor
// time and 99th percentiles in seconds.
type benchResult struct {
	Ops                int64
	Rate, P99, LateP99 float64
	CPU                float64 // per operation
}

var cells = [...]benchJob{
	{Name: "rr4k_q1", Length: 4096, Depth: 1, Jobs: 1},
	{Name: "rr4k_q32", Length: 4096, Depth: 32, Jobs: 1},
	{Name: "rr4k_q128", Length: 4096, Depth: 128, Jobs: 1},
	{Name: "rw4k_q32", Write: true, Length: 4096, Depth: 32, Jobs: 1},
	{Name: "sr128k_q8", Serial: true, Length: 131072, Depth: 8, Jobs: 1},
	{Name: "sw128k_q16", Serial: true, Write: true, Length: 131072, Depth: 16, Jobs: 1},
	{Name: "rr4k_2xq64", Length: 4096, Depth: 64, Jobs: 2},
	{Name: "pace_1k", Length: 4096, Depth: 16, Jobs: 1, Rate: 1000},
	{Name: "pace_10k", Length: 4096, Depth: 16, Jobs: 1, Rate: 10000},
	{Name: "pace_50k", Length: 4096, Depth: 16, Jobs: 1, Rate: 50000},
	{Name: "late_1k", Length: 4096, Depth: 16, Jobs: 1, Rate: 1000, Even: true},
	{Name: "late_10k", Length: 4096, Depth: 16, Jobs: 1, Rate: 10000, Even: true},
	{Name: "late_50k", Length: 4096, Depth: 16, Jobs: 1, Rate: 50000, Even: true},
}

// BenchmarkCompareWithFio prints a line for each cell: iosweep's rate, processor
// time per operation and 99th percentile over fio's, medians over interleaved
// pairs. The percentile is that of the time from issue to completion; in the
// late_ cells, that of the lateness of issue. CELLS picks cells, TARGET devices (loop, loopext4, zram, file, and
// zero, a zram device without data, for the programs' own ceiling; default all), PAIRS the number of pairs, SECONDS the length of each. `make bench` runs
// it; once is enough, whatever -benchtime says.
func BenchmarkCompareWithFio(b *testing.B) {
	if _, err := exec.LookPath("fio"); err != nil {
		b.Fatal(err)
	}
	const size = 512 * mib
	targets := []struct {
		name string
		make func(testing.TB) runners.Target
	}{
		{"loop", func(t testing.TB) runners.Target { return newLoop(t, shm(t), size, false) }},
		{"loopext4", func(t testing.TB) runners.Target { return newLoop(t, t.TempDir(), size, true) }},
		{"zram", func(t testing.TB) runners.Target { return newZram(t, size) }},
		{"zero", func(t testing.TB) runners.Target { return newZram(t, size) }},
		{"file", func(t testing.TB) runners.Target { return newFile(t, t.TempDir(), size, unix.O_DIRECT) }},
	}
	for _, target := range targets {
		if want := os.Getenv("TARGET"); want != "" && !slices.Contains(strings.Fields(want), target.name) {
			continue
		}
		b.Run(target.name, func(b *testing.B) {
			tg := target.make(b)
			if target.name != "zero" {
				fillTarget(b, tg)
			}
			// Both programs open it themselves.
			if err := tg.File.Close(); err != nil {
				b.Fatal(err)
			}
			for _, job := range cells {
				want := os.Getenv("CELLS")
				if job.on(target.name) && (want == "" || slices.Contains(strings.Fields(want), job.Name)) {
					job.Path, job.Size, job.Device = tg.Name, tg.SizeBytes, tg.Device
					compare(b, target.name, job)
				}
			}
		})
	}
}

// on says whether the cell has a meaning on the target: the kernel is asked about
// operations of a device, and what has no data is for reading as fast as can be.
func (j benchJob) on(target string) bool {
	switch target {
	case "file":
		return !j.Even
	case "zero":
		return !j.Write && j.Rate == 0
	}
	return true
}

func setting(name string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		return v
	}
	return otherwise
}

// fillTarget writes the whole target, so that reads find data.
func fillTarget(t testing.TB, tg runners.Target) {
	write := newRandom(tg, workloads.Write, mib, 1)
	write.serial, write.n = true, write.blocks
	drive(t, tg, runners.Options{Depth: 4, MaxLen: mib}, runners.Limits{}, write)
}

func compare(t testing.TB, target string, job benchJob) {
	job.Seconds = setting("SECONDS", 3)
	var rate, cpu, p99 []float64
	var ours, theirs []benchResult
	for pair := range int(setting("PAIRS", 5)) {
		var a, b benchResult
		run := func(program func(testing.TB, benchJob) benchResult) (r benchResult) {
			if !job.Even {
				return program(t, job)
			}
			late := lateness(t, job, func() { r = program(t, job) })
			r.P99, r.LateP99 = late, late
			return r
		}
		if pair%2 == 0 {
			a, b = run(runOurs), run(runFio)
		} else {
			b, a = run(runFio), run(runOurs)
		}
		ours, theirs = append(ours, a), append(theirs, b)
		rate, cpu, p99 = append(rate, a.Rate/b.Rate), append(cpu, a.CPU/b.CPU), append(p99, a.P99/b.P99)
	}
	a, b := medians(ours), medians(theirs)
	line := fmt.Sprintf("%-10s %.2f %.2f %.2f  (%s: %.1fk against %.1fk/s, %.0f against %.0f ns, p99 %.1f against %.1f us",
		job.Name, median(rate), median(cpu), median(p99), target,
		a.Rate/1e3, b.Rate/1e3, a.CPU*1e9, b.CPU*1e9, a.P99*1e6, b.P99*1e6)
	if job.Rate > 0 && !job.Even {
		line += fmt.Sprintf(", lateness p99 %.1f us", a.LateP99*1e6)
	}
	fmt.Println(line + ")")
}

func medians(rs []benchResult) benchResult {
	pick := func(of func(benchResult) float64) float64 {
		var vs []float64
		for _, r := range rs {
			vs = append(vs, of(r))
		}
		return median(vs)
	}
	return benchResult{
		Rate: pick(func(r benchResult) float64 { return r.Rate }), P99: pick(func(r benchResult) float64 { return r.P99 }),
		CPU: pick(func(r benchResult) float64 { return r.CPU }), LateP99: pick(func(r benchResult) float64 { return r.LateP99 }),
	}
}

func median(vs []float64) float64 {
	vs = slices.Sorted(slices.Values(vs))
	return (vs[(len(vs)-1)/2] + vs[len(vs)/2]) / 2
}

// runOurs starts this program on the job and measures it from outside.
func runOurs(t testing.TB, job benchJob) benchResult {
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), jobVariable+"="+string(text))
	var r benchResult
	run(t, cmd, &r)
	r.CPU = cpuTime(cmd) / float64(r.Ops)
	return r
}

func run(t testing.TB, cmd *exec.Cmd, into any) {
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

func cpuTime(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// fioOutput is the part of fio's JSON that is used.
type fioOutput struct {
	Jobs []struct {
		Read, Write struct {
			Ops  int64   `json:"total_ios"`
			IOPS float64 `json:"iops"`
			Lat  struct {
				Percentile map[string]float64 `json:"percentile"`
			} `json:"lat_ns"`
		}
	} `json:"jobs"`
}

// runFio runs the same job with the same depth, batches, buffers and file
// registration. Latencies are fio's whole ones, from issue to completion.
func runFio(t testing.TB, job benchJob) benchResult {
	cmd := exec.Command("fio", fioArgs(job)...)
	cmd.Dir = t.TempDir()
	var out fioOutput
	run(t, cmd, &out)
	side := out.Jobs[0].Read
	if job.Write {
		side = out.Jobs[0].Write
	}
	return benchResult{Rate: side.IOPS, P99: side.Lat.Percentile["99.000000"] / 1e9, CPU: cpuTime(cmd) / float64(side.Ops)}
}

func fioArgs(job benchJob) []string {
	kind := map[[2]bool]string{{false, false}: "randread", {true, false}: "randwrite", {false, true}: "read", {true, true}: "write"}
	batch := 8
	if job.Depth <= 4 {
		batch = 1
	}
	args := []string{
		"--name=job", "--filename=" + job.Path, "--ioengine=io_uring", "--fixedbufs", "--registerfiles", "--direct=1",
		"--norandommap", "--randrepeat=0", "--scramble_buffers=0", "--time_based", "--thread", "--group_reporting",
		"--lat_percentiles=1", "--clat_percentiles=0", "--output-format=json", "--invalidate=0",
		"--rw=" + kind[[2]bool{job.Write, job.Serial}],
		fmt.Sprint("--size=", job.Size), fmt.Sprint("--bs=", job.Length), fmt.Sprint("--iodepth=", job.Depth),
		fmt.Sprint("--iodepth_batch_submit=", batch), "--iodepth_batch_complete_min=1",
		fmt.Sprint("--numjobs=", job.Jobs), fmt.Sprintf("--runtime=%.0fms", job.Seconds*1e3),
	}
	if job.Rate > 0 {
		args = append(args, fmt.Sprint("--rate_iops=", job.Rate))
	}
	if job.Rate > 0 && !job.Even {
		args = append(args, "--rate_process=poisson")
	}
	return args
}

// runJob is the started process: it drives the job and prints its result.
func runJob(text string) error {
	var job benchJob
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		return err
	}
	f, err := os.OpenFile(job.Path, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	tg := runners.Target{File: f, Name: job.Path, SizeBytes: job.Size, BlockBytes: 4096, DeleteBytes: 4096, Device: job.Device, Writable: true}
	parts := make([]results.JobResult, job.Jobs)
	errs := make([]error, job.Jobs)
	var all sync.WaitGroup
	for i := range job.Jobs {
		all.Go(func() { parts[i], errs[i] = runCopy(job, tg) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	sum := runners.MergeJobs(parts)
	r := benchResult{Ops: sum.Kinds[0].Ops, Rate: sum.Kinds[0].OpsPerSecond.V}
	r.P99, _ = sum.Kinds[0].Service.QuantileSeconds(0.99)
	r.LateP99, _ = sum.Lateness.QuantileSeconds(0.99)
	return json.NewEncoder(os.Stdout).Encode(r)
}

func runCopy(job benchJob, tg runners.Target) (results.JobResult, error) {
	kind := workloads.Read
	if job.Write {
		kind = workloads.Write
	}
	s := newRandom(tg, kind, job.Length, rand.Uint64())
	s.serial, s.rate, s.even = job.Serial, job.Rate, job.Even
	q, err := Engine{}.Open(context.Background(), tg, runners.Options{Depth: job.Depth, MaxLen: job.Length})
	if err != nil {
		return results.JobResult{}, err
	}
	rec := runners.NewRecorder([]runners.JobInfo{{Depth: job.Depth, Rate: job.Rate, Interval: time.Second}})
	limits := runners.Limits{Duration: time.Duration(job.Seconds * float64(time.Second))}
	err = runners.Drive(context.Background(), q, []runners.Source{{Stream: s, Depth: job.Depth}}, limits, rec)
	return rec.Results()[0], errors.Join(err, q.Close())
}
