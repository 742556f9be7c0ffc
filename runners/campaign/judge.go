package campaign

import (
	"fmt"
	"math"
	"slices"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/validity"
	"github.com/iosweep/iosweep/workloads"
)

// The limits beyond which a trial does not count, or its reader must be told.
const (
	// rateMiss is the share by which an open loop may fall short of its rate.
	rateMiss = 0.03
	// depthMiss is the share by which the achieved depth may fall short.
	depthMiss = 0.10
	// bytesMiss is the share by which the device's own count may differ from
	// what was issued, beside what was in flight at the window's edges.
	bytesMiss = 0.05
	// hostBusy is the share of the processors in use from which figures
	// measure the host rather than the device, steal the share a hypervisor took.
	hostBusy, steal = 0.95, 0.05
	// littleMiss is the tolerated difference between the achieved depth and
	// rate times mean time.
	littleMiss = 0.05
	// heldUpSeconds is how long a busy host may keep the generator between its
	// own look at the clock and the queue's: a few turns of other threads.
	heldUpSeconds = 0.010
)

// judge looks at a finished trial for reasons not to believe it.
func judge(c *Campaign, w *profiles.Workload, t *results.Trial) {
	judgeDrift(t)
	js := w.JobsAt(t.Load)
	for i := range t.Jobs {
		judgeJob(t, &t.Jobs[i], js[i].Spec, w.Measure)
		judgeSeries(t, &t.Jobs[i], js)
	}
	if t.Counters != nil {
		judgeCounters(c, t, js, "", t.Counters)
	}
	for i := range t.NamedCounters {
		judgeCounters(c, t, js, t.NamedCounters[i].Target, &t.NamedCounters[i].Counters)
	}
	if !c.Simulated { // a model's figures say nothing of the processors
		judgeHost(t)
	}
}

// judgeSeries looks at a job's progress, where no job of the workload ends by
// itself: the others have more of the target then.
func judgeSeries(t *results.Trial, j *results.JobResult, js []profiles.Job) {
	ends := func(j profiles.Job) bool { return j.Access.StopAtEnd || j.Think > 0 || j.Burst.Ops > 0 }
	if f, found := validity.Series(j, slices.ContainsFunc(js, ends)); found {
		finding(t, f.Code, f.Fatal, f.Text)
	}
}

func judgeDrift(t *results.Trial) {
	for _, a := range t.Settings {
		if a.After != a.Observed {
			finding(t, "drift", true, fmt.Sprintf("%s was %s when the trial began and %s when it ended: something else changes it (a udev rule, a tuning daemon); stop that and measure again", a.Tunable, a.Observed, a.After))
		}
	}
}

// ioErrors is the code of the finding that the device failed operations.
const ioErrors = "io_errors"

func judgeJob(t *results.Trial, j *results.JobResult, spec workloads.Spec, m profiles.Measure) {
	var ops, failed int64
	for _, k := range j.Kinds {
		ops, failed = ops+k.Ops, failed+k.Errors
		for text, n := range k.ErrorTexts {
			finding(t, ioErrors, true, fmt.Sprintf("%d %ss of %s failed: %s", n, k.Kind, j.Name, text))
		}
	}
	if ops == 0 && failed == 0 {
		judgeIdle(t, j)
		return
	}
	judgeRate(t, j, ops)
	if spec.Think == 0 && spec.Burst.Ops == 0 {
		judgeDepth(t, j, drained(t, m, ops))
	}
	// Failures took their time too, and it is not kept; the waits for a journal
	// of stamps lie between what the depth and the service time are counted by.
	if failed == 0 && t.Verified == nil {
		judgeLittle(t, j)
	}
}

// judgeIdle tells starvation, which is a result, from a job that did nothing.
func judgeIdle(t *results.Trial, j *results.JobResult) {
	if j.Pending > 0 {
		finding(t, "starved", false, fmt.Sprintf("no operation of %s completed in %.3g s; the oldest of %d waiting had waited %.3g s", j.Name, t.WindowSeconds, j.Pending, j.OldestPendingSeconds))
		return
	}
	finding(t, "idle", true, fmt.Sprintf("%s issued nothing in %.3g s", j.Name, t.WindowSeconds))
}

func judgeRate(t *results.Trial, j *results.JobResult, ops int64) {
	if j.Rate == 0 || t.WindowSeconds <= 0 {
		return
	}
	// A rate is only missed if the shortfall is more than arrivals at random
	// would give.
	offered := j.Rate * t.WindowSeconds
	short := offered - float64(ops)
	if short > rateMiss*offered && short > 4*math.Sqrt(offered) {
		finding(t, "rate_missed", true, fmt.Sprintf("offered rate missed: %s was asked %s and did %s", j.Name, units.FormatOps(j.Rate), units.FormatOps(float64(ops)/t.WindowSeconds)))
	}
}

// drained is the share of its depth, for each operation of it, that a job may
// lack because its window ended with its operations and not by its time: while
// the last of them come back, fewer and fewer are outstanding.
func drained(t *results.Trial, m profiles.Measure, ops int64) float64 {
	if m.Duration > 0 && t.WindowSeconds >= m.Duration.Seconds() {
		return 0
	}
	return 1 / float64(ops)
}

