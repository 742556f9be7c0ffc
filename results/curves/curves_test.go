package curves

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

// hockey bends at 300: latency 1 ms up to there, then steeply up.
func hockey() []sample {
	return []sample{{throughput: 100, latency: 0.001}, {throughput: 200, latency: 0.001}, {throughput: 300, latency: 0.0012}, {throughput: 320, latency: 0.010}, {throughput: 310, latency: 0.030}}
}

func TestKnee(t *testing.T) {
	if k := knee(hockey()); k.throughput != 300 {
		t.Errorf("knee at %v, want 300", k)
	}
	flat := []sample{{throughput: 5, latency: 1}, {throughput: 5, latency: 1}}
	if k := knee(flat); k != flat[0] {
		t.Errorf("a curve without extent: %v", k)
	}
}

func TestMostUnder(t *testing.T) {
	for limit, want := range map[float64]float64{0.0005: 0, 0.001: 200, 0.0011: 250, 0.0056: 310, 0.010: 320, 1: 320} {
		if got := mostUnder(hockey(), limit); math.Abs(got-want) > 1e-9 {
			t.Errorf("under %v s: %v, want %v", limit, got, want)
		}
	}
}

func TestLatencyAt(t *testing.T) {
	for throughput, want := range map[float64]float64{50: 0.001, 100: 0.001, 250: 0.0011, 310: 0.0056, 320: 0.010} {
		if got, ok := latencyAt(hockey(), throughput); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v %v, want %v", throughput, got, ok, want)
		}
	}
	if _, ok := latencyAt(hockey(), 321); ok {
		t.Error("a throughput beyond the curve has a latency")
	}
}

// run has two variants whose curves cross, in n blocks.
func run(n int) *results.RunData {
	r := &results.Run{ID: "r", Workloads: []results.Workload{{Name: "w", Jobs: []results.Job{{Name: "j"}}}}, Variants: []results.Variant{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}
	data := &results.RunData{Run: r, Dir: "r"}
	for v, id := range []string{"a", "b"} {
		for depth, latency := range map[int]time.Duration{1: 1, 2: 2, 4: 8} {
			for b := range n {
				h := hist.New()
				for range 200 {
					h.Record(int64(latency * time.Millisecond * time.Duration(1+v)))
				}
				rate := results.Some(float64(100*depth*(1+2*v)) * (1 + 0.001*float64(b)))
				data.Trials = append(data.Trials, results.Trial{
					Index: len(data.Trials), Block: b, Variant: id, Workload: "w", Load: results.Load{Depth: depth}, Status: results.Valid, WindowSeconds: 1,
					Jobs: []results.JobResult{{Name: "j", Kinds: []results.KindResult{{Kind: "read", Ops: 200, OpsPerSecond: rate, Service: h}}}},
				})
			}
		}
	}
	return data
}

func TestOf(t *testing.T) {
	all, err := Of(run(8), Options{Throughput: "ops", Latency: "p50", Under: 0.004, At: 350})
	if err != nil || len(all) != 2 {
		t.Fatalf("%d curves, %v", len(all), err)
	}
	a, b := all[0], all[1]
	if a.Variant != "A" || len(a.Points) != 3 || a.Points[0].Load != "depth 1" || a.Blocks != 8 {
		t.Errorf("%+v", a)
	}
	// Of A: 200 at 2 ms and 400 at 8 ms, so 266.7 at 4 ms; of B 600 at 4 ms.
	for _, c := range []struct {
		got, want float64
	}{{a.MostUnder.Center, 800.0 / 3}, {b.MostUnder.Center, 600}, {a.LatencyAt.Center, 0.0065}, {b.LatencyAt.Center, 0.0023}, {a.KneeThroughput.Center, 200}} {
		if math.Abs(c.got-c.want) > 0.02*c.want {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if a.MostUnder.Range || a.MostUnder.Lo > a.MostUnder.Center || a.MostUnder.Confidence < 0.95 {
		t.Errorf("the interval of 8 blocks: %+v", a.MostUnder)
	}
	front := map[string]bool{}
	for _, c := range all {
		for _, p := range c.Points {
			front[c.Variant+" "+p.Load] = p.Pareto
		}
	}
	for point, want := range map[string]bool{"A depth 1": true, "A depth 2": false, "A depth 4": false, "B depth 1": true, "B depth 2": true, "B depth 4": true} {
		if front[point] != want {
			t.Errorf("%s on the front: %v, want %v", point, front[point], want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for want, o := range map[string]Options{"use one of ops": {Throughput: "iops"}, "name a rate and a latency": {Throughput: "p99", Latency: "ops"}} {
		if _, err := Of(run(1), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Of(&results.RunData{Run: &results.Run{}}, Options{}); err == nil {
		t.Error("a run without load points has curves")
	}
}
