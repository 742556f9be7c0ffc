package effects

import (
	"math"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// run varies two tunables of two and three values; figure gives the rate.
func run(blocks int, figure func(a, b, block int) float64) *results.RunData {
	r := &results.Run{ID: "r", Tunables: []results.Tunable{{Name: "first", Values: []string{"p", "q"}}, {Name: "second", Values: []string{"x", "z", "y"}}}, Workloads: []results.Workload{{Name: "w", Varies: []string{"first", "second"}, Jobs: []results.Job{{Name: "j"}}}}}
	data := &results.RunData{Run: r, Dir: "r"}
	for a, va := range []string{"p", "q"} {
		for b, vb := range []string{"x", "z", "y"} {
			id := va + vb
			r.Variants = append(r.Variants, results.Variant{ID: id, Settings: []results.Setting{{Tunable: "first", Value: va}, {Tunable: "second", Value: vb}}})
			for block := range blocks {
				v := results.Some(figure(a, b, block))
				data.Trials = append(data.Trials, results.Trial{
					Index: len(data.Trials), Block: block, Variant: id, Workload: "w", Status: results.Valid, WindowSeconds: 1,
					Jobs: []results.JobResult{{Name: "j", Kinds: []results.KindResult{{Kind: "read", Ops: 100, OpsPerSecond: v}}}},
				})
			}
		}
	}
	return data
}

func only(t *testing.T, data *results.RunData, o Options) Table {
	t.Helper()
	tables, err := Of(data, "ops", o)
	if err != nil || len(tables) != 1 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	return tables[0]
}

// Effects that were put in must come out: the first tunable doubles, the second
// gains 1.1 and 1.3, and q with y has another 1.5.
func TestEffects(t *testing.T) {
	data := run(10, func(a, b, block int) float64 {
		v := float64(100+block) * []float64{1, 2}[a] * []float64{1, 1.1, 1.3}[b]
		if a == 1 && b == 2 {
			v *= 1.5
		}
		return v
	})
	table := only(t, data, Options{Margin: 0.03})
	want := map[string]float64{
		"first p -> q":                 2 * math.Cbrt(1.5), // one of three
		"second x -> z":                1.1,
		"second x -> y":                1.3 * math.Sqrt(1.5), // one of two
		"first p -> q x second x -> z": 1,
		"first p -> q x second x -> y": 1.5,
	}
	if table.Blocks != 10 || table.Incomplete != 0 || len(table.Effects) != len(want) {
		t.Fatalf("%+v", table)
	}
	for _, e := range table.Effects {
		w, ok := want[e.String()]
		if !ok || math.Abs(e.Ratio.Center-w) > 1e-9 || e.Matters != (w != 1) {
			t.Errorf("%s: %v, matters %v, want %v", e, e.Ratio.Center, e.Matters, w)
		}
	}
	if first := table.Effects[0].String(); first != "first p -> q" {
		t.Errorf("%s comes first, want the largest main effect", first)
	}
}

// Of few blocks nothing is proven, and a block with a hole gives nothing.
func TestTooFewAndIncomplete(t *testing.T) {
	data := run(3, func(a, b, block int) float64 { return 100 * float64(1+a) })
	data.Trials = data.Trials[1:]
	table := only(t, data, Options{})
	if table.Blocks != 2 || table.Incomplete != 1 {
		t.Errorf("%d blocks, %d incomplete, want 2 and 1", table.Blocks, table.Incomplete)
	}
	for _, e := range table.Effects {
		if e.Matters {
			t.Errorf("%s matters, of two blocks", e)
		}
	}
}

func TestNeedsTwoTunables(t *testing.T) {
	data := run(1, func(int, int, int) float64 { return 1 })
	data.Run.Workloads[0].Varies = []string{"first"}
	if _, err := Of(data, "ops", Options{}); err == nil || !strings.Contains(err.Error(), "varies two tunables together") {
		t.Error(err)
	}
	if _, err := Of(data, "iops", Options{}); err == nil {
		t.Error("a metric that is none was taken")
	}
}
