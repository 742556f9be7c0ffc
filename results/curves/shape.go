package curves

import "math"

// knee is the sample that lies farthest below the straight line from no load to
// the most: up to there throughput grows faster than latency, each as a share of
// its range (Satopää and others, "Finding a Kneedle in a Haystack", 2011).
func knee(curve []sample) sample {
	lowX, highX := math.Inf(1), math.Inf(-1)
	lowY, highY := math.Inf(1), math.Inf(-1)
	for _, s := range curve {
		lowX, highX = min(lowX, s.throughput), max(highX, s.throughput)
		lowY, highY = min(lowY, s.latency), max(highY, s.latency)
	}
	best, most := curve[0], math.Inf(-1)
	for _, s := range curve {
		if d := share(s.throughput, lowX, highX) - share(s.latency, lowY, highY); d > most {
			best, most = s, d
		}
	}
	return best
}

func share(v, low, high float64) float64 {
	if high <= low {
		return 0
	}
	return (v - low) / (high - low)
}

// mostUnder is the most throughput at which latency keeps to the limit: of a
// load point, or between two neighbours of which one does not, on the straight
// line. It is 0 where no point keeps to it.
func mostUnder(curve []sample, limit float64) float64 {
	most := 0.0
	for i, s := range curve {
		if s.latency > limit {
			continue
		}
		most = max(most, s.throughput)
		for _, k := range []int{i - 1, i + 1} {
			if k < 0 || k >= len(curve) || curve[k].latency <= limit {
				continue
			}
			cut := share(limit, s.latency, curve[k].latency)
			most = max(most, s.throughput+cut*(curve[k].throughput-s.throughput))
		}
	}
	return most
}

// latencyAt is the least latency at which the throughput is reached, likewise
// between points. It is false when the curve does not get there.
func latencyAt(curve []sample, throughput float64) (latency float64, ok bool) {
	least := math.Inf(1)
	for i, s := range curve {
		if s.throughput < throughput {
			continue
		}
		least = min(least, s.latency)
		for _, k := range []int{i - 1, i + 1} {
			if k < 0 || k >= len(curve) || curve[k].throughput >= throughput {
				continue
			}
			cut := share(throughput, curve[k].throughput, s.throughput)
			least = min(least, curve[k].latency+cut*(s.latency-curve[k].latency))
		}
	}
	return least, !math.IsInf(least, 1)
}

// pareto marks the points that no other point of the curves beats in both
// throughput and latency.
func pareto(curves []Curve) {
	var all []*Point
	for i := range curves {
		for k := range curves[i].Points {
			all = append(all, &curves[i].Points[k])
		}
	}
	for _, p := range all {
		p.Pareto = true
		for _, other := range all {
			p.Pareto = p.Pareto && !other.beats(p)
		}
	}
}

// beats says that a point is no worse than another in both and better in one.
func (p *Point) beats(o *Point) bool {
	more, less := p.Throughput.Center-o.Throughput.Center, o.Latency.Center-p.Latency.Center
	return more >= 0 && less >= 0 && more+less > 0
}
