package campaign

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/sim"
	"github.com/iosweep/iosweep/workloads"
)

// serviceTime is what the servers of these tests take, on average.
const serviceTime = 100 * time.Microsecond

// deterministic is a server whose every read takes the service time.
func deterministic(t *testing.T) sim.Engine {
	t.Helper()
	m, err := sim.Parse("server", []byte(`
title: One server
origin: a server of queueing theory
capacity: 1GB
block: 512B
ssd: {channels: 1, delete_channels: 1, read: {fixed: 100us}, write: {fixed: 100us}, delete: {fixed: 100us}}
`))
	if err != nil {
		t.Fatal(err)
	}
	return sim.Engine{Model: m}
}

// exponential is an engine whose one server takes exponential times, first come
// first served, on a virtual clock.
type exponential struct{ opened uint64 }

func (*exponential) Name() string   { return "exponential" }
func (*exponential) Probe() error   { return nil }
func (*exponential) OneQueue() bool { return true }

// Open gives each trial service times of its own.
func (e *exponential) Open(_ context.Context, _ runners.Target, o runners.Options) (runners.Queue, error) {
	e.opened++
	return &server{depth: o.Depth, draw: rand.New(rand.NewPCG(7, e.opened))}, nil
}

// server is its queue: waiting holds completions in their order.
type server struct {
	depth     int
	draw      *rand.Rand
	now, free time.Duration
	waiting   []runners.Completion
}

func (s *server) Submit(ops []workloads.Op) (int, error) {
	for i, op := range ops {
		if len(s.waiting) == s.depth {
			return i, nil
		}
		s.free = max(s.free, s.now) + time.Duration(s.draw.ExpFloat64()*float64(serviceTime))
		s.waiting = append(s.waiting, runners.Completion{Op: op, Issued: s.now, Done: s.free, N: op.Len})
	}
	return len(ops), nil
}

func (s *server) Reap(dst []runners.Completion, least int, until time.Duration) (n int, err error) {
	for n < len(dst) && len(s.waiting) > 0 {
		done := s.waiting[0].Done
		if done > s.now && (n >= least || until > 0 && done > until) {
			break
		}
		s.now = max(s.now, done)
		dst[n] = s.waiting[0]
		s.waiting, n = s.waiting[1:], n+1
	}
	if n < least && until > s.now {
		s.now = until
	}
	return n, nil
}

func (s *server) Elapsed() time.Duration { return s.now }
func (s *server) Close() error           { return nil }

// offered measures random reads at a rate on an engine.
func offered(t *testing.T, e runners.Engine, rate float64, slots int, window time.Duration, repeats int) []results.Trial {
	t.Helper()
	p, err := profiles.Parse("rates.yaml", fmt.Appendf(nil, `
schema: 1
name: rates
workloads:
  - {name: reads, jobs: [{name: reader, access: random, size: 4KiB, rate: %g/s, depth: %d}]}
measure: {duration: %dms, repeats: %d, retries: 0}
`, rate, slots, window.Milliseconds(), repeats))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := &shelf{}
	c := Campaign{Plan: plan, Engine: e, Target: deterministic(t).Target(), Store: kept, Simulated: true}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return kept.trials
}

// TestWaitingTimes compares the mean response time of an open loop with that of
// queueing theory: it must lie in the interval of the trials' means.
func TestWaitingTimes(t *testing.T) {
	const repeats = 20
	const quantile = 2.861 // Student's t, 99 % two-sided, 19 degrees of freedom
	for _, c := range []struct {
		name   string
		engine runners.Engine
		// waiting is the mean time in the queue in service times, at a
		// utilisation.
		waiting func(rho float64) float64
	}{
		{"M/D/1", deterministic(t), func(rho float64) float64 { return rho / (2 * (1 - rho)) }},
		{"M/M/1", &exponential{}, func(rho float64) float64 { return rho / (1 - rho) }},
	} {
		for _, rho := range []float64{0.3, 0.6, 0.8} {
			var sum, squares float64
			for i, trial := range offered(t, c.engine, rho/serviceTime.Seconds(), 4, 5*time.Second, repeats) {
				j := trial.Jobs[0]
				mean, ok := j.Kinds[0].Response.MeanSeconds()
				if !ok || trial.Status != results.Valid {
					t.Fatalf("%s at %g, trial %d: %s, %v", c.name, rho, i, trial.Status, trial.Findings)
				}
				sum, squares = sum+mean, squares+mean*mean
			}
			mean := sum / repeats
			half := quantile * math.Sqrt((squares/repeats-mean*mean)/(repeats-1))
			want := serviceTime.Seconds() * (1 + c.waiting(rho))
			if math.Abs(mean-want) > half || half > 0.1*want {
				t.Errorf("%s at utilisation %g: response %.4g s, interval of %.2g s; theory says %.4g s", c.name, rho, mean, half, want)
			}
		}
	}
}

