package sim

import (
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/stack"
	"github.com/iosweep/iosweep/workloads"
)

// scrub keeps two 1 MiB reads outstanding, each in 8 requests of 128 KiB, from
// 30 % of the disk on; pause stops it after bursts of 4 s.
func scrub(pause time.Duration) workloads.Spec {
	s := workloads.Spec{
		Name: "scrub", Sizes: []workloads.SizeShare{{Bytes: 128 << 10, Share: 1}}, Depth: 16,
		Region: workloads.Region{From: 0.3, To: 1}, Burst: workloads.Burst{Ops: 8},
	}
	if pause > 0 {
		s.Burst.Run, s.Burst.Pause = 4*time.Second, pause
	}
	return s
}

// readJob reads 4 KiB at random, one at a time.
func readJob(think time.Duration) workloads.Spec {
	return workloads.Spec{Name: "reads", Access: workloads.Access{Random: 1}, Depth: 1, Think: think}
}

// shape is one load at one batch size, over several seeds of about 400 reads.
type shape struct {
	scrubMB    float64
	mean, most float64 // of the reads, in milliseconds
	reads      int64
	pending    int
	oldest     float64 // seconds
}

func underBioq(t *testing.T, batch int, duration time.Duration, specs ...workloads.Spec) shape {
	t.Helper()
	layers := stack.Config{Bioq: true, BioqBatch: batch, LowerDepth: 1}
	const seeds = 4
	var s shape
	var service hist.Hist
	for seed := range seeds {
		l := runners.Limits{Warmup: 2 * time.Second, Duration: duration, Grace: time.Hour}
		j := measure(t, "hdd-7200", layers, l, uint64(seed), specs...)
		s.scrubMB += only(t, j[0], "read").BytesPerSecond.V / 1e6 / seeds
		s.pending, s.oldest = j[1].Pending, j[1].OldestPendingSeconds
		for _, k := range j[1].Kinds {
			service.Merge(k.Service)
		}
	}
	mean, _ := service.MeanSeconds()
	s.mean, s.most, s.reads = mean*1e3, service.Max().Seconds()*1e3, service.Count()
	return s
}

func within(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%s is %.5g, want %g to %g", what, got, low, high)
	}
}

// TestSparseReader holds the published model's rows for a reader that thinks
// for about a second between reads (each was one run of about 400 reads, so its
// mean is known to some percent and its maximum grows with more of them), and the closed form of their mean:
// (queued + N/2 + 1/2) requests and an access.
func TestSparseReader(t *testing.T) {
	for _, c := range []struct {
		batch     int
		low, high float64 // mean ms
		most      float64 // max ms
	}{
		{16, 26.5, 27.5, 42}, {32, 32.5, 33.5, 52}, {64, 42.5, 45, 75}, {128, 65.4, 68, 119},
		{256, 110, 116, 210}, {512, 200, 216, 390}, {1024, 410, 445, 755},
	} {
		s := underBioq(t, c.batch, 400*time.Second, scrub(0), readJob(time.Second))
		within(t, "mean read ms", s.mean, c.low, c.high)
		within(t, "max read ms", s.most, 0.9*c.most, 1.1*c.most)
		within(t, "scrub MB/s", s.scrubMB, 180.5, 183)
		const request, access = 0.705, 13.1 // ms
		within(t, "mean read ms over its closed form", s.mean/((12+float64(c.batch)/2+0.5)*request+access), 0.9, 1.2)
	}
}

// TestStarvation holds that without a limit a scrub that never pauses is all
// that the disk does, and one that pauses lets reads through only then.
func TestStarvation(t *testing.T) {
	s := underBioq(t, 0, 60*time.Second, scrub(0), readJob(time.Second))
	if s.reads != 0 || s.pending != 1 || s.oldest < 50 {
		t.Errorf("%d reads served, %d waiting for %.1f s: want none served and one waiting", s.reads, s.pending, s.oldest)
	}
	within(t, "scrub MB/s", s.scrubMB, 185.7, 185.9)
	s = underBioq(t, 0, 400*time.Second, scrub(300*time.Millisecond), readJob(time.Second))
	within(t, "mean read ms between bursts", s.mean, 2313, 2914)
	within(t, "max read ms between bursts", s.most, 3983, 4100)
	s = underBioq(t, 128, 400*time.Second, scrub(300*time.Millisecond), readJob(time.Second))
	within(t, "mean read ms with the limit", s.mean, 61, 66)
	within(t, "scrub MB/s with the limit", s.scrubMB, 166, 170)
}

// TestClosedLoop holds L ~ N*t + 2*access for a reader that never thinks, and
// what it leaves the scrub: N requests in each L.
func TestClosedLoop(t *testing.T) {
	for _, c := range []struct {
		batch          int
		mean, most, mb float64
	}{{128, 117, 132, 145}, {64, 71, 87, 119}} {
		s := underBioq(t, c.batch, 60*time.Second, scrub(0), readJob(0))
		near(t, "mean read ms", s.mean, c.mean, 0.02)
		near(t, "max read ms", s.most, c.most, 0.05)
		near(t, "scrub MB/s", s.scrubMB, c.mb, 0.02)
		near(t, "N*size/L in MB/s", float64(c.batch)*131072/s.mean/1e3, s.scrubMB, 0.02)
		near(t, "N*t + 2*access in ms", float64(c.batch)*0.705+2*13.1, s.mean, 0.03)
	}
}

// TestOwnScheduler holds the SAS model to the figure it is calibrated to, and
// that a bioq in front of a disk that takes everything changes nothing.
func TestOwnScheduler(t *testing.T) {
	var first results.JobResult
	for i, batch := range []int{0, 1, 128, 1024} {
		layers := stack.Config{Bioq: true, BioqBatch: batch, LowerDepth: 32}
		l := runners.Limits{Warmup: 2 * time.Second, Duration: 60 * time.Second}
		j := measure(t, "hdd-sas", layers, l, 1, scrub(0), readJob(0))
		scrubbed := only(t, j[0], "read").BytesPerSecond.V / 1e6
		within(t, "scrub MB/s beside a closed loop", scrubbed, 118.5, 121.5)
		if i == 0 {
			first = j[1]
		} else if got := only(t, j[1], "read"); got.Ops != only(t, first, "read").Ops {
			t.Errorf("batch %d serves %d reads, batch 0 %d", batch, got.Ops, only(t, first, "read").Ops)
		}
	}
}
