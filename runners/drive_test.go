package runners

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/workloads"
)

// one drives a single source and returns its result.
func one(t *testing.T, q Queue, s workloads.Stream, info JobInfo, l Limits) results.JobResult {
	t.Helper()
	r := NewRecorder([]JobInfo{info})
	if err := Drive(t.Context(), q, []Source{{s, info.Depth}}, l, r); err != nil {
		t.Fatal(err)
	}
	return r.Results()[0]
}

func mean(t *testing.T, h interface{ MeanSeconds() (float64, bool) }) float64 {
	t.Helper()
	m, ok := h.MeanSeconds()
	if !ok {
		t.Fatal("nothing was recorded")
	}
	return m
}

func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*math.Abs(want) {
		t.Errorf("%s: %g, want %g within %g %%", what, got, want, share*100)
	}
}

// TestQueueingTheory: response times in front of a known server are those of
// M/D/1 and M/M/1, wherever the operations wait: in the target or in Drive.
func TestQueueingTheory(t *testing.T) {
	const service = 100 * time.Microsecond
	random := func(seed uint64) func(workloads.Op) time.Duration {
		r := rand.New(rand.NewPCG(seed, 9))
		return func(workloads.Op) time.Duration { return time.Duration(r.ExpFloat64() * float64(service)) }
	}
	for _, depth := range []int{1, 1000} {
		for _, load := range []float64{0.3, 0.5, 0.8} {
			rate := load / service.Seconds()
			t.Run(fmt.Sprintf("depth %d load %g", depth, load), func(t *testing.T) {
				info := JobInfo{Depth: depth, Rate: rate}
				deterministic := newVirtual(depth, 1, service)
				r := one(t, deterministic, &counted{n: 400_000, gap: poisson(rate, 1)}, info, Limits{})
				within(t, "M/D/1 response", mean(t, r.Kinds[0].Response), service.Seconds()*(1+load/2/(1-load)), 0.03)
				within(t, "rate", r.Kinds[0].OpsPerSecond.V, rate, 0.01)
				exponential := newVirtual(depth, 1, 0)
				exponential.service = random(3)
				r = one(t, exponential, &counted{n: 400_000, gap: poisson(rate, 2)}, info, Limits{})
				within(t, "M/M/1 response", mean(t, r.Kinds[0].Response), service.Seconds()/(1-load), 0.05)
			})
		}
	}
}

// TestOfferedBeyondCapacity: with the slots taken, operations wait from when
// they were due, and the response time grows by 1 - capacity/rate per second.
func TestOfferedBeyondCapacity(t *testing.T) {
	q := newVirtual(4, 4, time.Millisecond) // 4000/s
	gap := func() time.Duration { return 125 * time.Microsecond }
	r := one(t, q, &counted{gap: gap}, JobInfo{Depth: 4, Rate: 8000, Interval: time.Second}, Limits{Duration: 10 * time.Second})
	k := r.Kinds[0]
	within(t, "rate", k.OpsPerSecond.V, 4000, 0.01)
	within(t, "service", mean(t, k.Service), 1e-3, 0.001)
	within(t, "longest response", k.Response.Max().Seconds(), 5, 0.01)
	within(t, "longest lateness", r.Lateness.Max().Seconds(), 5, 0.01)
	within(t, "achieved depth", r.AchievedDepth.V, 4, 0.001)
	for i, m := range r.Series.MeanSeconds {
		within(t, fmt.Sprintf("response in second %d", i), m, (float64(i)+0.5)/2, 0.02)
	}
}

func TestClosedLoopKeepsTheDepth(t *testing.T) {
	q := newVirtual(32, 8, time.Millisecond)
	r := one(t, q, &counted{}, JobInfo{Depth: 32}, Limits{Warmup: time.Second, Duration: 10 * time.Second})
	k := r.Kinds[0]
	within(t, "rate", k.OpsPerSecond.V, 8000, 0.001)
	within(t, "service", mean(t, k.Service), 4e-3, 0.001)
	within(t, "depth", r.AchievedDepth.V, 32, 1e-9)
	within(t, "Little's law", k.OpsPerSecond.V*mean(t, k.Service), r.AchievedDepth.V, 0.001)
	if k.Response != nil || r.Lateness != nil {
		t.Error("a closed loop has a response time or a lateness of its own")
	}
	// The window closes just as 8 operations complete; 24 wait in line.
	if r.Pending != 24 || r.OldestPendingSeconds != 3e-3 {
		t.Errorf("pending %d, oldest %v s", r.Pending, r.OldestPendingSeconds)
	}
}

