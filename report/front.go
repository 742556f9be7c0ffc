package report

import (
	"cmp"
	"slices"
)

// front lists the points that no other beats in both throughput and latency, by
// rising throughput. A lower bound of a latency proves nothing and is left out.
func front(lines []Line) []Point {
	var all []Point
	for _, l := range lines {
		for _, p := range l.Points {
			if !p.AtLeast && !p.AtMost && !p.AtMostX && !p.Hollow {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Point) int {
		return cmp.Or(cmp.Compare(b.X.Mid, a.X.Mid), cmp.Compare(a.Y.Mid, b.Y.Mid))
	})
	var best []Point
	for _, p := range all {
		if len(best) == 0 || p.Y.Mid < best[len(best)-1].Y.Mid {
			best = append(best, p)
		}
	}
	slices.Reverse(best)
	if len(best) == len(all) && len(best) < 3 {
		return nil // two points that trade one for the other: the front says nothing more
	}
	return best
}

// addFront draws the front into a picture of throughput against latency.
func (pic *Picture) addFront(a axes) {
	panel := &pic.Panels[0]
	if !isRate(a.xq) || isRate(a.yq) || panel.Empty != "" {
		return
	}
	panel.Front = front(panel.Lines)
	if len(panel.Front) < 2 {
		panel.Front = nil
		return
	}
	pic.Legend = append(pic.Legend, Entry{Label: "Pareto front", Style: Frontier, Joined: true})
	pic.Notes = append(pic.Notes, "Pareto front: by their medians, no mark has both more throughput and less latency than those on it; whether that is proven, the verdicts say.")
}
