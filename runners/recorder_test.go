package runners

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/workloads"
)

const ms = time.Millisecond

func completion(issued, done time.Duration) Completion {
	return Completion{Op: workloads.Op{Len: 4096}, Issued: issued, Done: done, N: 4096}
}

// play sends completions, each submitted when it was issued, through a
// Recorder with the window begin..end.
func play(info JobInfo, begin, end time.Duration, cs ...Completion) *Recorder {
	r := NewRecorder([]JobInfo{info})
	type event struct {
		at time.Duration
		do func()
	}
	events := []event{{begin, func() { r.Begin(begin) }}, {end, func() { r.End(end) }}}
	for _, c := range cs {
		events = append(events,
			event{c.Issued, func() { r.Submitted([]workloads.Op{c.Op}, c.Issued) }},
			event{c.Done, func() { r.Completed([]Completion{c}, c.Done) }})
	}
	for len(events) > 0 {
		first := 0
		for i, e := range events {
			if e.at < events[first].at {
				first = i
			}
		}
		events[first].do()
		events = append(events[:first], events[first+1:]...)
	}
	return r
}

func TestWindowCountsByCompletion(t *testing.T) {
	r := play(JobInfo{Name: "j", Depth: 3}, 10*ms, 20*ms,
		completion(1*ms, 5*ms),   // before
		completion(8*ms, 12*ms),  // reaches in
		completion(12*ms, 16*ms), // inside
		completion(15*ms, 26*ms), // outstanding at the end
		completion(18*ms, 22*ms), // too
	)
	got := r.Results()[0]
	k := got.Kinds[0]
	if k.Ops != 2 || k.Bytes != 8192 || k.OpsPerSecond.V != 200 || k.BytesPerSecond.V != 819200 {
		t.Errorf("window holds %+v", k)
	}
	if want := float64(2+4+5+2) / 10; math.Abs(got.AchievedDepth.V-want) > 1e-9 {
		t.Errorf("achieved depth %v, want %v", got.AchievedDepth.V, want)
	}
	if got.Pending != 2 || got.OldestPendingSeconds != 5e-3 {
		t.Errorf("pending %d, oldest %v s; want 2 and 5 ms", got.Pending, got.OldestPendingSeconds)
	}
	if p := r.Live(); p.Ops != 5 || p.Bytes != 5*4096 || p.Latency != (4+4+4+11+4)*ms {
		t.Errorf("live %+v", p)
	}
}

// TestCompletionSeenLate: a queue may report only after End what was done
// before it.
func TestCompletionSeenLate(t *testing.T) {
	r := NewRecorder([]JobInfo{{Depth: 1}})
	r.Begin(0)
	c := completion(2*ms, 9*ms)
	r.Submitted([]workloads.Op{c.Op}, 2*ms)
	r.End(10 * ms)
	r.Completed([]Completion{c}, 11*ms)
	if got := r.Results()[0]; got.Pending != 0 || got.Kinds[0].Ops != 1 {
		t.Errorf("pending %d, %d operations", got.Pending, got.Kinds[0].Ops)
	}
}

