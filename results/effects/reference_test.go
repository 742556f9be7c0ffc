package effects

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The effects and their intervals are those of NumPy and SciPy: see
// testdata/reference.py, which made the figures and the answers.
func TestEffectsAgreeWithSciPy(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Figures [][][]float64
		Effects map[string][3]float64
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	data := run(len(reference.Figures), func(a, b, block int) float64 {
		return reference.Figures[block][a][min(b, 1)]
	})
	data.Run.Tunables[1].Values = data.Run.Tunables[1].Values[:2]
	kept := data.Trials[:0]
	for _, trial := range data.Trials {
		if trial.Variant != "py" && trial.Variant != "qy" {
			kept = append(kept, trial)
		}
	}
	data.Trials = kept
	table := only(t, data, Options{})
	if len(table.Effects) != len(reference.Effects) {
		t.Fatalf("%d effects, want %d", len(table.Effects), len(reference.Effects))
	}
	for _, e := range table.Effects {
		want := reference.Effects[e.String()]
		for i, got := range []float64{e.Ratio.Center, e.Ratio.Lo, e.Ratio.Hi} {
			if math.Abs(got-want[i]) > 1e-12*want[i] {
				t.Errorf("%s: %v, want %v", e, e.Ratio, want)
				break
			}
		}
	}
}