func TestLimits(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name   string
		stream int64 // length, 0: endless
		limits Limits
		ops    int64 // in the window
		issued int64 // in all
		window time.Duration
	}{
		{"duration", 0, Limits{Duration: 100 * ms}, 400, 400, 100 * ms},
		{"warm-up and duration", 0, Limits{Warmup: 50 * ms, Duration: 100 * ms}, 400, 600, 100 * ms},
		{"operations", 0, Limits{Ops: 10}, 10, 10, 3 * ms},
		{"operations after a warm-up", 0, Limits{Warmup: 20 * ms, Ops: 10}, 10, 90, 3 * ms},
		{"one operation", 0, Limits{Ops: 1}, 1, 1, ms},
		{"bytes", 0, Limits{Bytes: 5 * 4096}, 5, 5, 2 * ms},
		{"bytes, not a multiple", 0, Limits{Bytes: 5*4096 - 1}, 5, 5, 2 * ms},
		{"end of the stream", 6, Limits{}, 6, 6, 2 * ms},
		{"end of the stream, all slots taken", 8, Limits{}, 8, 8, 2 * ms},
		{"the first limit counts", 9, Limits{Duration: 2 * ms, Ops: 100}, 8, 8, 2 * ms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := newVirtual(4, 4, ms)
			q.now = 7 * time.Second // the queue is older than the job
			s := &counted{n: tt.stream}
			rec := NewRecorder([]JobInfo{{Depth: 4}})
			if err := Drive(t.Context(), q, []Source{{s, 4}}, tt.limits, rec); err != nil {
				t.Fatal(err)
			}
			begin, end := rec.Window()
			if begin != 7*time.Second+tt.limits.Warmup || end-begin != tt.window {
				t.Errorf("window %v..%v, want %v", begin, end, tt.window)
			}
			if got := rec.Results()[0].Kinds[0].Ops; got != tt.ops || s.issued != tt.issued {
				t.Errorf("%d operations measured, %d drawn, want %d and %d", got, s.issued, tt.ops, tt.issued)
			}
			if len(q.out) != 0 {
				t.Errorf("%d operations left outstanding", len(q.out))
			}
		})
	}
}

func TestSourcesShareAQueue(t *testing.T) {
	q := newVirtual(10, 10, time.Millisecond)
	rec := NewRecorder([]JobInfo{{Depth: 8}, {Depth: 2}, {Depth: 1, Rate: 100}})
	sources := []Source{{&counted{}, 8}, {&counted{kind: workloads.Write}, 2}, {&counted{gap: poisson(100, 5)}, 1}}
	if err := Drive(t.Context(), q, sources, Limits{Duration: 10 * time.Second}, rec); err != nil {
		t.Fatal(err)
	}
	got := rec.Results()
	if q.most > 10 || q.peak[0] > 8 || q.peak[1] > 2 || q.peak[2] > 1 {
		t.Errorf("most outstanding %d, by job %v", q.most, q.peak)
	}
	within(t, "first job", got[0].Kinds[0].OpsPerSecond.V, 8000, 0.05)
	within(t, "second job", got[1].Kinds[0].OpsPerSecond.V, 2000, 0.1)
	within(t, "paced job", got[2].Kinds[0].OpsPerSecond.V, 100, 0.1)
	if got[1].Kinds[0].Kind != "write" {
		t.Errorf("second job did a %s", got[1].Kinds[0].Kind)
	}
}