func TestRatesNeedATimeAndTwoOperations(t *testing.T) {
	us := time.Microsecond
	tests := []struct {
		name        string
		end         time.Duration
		cs          []Completion
		rate, depth bool
	}{
		{"one operation", 10 * ms, []Completion{completion(0, 5*ms)}, false, true},
		{"two operations", 10 * ms, []Completion{completion(0, 5*ms), completion(0, 6*ms)}, true, true},
		{"under 1 ms", 999 * us, []Completion{completion(0, 5*us), completion(0, 6*us)}, false, false},
		{"no time", 0, []Completion{completion(0, 0), completion(0, 0)}, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := play(JobInfo{Depth: 1}, 0, tt.end, tt.cs...).Results()[0]
			for _, k := range got.Kinds {
				if k.OpsPerSecond.Valid != tt.rate || k.BytesPerSecond.Valid != tt.rate {
					t.Errorf("rate %+v", k.OpsPerSecond)
				}
			}
			if got.AchievedDepth.Valid != tt.depth {
				t.Errorf("depth %+v", got.AchievedDepth)
			}
			text, err := json.Marshal(got)
			if err != nil || strings.Contains(string(text), "NaN") {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
}

func TestNoWindowNoOperations(t *testing.T) {
	got := NewRecorder([]JobInfo{{Name: "idle", Depth: 1, Interval: time.Second}}).Results()[0]
	if len(got.Kinds) != 0 || got.AchievedDepth.Valid || got.Series != nil {
		t.Errorf("%+v", got)
	}
}

func TestSeries(t *testing.T) {
	cs := []Completion{
		completion(100*ms, 101*ms), completion(101*ms, 104*ms), // interval 0
		completion(119*ms, 125*ms), // interval 2, and none in 1
		completion(130*ms, 134*ms), // the cut one
	}
	got := play(JobInfo{Depth: 1, Interval: 10 * ms}, 100*ms, 135*ms, cs...).Results()[0].Series
	want := `{"interval_s":0.01,"ops":[2,0,1],"bytes":[8192,0,4096],"mean_s":[0.002,0,0.006],"max_s":[0.003,0,0.006]}`
	if text, _ := json.Marshal(got); string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestLongSeriesKeepsItsSize(t *testing.T) {
	r := NewRecorder([]JobInfo{{Depth: 1, Interval: ms}})
	r.Begin(0)
	const n = 10 * maxPoints
	for i := range n {
		at := time.Duration(i) * ms
		r.Submitted([]workloads.Op{{Len: 4096}}, at)
		r.Completed([]Completion{completion(at, at)}, at)
	}
	r.End(n * ms)
	s := r.Results()[0].Series
	if s.IntervalSeconds != 0.016 || len(s.Ops) != n/16 {
		t.Fatalf("%d intervals of %v s", len(s.Ops), s.IntervalSeconds)
	}
	for i, ops := range s.Ops {
		if ops != 16 || s.Bytes[i] != 16*4096 {
			t.Fatalf("interval %d: %d operations", i, ops)
		}
	}
}

// TestMergeJobsIsExact: copies recorded apart and merged are what one Recorder
// would have seen.
func TestMergeJobsIsExact(t *testing.T) {
	var a, b []Completion
	for i := range 200 {
		c := completion(time.Duration(i)*ms, time.Duration(i+1+i%7)*ms)
		if i%3 > 0 {
			c.Op.At = c.Issued - ms/4
			c.Op.Kind = workloads.Write
		}
		if i%50 == 9 {
			c.Err = errBroken
		}
		if i%2 == 0 {
			a = append(a, c)
		} else {
			b = append(b, c)
		}
	}
	info := JobInfo{Name: "j", Depth: 4, Rate: 500, Interval: 10 * ms}
	result := func(info JobInfo, cs ...Completion) results.JobResult {
		return play(info, 20*ms, 180*ms, cs...).Results()[0]
	}
	whole := info
	whole.Depth, whole.Rate = 8, 1000
	want := result(whole, append(a, b...)...)
	half := result(info, a...)
	before, _ := json.Marshal(half)
	got := MergeJobs([]results.JobResult{half, result(info, b...)})
	within(t, "depth", got.AchievedDepth.V, want.AchievedDepth.V, 1e-12)
	got.AchievedDepth = want.AchievedDepth
	for i := range got.Series.MeanSeconds {
		within(t, "mean", got.Series.MeanSeconds[i], want.Series.MeanSeconds[i], 1e-12)
	}
	got.Series.MeanSeconds = want.Series.MeanSeconds
	gotText, _ := json.Marshal(got)
	wantText, _ := json.Marshal(want)
	if string(gotText) != string(wantText) {
		t.Errorf("got  %s\nwant %s", gotText, wantText)
	}
	if after, _ := json.Marshal(half); string(after) != string(before) {
		t.Error("merging changed a copy")
	}
}

func TestMergeJobsOfUnlikeCopies(t *testing.T) {
	if got := MergeJobs(nil); got.Name != "" || got.Kinds != nil {
		t.Errorf("no copies gave %+v", got)
	}
	many := play(JobInfo{Depth: 1, Interval: ms}, 0, 20*ms, completion(0, 5*ms), completion(5*ms, 9*ms)).Results()[0]
	single := play(JobInfo{Depth: 1, Interval: 2 * ms}, 0, 20*ms, completion(0, 5*ms)).Results()[0]
	got := MergeJobs([]results.JobResult{many, single})
	if rate := got.Kinds[0].OpsPerSecond; rate.V != 150 {
		t.Errorf("3 operations in 20 ms gave the rate %+v", rate)
	}
	if s := got.Series; s.IntervalSeconds != 0.002 || len(s.Ops) != 10 || s.Ops[2] != 2 || s.Ops[4] != 1 {
		t.Errorf("series %+v", s)
	}
	lone := MergeJobs([]results.JobResult{single, single})
	if lone.Kinds[0].OpsPerSecond.Valid {
		t.Error("copies without a rate gave one")
	}
}
