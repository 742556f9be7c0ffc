package campaign

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/curves"
)

const adaptiveProfile = `
schema: 1
name: adaptive
target: {scratch_size: 1GiB}
tunables: [{name: physical_breaks, values: [17, 65, 257]}]
workloads:
  - name: reads
    load: {curve: adaptive, points: 4, outstanding: 16}
    jobs: [{name: reader, access: random, size: 128KiB}]
  - name: beside
    jobs: [{name: reader, access: random, size: 4KiB}]
measure: {duration: 20s, repeats: 3}
`

// percents are the load points of a workload's trials, by variant and block.
func percents(trials []results.Trial, workload string) map[string][]float64 {
	all := map[string][]float64{}
	for _, t := range trials {
		if t.Workload == workload && !t.Load.Max {
			at := fmt.Sprint(t.Variant, t.Block)
			all[at] = append(all[at], t.Load.Percent)
		}
	}
	return all
}

// All variants and blocks are measured at the points that the first block chose.
func TestChosenPointsAreTheSameEverywhere(t *testing.T) {
	trials, o := simulate(t, adaptiveProfile, "hdd-7200", nil)
	if want := 3 * 3 * 6; len(trials) != want || o.Valid < want/2 {
		t.Fatalf("%d trials, %+v", len(trials), o)
	}
	all := percents(trials, "reads")
	if len(all) != 9 {
		t.Fatalf("%d variants and blocks, want 9: %v", len(all), all)
	}
	first := slices.Sorted(slices.Values(slices.Collect(maps.Values(all))[0]))
	for at, list := range all {
		if got := slices.Sorted(slices.Values(list)); !slices.Equal(got, first) || len(slices.Compact(got)) != 4 {
			t.Errorf("variant and block %s: points %v, elsewhere %v", at, got, first)
		}
	}
	if !slices.Contains(first, 10) || !slices.Contains(first, 55) {
		t.Errorf("points %v: want the lightest load and the middle among them", first)
	}
}

// The first block goes point by point, so that each is chosen from what all
// variants showed at those before.
func TestFirstBlockGoesPointByPoint(t *testing.T) {
	trials, _ := simulate(t, adaptiveProfile, "hdd-7200", nil)
	var order []string
	for _, tr := range trials {
		if tr.Block == 0 && tr.Workload == "reads" {
			order = append(order, tr.Load.String())
		}
	}
	if len(slices.Compact(order)) != 5 || order[0] != "max" || order[1] != "10%" {
		t.Errorf("%v: want each point once, after the maximum", order)
	}
}

// A run that was interrupted anywhere goes on to the same trials.
func TestChosenPointsSurviveResuming(t *testing.T) {
	whole, _ := simulate(t, adaptiveProfile, "hdd-7200", nil)
	for _, at := range []int{1, 4, 8, 14, 17, 20, 40} {
		rest, _ := simulate(t, adaptiveProfile, "hdd-7200", whole[:at])
		if got := append(slices.Clone(whole[:at]), rest...); !reflect.DeepEqual(percents(got, "reads"), percents(whole, "reads")) {
			t.Errorf("resumed after %d: points %v, in one go %v", at, percents(got, "reads"), percents(whole, "reads"))
		}
	}
}

// kneeOfQueue measures a queue with one exponential server at the load points and
// returns the knee that iosweep reads off, in operations per second.
func kneeOfQueue(t *testing.T, load string) (knee results.Float, points int) {
	t.Helper()
	p, err := profiles.Parse("knee.yaml", fmt.Appendf(nil, `
schema: 1
name: knee
workloads: [{name: reads, load: %s, jobs: [{name: reader, access: random, size: 4KiB}]}]
measure: {warmup: 200ms, duration: 20s, repeats: 6, retries: 0}
`, load))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := &shelf{}
	c := Campaign{Plan: plan, Engine: &exponential{}, Target: deterministic(t).Target(), Store: kept, Simulated: true}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := curves.Of(&results.RunData{Run: plan.Describe(), Trials: kept.trials}, curves.Options{Throughput: "ops", Latency: "mean", Under: 1e-3, At: 8000})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d curves, %v", len(all), err)
	}
	if u, l := all[0].MostUnder, all[0].LatencyAt; math.Abs(u.Center-9000) > 150 || math.Abs(l.Center-500e-6) > 100e-6 {
		t.Errorf("%s: %v/s under 1 ms, want 9000 by theory; %v s at 8000/s, want 500 us", load, u, l)
	}
	return results.Some(all[0].KneeThroughput.Center), len(all[0].Points)
}

// With one server of exponential times, latency is s/(1-x) at a share x of its
// rate, and 64 s with 64 outstanding: the curve from 10 % on lies farthest below
// the line between its ends where (1-x)^2 = 0.9 s / (64 s - s/0.9).
func TestAdaptiveFindsTheKneeWithFewerPoints(t *testing.T) {
	rate := 1 / serviceTime.Seconds()
	truth := rate * (1 - math.Sqrt(0.9/(64-1/0.9)))
	chosen, few := kneeOfQueue(t, "{curve: adaptive, points: 5}")
	fixed, many := kneeOfQueue(t, "curve")
	t.Logf("knee at %.0f/s by theory; %.0f/s from %d points that were chosen, %.0f/s from %d fixed ones", truth, chosen.V, few, fixed.V, many)
	if few >= many {
		t.Errorf("%d points, the fixed list has %d", few, many)
	}
	if a, b := math.Abs(chosen.V-truth), math.Abs(fixed.V-truth); a > b {
		t.Errorf("off by %.0f/s with %d chosen points, by %.0f/s with %d fixed ones", a, few, b, many)
	}
}
