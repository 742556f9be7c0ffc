package stats

import (
	"cmp"
	"slices"

	"github.com/iosweep/iosweep/results"
)

// Holm corrects p-values for being many, so that the chance of any false
// rejection stays what each alone would have. The order is kept.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}

// Decide corrects the p of all comparisons by Holm and gives each its outcome.
// Those without a p count for nothing in the correction.
func Decide(all []Comparison) { decideAmong(all, len(all)) }

// decideAmong corrects as for a family of comparisons that all belong to. The
// others count as if they proved nothing.
func decideAmong(all []Comparison, family int) {
	var p []float64
	for i := range all {
		if all[i].P.Valid {
			p = append(p, all[i].P.V)
		}
	}
	for range family - len(all) {
		p = append(p, 1)
	}
	adjusted := Holm(p)
	for i := range all {
		if all[i].P.Valid {
			all[i].PAdjusted, adjusted = results.Some(adjusted[0]), adjusted[1:]
		}
		all[i].decide()
	}
}