// TestThinkTime: a slot that thinks for long blocks neither the stream's other
// slots nor the other source.
func TestThinkTime(t *testing.T) {
	q := newVirtual(3, 3, time.Millisecond)
	think := &thinker{due: []time.Duration{1, 1}, pauses: []time.Duration{time.Minute, 9 * time.Millisecond}}
	rec := NewRecorder([]JobInfo{{Depth: 2}, {Depth: 1}})
	if err := Drive(t.Context(), q, []Source{{think, 2}, {&counted{}, 1}}, Limits{Duration: 100 * time.Millisecond}, rec); err != nil {
		t.Fatal(err)
	}
	got := rec.Results()
	// One slot thinks for a minute; then, in turn, so does the other.
	if n := got[0].Kinds[0].Ops; n != 3 {
		t.Errorf("the thinking job did %d operations, want 3", n)
	}
	if n := got[1].Kinds[0].Ops; n < 99 {
		t.Errorf("the job beside it did %d operations, want 100", n)
	}
	if got[0].Kinds[0].Response.Count() != 3 {
		t.Error("operations with a due time have no response time")
	}
}

func TestBurstsWaitForTheGroupBefore(t *testing.T) {
	q := newVirtual(8, 1, time.Millisecond)
	r := one(t, q, &bursts{size: 4, left: 4, groups: 5}, JobInfo{Depth: 8}, Limits{})
	if r.Kinds[0].Ops != 20 || q.most != 4 {
		t.Errorf("%d operations, at most %d outstanding; want 20 and 4", r.Kinds[0].Ops, q.most)
	}
}

func TestCancelDrains(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	q := newVirtual(4, 4, time.Millisecond)
	q.tick = func(now time.Duration) {
		if now >= 50*time.Millisecond {
			cancel()
		}
	}
	rec := NewRecorder([]JobInfo{{Depth: 4}})
	err := Drive(ctx, q, []Source{{&counted{}, 4}}, Limits{Duration: time.Hour}, rec)
	if !errors.Is(err, context.Canceled) || len(q.out) != 0 {
		t.Errorf("%v, %d outstanding", err, len(q.out))
	}
	if begin, end := rec.Window(); end-begin < 50*time.Millisecond || end-begin > 55*time.Millisecond {
		t.Errorf("window %v", end-begin)
	}
}

// TestAbandoned gives up operations that never come back: at once, but not
// before issuing has stopped.
func TestAbandoned(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan struct{})
	close(given)
	q := newVirtual(4, 4, time.Millisecond)
	q.lost = func(op workloads.Op) bool { return op.Off >= 1<<20 }
	q.tick = func(now time.Duration) {
		if now >= 5*time.Second {
			cancel()
		}
	}
	err := Drive(ctx, q, []Source{{&counted{}, 4}}, Limits{Duration: time.Hour, Grace: time.Hour, Abandon: given}, NewRecorder([]JobInfo{{Depth: 4}}))
	if !errors.Is(err, ErrStuck) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want both causes", err)
	}
	if text := fmt.Sprint(err); !strings.Contains(text, "4 operations were given up; the oldest is a read of 4096 bytes at byte 1048576, issued 5.") {
		t.Errorf("%q does not name what is outstanding", text)
	}
	if now := q.Elapsed(); now < 5*time.Second || now > 6*time.Second {
		t.Errorf("given up after %v, want soon after 5s", now)
	}
}