// TestOverload offers 200000/s to a server of 10000/s through four slots: the
// response time grows as that of the queue must, though each operation is
// served in four service times at most, and the trial says what was missed.
func TestOverload(t *testing.T) {
	const rate, window = 200_000, 4 * time.Second
	trial := offered(t, deterministic(t), rate, 4, window, 1)[0]
	j := trial.Jobs[0]
	k := j.Kinds[0]
	capacity := 1 / serviceTime.Seconds()
	if math.Abs(k.OpsPerSecond.V/capacity-1) > 0.001 {
		t.Errorf("it did %g/s of a server's %g/s", k.OpsPerSecond.V, capacity)
	}
	// The n-th operation is due at n/rate and done at n/capacity.
	grown := window.Seconds() * (1 - capacity/rate)
	response, _ := k.Response.MeanSeconds()
	late, _ := j.Lateness.MeanSeconds()
	for name, got := range map[string]struct{ got, want float64 }{
		"largest response": {k.Response.Max().Seconds(), grown}, "mean response": {response, grown / 2},
		"mean lateness": {late, grown / 2}, "largest lateness": {j.Lateness.Max().Seconds(), grown},
	} {
		if math.Abs(got.got/got.want-1) > 0.01 {
			t.Errorf("%s: %.4g s, theory says %.4g s", name, got.got, got.want)
		}
	}
	if service := k.Service.Max(); service > 4*serviceTime {
		t.Errorf("service time of %v through four slots", service)
	}
	if trial.Status != results.Invalid || !has(trial, "rate_missed") {
		t.Errorf("status %s, findings %v: want an offered rate that was missed", trial.Status, trial.Findings)
	}
}

// TestPercentages measures a maximum first, and offers each job of each variant
// shares of its own.
func TestPercentages(t *testing.T) {
	trials, _ := simulate(t, `
schema: 1
name: curve
tunables: [{name: physical_breaks, values: [0x11, 0x21]}]
workloads:
  - name: writes
    load: {percent: [20%, 50%, 80%], outstanding: 4}
    jobs:
      - {name: large, op: write, size: 128KiB, access: random}
      - {name: small, op: write, size: 4KiB, access: random, copies: 2}
      - {name: fixed, depth: 1, size: 4KiB, access: random}
measure: {duration: 5s, warmup: 500ms, repeats: 2}
`, "zvol-1", nil)
	most := map[string][3]float64{}
	for _, trial := range trials {
		cell := fmt.Sprint(trial.Block, trial.Variant)
		if trial.Load.Max {
			most[cell] = [3]float64{rateOf(trial.Jobs[0]), rateOf(trial.Jobs[1]), rateOf(trial.Jobs[2])}
			continue
		}
		top, ok := most[cell]
		if !ok {
			t.Fatalf("trial %d at %g%% comes before its maximum", trial.Index, trial.Load.Percent)
		}
		share := trial.Load.Percent / 100
		for i, j := range trial.Jobs[:2] {
			if math.Abs(j.Rate-share*top[i]) > 1e-6*top[i] {
				t.Errorf("%s at %g%%: offered %g/s of a maximum of %g/s", j.Name, trial.Load.Percent, j.Rate, top[i])
			}
		}
		if want := share * (top[0] + top[1]); math.Abs(trial.Load.Rate-want) > 1e-6*want {
			t.Errorf("trial at %g%% says %g/s, want %g/s", trial.Load.Percent, trial.Load.Rate, want)
		}
		if trial.Jobs[2].Rate != 0 || trial.Jobs[2].Depth != 1 {
			t.Errorf("the job that fixes its depth was changed: %+v", trial.Jobs[2])
		}
	}
	if len(most) != 4 || len(trials) != 16 {
		t.Errorf("%d maxima in %d trials, want 4 in 16", len(most), len(trials))
	}
}

func rateOf(j results.JobResult) float64 {
	var sum float64
	for _, k := range j.Kinds {
		sum += k.OpsPerSecond.V
	}
	return sum
}

// TestDepthSweep steps through the depths of a closed loop: one server does the
// same rate at each, and each operation waits for those before it.
func TestDepthSweep(t *testing.T) {
	p, err := profiles.Parse("depths.yaml", []byte(`
schema: 1
name: depths
workloads:
  - {name: reads, load: {depth: [1, 2, 3, 8, 64]}, jobs: [{name: reader, access: random, size: 4KiB}]}
measure: {duration: 2s, warmup: 100ms, repeats: 1, retries: 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, e := &shelf{}, deterministic(t)
	c := Campaign{Plan: plan, Engine: e, Target: e.Target(), Store: kept, Simulated: true}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, trial := range kept.trials {
		j := trial.Jobs[0]
		mean, _ := j.Kinds[0].Service.MeanSeconds()
		want := serviceTime.Seconds() * float64(trial.Load.Depth)
		if math.Abs(mean/want-1) > 0.001 || math.Abs(j.AchievedDepth.V/float64(trial.Load.Depth)-1) > 0.001 {
			t.Errorf("depth %d: %.4g s an operation, want %.4g s; achieved depth %g", trial.Load.Depth, mean, want, j.AchievedDepth.V)
		}
		if rate := rateOf(j); math.Abs(rate*serviceTime.Seconds()-1) > 0.001 || trial.Status != results.Valid {
			t.Errorf("depth %d: %g/s, %s %v", trial.Load.Depth, rate, trial.Status, trial.Findings)
		}
	}
	if len(kept.trials) != 5 {
		t.Errorf("%d trials, want 5", len(kept.trials))
	}
}