func judgeDepth(t *results.Trial, j *results.JobResult, drained float64) {
	if j.Rate > 0 || !j.AchievedDepth.Valid {
		return
	}
	depth := float64(j.Depth)
	if j.AchievedDepth.V < depth*(1-depthMiss-depth*drained) {
		finding(t, "depth_missed", false, fmt.Sprintf("%s was to keep %d operations outstanding and kept %.3g on average", j.Name, j.Depth, j.AchievedDepth.V))
	}
}

// judgeLittle checks that depth, rate and mean time agree: they are measured
// apart, so a difference is an error of measurement.
func judgeLittle(t *results.Trial, j *results.JobResult) {
	if !j.AchievedDepth.Valid || t.WindowSeconds <= 0 || j.AchievedDepth.V == 0 {
		return
	}
	var busy float64
	for _, k := range j.Kinds {
		if mean, ok := k.Service.MeanSeconds(); ok {
			busy += mean * float64(k.Service.Count())
		}
	}
	difference := math.Abs(busy/t.WindowSeconds - j.AchievedDepth.V)
	if difference > littleMiss*j.AchievedDepth.V+littleEdges(t, j) {
		finding(t, "littles_law", true, fmt.Sprintf("%s: rate times mean service time is %.4g, and the depth was seen to be %.4g: the measurement contradicts itself", j.Name, busy/t.WindowSeconds, j.AchievedDepth.V))
	}
}

// littleEdges is how far depth and rate times mean time may be apart because
// the window has an end, in operations outstanding: what was begun before it
// counts whole in one and in part in the other, what ends after it not at all
// and in part; windows of several queues are apart; and the host may hold the
// generator up once while operations count as outstanding.
func littleEdges(t *results.Trial, j *results.JobResult) float64 {
	var ops int64
	var longest float64
	for _, k := range j.Kinds {
		if k.Service != nil {
			ops += k.Service.Count()
			longest = math.Max(longest, k.Service.Max().Seconds())
		}
	}
	before := float64(min(int64(j.Depth), ops)) * longest
	after := float64(j.Pending) * math.Min(j.OldestPendingSeconds, t.WindowSeconds)
	apart := j.AchievedDepth.V * t.SkewSeconds
	heldUp := math.Max(1, j.AchievedDepth.V) * heldUpSeconds
	return (before + after + apart + heldUp) / t.WindowSeconds
}

// maxInFlight is how many bytes of each kind may be outstanding on a target at
// an edge of the window.
func maxInFlight(js []profiles.Job, on string, g workloads.Geometry) int64 {
	var bytes int64
	for _, j := range js {
		if j.Target == on {
			bytes += int64(j.Depth) * int64(max(1, j.Copies)) * j.MaxLen(g)
		}
	}
	return bytes
}

// judgeCounters compares the kernel's count of bytes on a target with that of
// the jobs there.
func judgeCounters(c *Campaign, t *results.Trial, js []profiles.Job, on string, counters *results.Counters) {
	inFlight := maxInFlight(js, on, geometryOf(c.on(on).Target))
	seen := map[string]results.CounterKind{"read": counters.Read, "write": counters.Write}
	for _, kind := range []string{"read", "write"} {
		issued, counted := issuedBytes(t, js, on, kind), seen[kind].Bytes
		if counted == 0 && seen[kind].Requests > 0 {
			// So did FreeBSD's md driver for long.
			finding(t, "bytes_uncounted", false, fmt.Sprintf("the system counts %ss of %s and not their bytes, so the jobs' own are not checked against them", kind, deviceOf(on)))
			continue
		}
		slack := bytesMiss*float64(issued) + 2*float64(inFlight) + strayBytes
		if t.WindowSeconds > 0 {
			// Where the windows of several queues are apart, the counters are
			// of another time than what was issued.
			slack += float64(issued) * t.SkewSeconds / t.WindowSeconds
		}
		if math.Abs(float64(counted-issued)) > slack {
			finding(t, "counters_differ", true, fmt.Sprintf("%ss: the jobs moved %d bytes and %s counted %d: I/O was buffered or merged away, or somebody else used the device", kind, issued, deviceOf(on), counted))
		}
	}
}

// deviceOf is what a finding calls a target.
func deviceOf(name string) string {
	if name == "" {
		return "the device"
	}
	return "the device of target " + name
}

// strayBytes is what other readers (udev probing a device) may add unnoticed.
const strayBytes = 1 << 20

func issuedBytes(t *results.Trial, js []profiles.Job, on, kind string) int64 {
	var n int64
	for i, j := range t.Jobs {
		if js[i].Target != on {
			continue
		}
		for _, k := range j.Kinds {
			if k.Kind == kind {
				n += k.Bytes
			}
		}
	}
	return n
}

func judgeHost(t *results.Trial) {
	if t.CPU == nil {
		return
	}
	if b := t.CPU.HostBusy; b.Valid && b.V > hostBusy {
		finding(t, "host_busy", false, fmt.Sprintf("the processors were %.0f %% busy: the figures may say more of this host than of the device", 100*b.V))
	}
	if s := t.CPU.Steal; s.Valid && s.V > steal {
		finding(t, "steal", false, fmt.Sprintf("the hypervisor took %.0f %% of the processors' time", 100*s.V))
	}
}
