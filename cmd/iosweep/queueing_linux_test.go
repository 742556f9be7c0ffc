package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
)

// TestWaitingTimesOnADevice measures an open loop on a block device behind one
// server. The mean response time must be that of Pollaczek and Khinchine, within
// the interval of the trials' means: for equal service times that is M/D/1's, for
// exponential ones M/M/1's. The service time's moments are those that the server
// saw, so that a busy host delays both sides alike. What it saw of the reads' whole
// time is a second witness, and a closer one: it had the same arrivals.
func TestWaitingTimesOnADevice(t *testing.T) {
	const mean = time.Millisecond
	for _, engine := range []string{"uring", "portable"} {
		draw := rand.New(rand.NewPCG(3, 4))
		for name, service := range map[string]func() time.Duration{
			"MD1": func() time.Duration { return mean },
			"MM1": func() time.Duration { return time.Duration(draw.ExpFloat64() * float64(mean)) },
		} {
			t.Run(name+"/"+engine, func(t *testing.T) {
				t.Parallel() // they sleep most of the time
				urgent()
				q := &knownQueue{engine: engine}
				q.server, q.device = serveDevice(t, 64<<20, service)
				q.calibrate(t)
				q.compare(t, 0.3, 200*time.Millisecond)
				if engine == "uring" {
					q.compare(t, 0.6, 400*time.Millisecond)
					q.compare(t, 0.8, 700*time.Millisecond)
				}
			})
		}
	}
}

// knownQueue is a device of which theory knows the waiting times.
type knownQueue struct {
	engine, device string
	server         *oneServer
	// mean is the server's mean service time, path what an operation takes
	// beside it, in seconds.
	mean, path float64
}

// trials runs reads for the profile's words of load.
func (q *knownQueue) trials(t *testing.T, load string, window time.Duration, repeats int) []results.Trial {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, t.TempDir(), "run", profileFile(t, fmt.Sprintf(`
schema: 1
name: known
workloads:
  - {name: reads, jobs: [{name: reader, access: random, size: 4KiB, %s}]}
measure: {warmup: 150ms, duration: %v, repeats: %d, settle: 0s, retries: 0, seed: 5}
`, load, window, repeats)), "--target", q.device, "--out", dir, "--no-report", "--engine", q.engine)
	if code != exitOK && code != exitInvalid { // a busy host may miss a rate; what was measured is theory's all the same
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	return trials(t, dir)
}

// calibrate reads one by one: nothing waits.
func (q *knownQueue) calibrate(t *testing.T) {
	t.Helper()
	trial := q.trials(t, "depth: 1", 400*time.Millisecond, 1)[0]
	seen := q.server.served()
	service, ok := trial.Jobs[0].Kinds[0].Service.MeanSeconds()
	if !ok || seen.n == 0 {
		t.Fatalf("%d reads were served: %+v", seen.n, trial)
	}
	q.mean = seen.service / float64(seen.n)
	q.path = service - q.mean
	t.Logf("service %.4g s, path %.3g s", q.mean, q.path)
}

// hostBusy is the share of the processors in use above which a failure to
// measure may be the host's.
const hostBusy = 0.8

// compare offers a rate, again where the host disturbed it.
func (q *knownQueue) compare(t *testing.T, utilisation float64, window time.Duration) {
	t.Helper()
	for attempt := 0; ; attempt++ {
		o := q.offer(t, utilisation/q.mean, window)
		switch {
		case o.clear():
			t.Log(o)
			// What was issued late has waited before the queue for some of the
			// time that it would have waited in it, or for more.
			if o.got < o.want-o.half || o.got > o.want+o.late+o.half {
				t.Error("theory disagrees")
			}
			return
		case o.busy > hostBusy && attempt == 2:
			t.Skipf("needs a quieter machine: its processors are %.0f %% busy, and its delays are not the queue's: %v", 100*o.busy, o)
		case attempt == 2:
			t.Errorf("what is measured does not hold together: %v", o)
			return
		}
	}
}

// offered is what came of offering a rate, in seconds: the mean response time
// that was measured, half its interval over the trials, and what theory wants;
// seen is the response time by the server's account, late how late operations
// were issued.
type offered struct {
	got, half, want, seen, late float64
	utilisation, busy           float64
}

// clear says that the trials are alike enough to tell anything, and agree with
// the server, which had the same arrivals.
func (o offered) clear() bool {
	return o.half < 0.75*o.want && math.Abs(o.got-o.seen) < 0.2*o.got
}

// String tells all.
func (o offered) String() string {
	return fmt.Sprintf("at utilisation %.3f: response %.4g s, interval of %.2g s, issued %.2g s late; theory says %.4g s, the server %.4g s", o.utilisation, o.got, o.half, o.late, o.want, o.seen)
}

// offer measures a rate.
func (q *knownQueue) offer(t *testing.T, rate float64, window time.Duration) (o offered) {
	t.Helper()
	const repeats, quantile = 8, 3.499 // Student's t, 99 % two-sided, 7 degrees of freedom
	var squares float64
	for _, trial := range q.trials(t, fmt.Sprintf("rate: %g/s, depth: 128", rate), window, repeats) {
		j := trial.Jobs[0]
		response, _ := j.Kinds[0].Response.MeanSeconds()
		lateness, _ := j.Lateness.MeanSeconds()
		o.got, squares, o.late = o.got+response/repeats, squares+response*response/repeats, o.late+lateness/repeats
		o.busy += trial.CPU.HostBusy.V / repeats
	}
	o.half = quantile * math.Sqrt((squares-o.got*o.got)/(repeats-1))
	seen := q.server.served()
	n := float64(seen.n)
	service := seen.service / n
	o.utilisation = rate * service
	o.want = q.path + service + rate*seen.squares/n/(2*(1-o.utilisation))
	o.seen = o.late + q.path + seen.sojourn/n
	return o
}
