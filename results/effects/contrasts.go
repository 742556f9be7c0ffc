package effects

import (
	"math"
	"slices"

	"github.com/iosweep/iosweep/results/stats"
)

func (d *design) table(metric string, o Options) Table {
	t := Table{Workload: d.workload.Name, Load: d.load, Metric: metric, Tunables: d.workload.Varies}
	combinations := d.combinations()
	var whole []map[string]float64
	for _, figures := range d.blocks {
		if len(figures) == len(combinations) {
			whole = append(whole, figures)
		}
	}
	t.Blocks, t.Incomplete = len(whole), len(d.blocks)-len(whole)
	contrasts := d.contrasts()
	family := Options{Confidence: 1 - (1-o.Confidence)/float64(max(1, len(contrasts))), Margin: o.Margin}
	for _, c := range contrasts {
		t.Effects = append(t.Effects, d.effect(c, whole, combinations, family))
	}
	slices.SortStableFunc(t.Effects, func(a, b Effect) int {
		if len(a.Levels) != len(b.Levels) {
			return len(a.Levels) - len(b.Levels)
		}
		if size(a) > size(b) {
			return -1
		}
		return 1
	})
	return t
}

// size is how far an effect is from none.
func size(e Effect) float64 {
	if e.Ratio.N == 0 {
		return 0
	}
	return math.Abs(math.Log(e.Ratio.Center))
}

// combinations lists the indexes of the levels of every combination.
func (d *design) combinations() [][]int {
	all := [][]int{nil}
	for _, levels := range d.levels {
		var longer [][]int
		for _, c := range all {
			for i := range levels {
				longer = append(longer, append(slices.Clone(c), i))
			}
		}
		all = longer
	}
	return all
}

// contrast is one tunable's level, or two tunables' levels, against the first.
type contrast struct{ tunables, levels []int }

func (d *design) contrasts() (all []contrast) {
	for i := range d.levels {
		for a := 1; a < len(d.levels[i]); a++ {
			all = append(all, contrast{[]int{i}, []int{a}})
		}
	}
	for i := range d.levels {
		for k := i + 1; k < len(d.levels); k++ {
			for a := 1; a < len(d.levels[i]); a++ {
				for b := 1; b < len(d.levels[k]); b++ {
					all = append(all, contrast{[]int{i, k}, []int{a, b}})
				}
			}
		}
	}
	return all
}

// sign is what a combination counts for in a contrast: 1 with the level, -1 with
// the first, and the product for two; 0 for other levels.
func (c contrast) sign(combination []int) float64 {
	sign := 1.0
	for i, tunable := range c.tunables {
		switch combination[tunable] {
		case c.levels[i]:
		case 0:
			sign = -sign
		default:
			return 0
		}
	}
	return sign
}

// effect is a contrast's ratio over the whole blocks.
func (d *design) effect(c contrast, whole []map[string]float64, combinations [][]int, o Options) Effect {
	e := Effect{}
	for i, tunable := range c.tunables {
		e.Levels = append(e.Levels, Level{d.workload.Varies[tunable], d.levels[tunable][0], d.levels[tunable][c.levels[i]]})
	}
	var ratios []float64
	for _, figures := range whole {
		sum, used := 0.0, 0.0
		for _, combination := range combinations {
			sign := c.sign(combination)
			sum += sign * figures[d.name(combination)]
			used += math.Abs(sign)
		}
		// Each mean is over as many combinations as carry its sign pattern.
		each := used / math.Exp2(float64(len(c.tunables)))
		ratios = append(ratios, math.Exp(sum/each))
	}
	e.Ratio = stats.Summarise(ratios, o.Confidence)
	low, high := 1/(1+o.Margin), 1+o.Margin
	e.Matters = e.Ratio.N > 0 && e.Ratio.Confidence >= o.Confidence-1e-9 && (e.Ratio.Lo > high || e.Ratio.Hi < low)
	return e
}

func (d *design) name(combination []int) string {
	var values []string
	for i, level := range combination {
		values = append(values, d.levels[i][level])
	}
	return name(values)
}