func TestErrorsEndDrive(t *testing.T) {
	tests := []struct {
		name   string
		breaks func(*virtual)
		limits Limits
		want   error
		text   string
	}{
		{"the target is gone", func(v *virtual) { v.fail = func(workloads.Op) error { return syscall.ENODEV } }, Limits{}, syscall.ENODEV, "target is gone"},
		{"gone, some never come back", func(v *virtual) {
			v.lost = func(op workloads.Op) bool { return op.Off == 8192 }
			v.fail = func(workloads.Op) error { return syscall.ENODEV }
		}, Limits{Grace: 5 * time.Minute}, ErrStuck, "1 operations did not come back within 10s"},
		{"lost operations", func(v *virtual) { v.lost = func(op workloads.Op) bool { return op.Off == 8192 } }, Limits{Duration: time.Second}, ErrStuck, "1 operations did not come back within 30s"},
		{"stuck within the window", func(v *virtual) { v.lost = func(op workloads.Op) bool { return op.Off >= 1<<20 } }, Limits{Duration: 24 * time.Hour}, ErrStuck, "4 operations did not come back within 30s"},
		{"stuck before the amount is done", func(v *virtual) { v.lost = func(op workloads.Op) bool { return op.Off >= 1<<20 } }, Limits{Ops: 10_000}, ErrStuck, "4 operations did not come back within 30s"},
		{"lost, short grace", func(v *virtual) { v.lost = func(op workloads.Op) bool { return true } }, Limits{Ops: 3, Grace: time.Second}, nil, "3 operations did not come back within 1s"},
		{"a broken queue", func(v *virtual) { v.broken = errBroken }, Limits{Duration: 2 * time.Hour}, errBroken, "reap"},
		{"a queue that takes none", func(v *virtual) { v.slots = 0 }, Limits{}, nil, "takes none"},
		{"nothing but warm-up", func(*virtual) {}, Limits{Warmup: 24 * time.Hour}, ErrNothingMeasured, "shorten"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := newVirtual(4, 4, 100*time.Millisecond)
			tt.breaks(q)
			err := Drive(t.Context(), q, []Source{{&counted{n: 1_000_000}, 4}}, tt.limits, NewRecorder([]JobInfo{{Depth: 4}}))
			if err == nil || !strings.Contains(err.Error(), tt.text) || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%v, want %q", err, tt.text)
			}
		})
	}
	if err := Drive(t.Context(), newVirtual(1, 1, 1), []Source{{&counted{}, 0}}, Limits{}, NewRecorder(nil)); err == nil {
		t.Error("depth 0 was accepted")
	}
}

func TestFailedOperationsAreCounted(t *testing.T) {
	q := newVirtual(1, 1, time.Millisecond)
	q.fail = func(op workloads.Op) error {
		if n := op.Off / 4096; n%2 == 1 {
			return fmt.Errorf("sector %d: %w", n%40, syscall.EIO)
		}
		return nil
	}
	k := one(t, q, &counted{n: 200}, JobInfo{Depth: 1}, Limits{}).Kinds[0]
	if k.Ops != 100 || k.Errors != 100 || k.Service.Count() != 100 {
		t.Errorf("%d operations, %d errors, %d latencies", k.Ops, k.Errors, k.Service.Count())
	}
	var sum int64
	for _, n := range k.ErrorTexts {
		sum += n
	}
	if len(k.ErrorTexts) != 8 || sum != 100 || k.ErrorTexts[otherErrors] != 65 {
		t.Errorf("error texts: %v", k.ErrorTexts)
	}
}

func TestSameSeedSameOperations(t *testing.T) {
	run := func(seed uint64) []workloads.Op {
		q := newVirtual(4, 2, time.Millisecond)
		q.keep = true
		one(t, q, &counted{n: 1000, gap: poisson(3000, seed)}, JobInfo{Depth: 4, Rate: 3000}, Limits{})
		return q.issued
	}
	if !slices.Equal(run(1), run(1)) {
		t.Error("two drives with one seed issued different operations")
	}
	if slices.Equal(run(1), run(2)) {
		t.Error("the seed changes nothing")
	}
}

// TestDriveAllocatesNothingPerOperation compares a short and a long drive.
func TestDriveAllocatesNothingPerOperation(t *testing.T) {
	drive := func(n int64) float64 {
		return testing.AllocsPerRun(5, func() {
			q := newVirtual(16, 4, 100*time.Microsecond)
			rec := NewRecorder([]JobInfo{{Depth: 16, Rate: 1, Interval: time.Millisecond}})
			s := &counted{n: n, gap: func() time.Duration { return 30 * time.Microsecond }}
			if err := Drive(t.Context(), q, []Source{{s, 16}}, Limits{}, rec); err != nil {
				t.Error(err)
			}
		})
	}
	if short, long := drive(1_000), drive(50_000); long > short+1 {
		t.Errorf("%v allocations for 1000 operations, %v for 50000", short, long)
	}
}
