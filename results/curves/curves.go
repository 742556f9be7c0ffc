// Package curves reads throughput against latency: the knee of each variant's
// curve, what it does under a latency limit, how long it takes at a throughput,
// and which settings and load points no other beats in both.
//
// Each block measured every load point once and so has a whole curve of its own.
// What is read off a curve is read off each block's; the figure is the median
// over blocks with its interval.
package curves

import (
	"fmt"
	"slices"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// Options say what to read. Throughput and Latency are metrics; empty means
// throughput and p99.
type Options struct {
	Confidence          float64
	Throughput, Latency string
	// Under is a latency limit in seconds, At a throughput in the metric's base
	// unit; 0 asks for none.
	Under, At float64
}

// Point is a load point of a curve.
type Point struct {
	Load       string        `json:"load"`
	Throughput stats.Summary `json:"throughput"`
	Latency    stats.Summary `json:"latency"`
	// Pareto says that no point of any curve of the workload has both more
	// throughput and less latency, by the medians.
	Pareto bool `json:"pareto"`
}

// Curve is one variant of one workload.
type Curve struct {
	Workload string  `json:"workload"`
	Variant  string  `json:"variant"`
	Points   []Point `json:"points"`
	// KneeThroughput and KneeLatency are where latency begins to grow faster than
	// throughput.
	KneeThroughput stats.Summary `json:"knee_throughput"`
	KneeLatency    stats.Summary `json:"knee_latency"`
	// MostUnder is the most throughput with a latency of at most Options.Under.
	// Blocks none of whose points keep to it count as 0.
	MostUnder stats.Summary `json:"most_under"`
	// LatencyAt is the least latency with a throughput of at least Options.At.
	// NotReached counts blocks whose curve does not get there, which LatencyAt
	// leaves out.
	LatencyAt  stats.Summary `json:"latency_at"`
	NotReached int           `json:"not_reached"`
	// Blocks are those with at least two load points.
	Blocks int `json:"blocks"`
}

// sample is one trial on a block's curve.
type sample struct {
	load                results.Load
	throughput, latency float64
}

// Of reads the curves of each workload with two load points or more. The error
// says that there is none, or that a metric is not known.
func Of(data *results.RunData, o Options) ([]Curve, error) {
	x, y, err := o.metrics()
	if err != nil {
		return nil, err
	}
	var all []Curve
	for _, w := range data.Run.Workloads {
		var here []Curve
		for _, v := range data.Run.Variants {
			blocks := gather(data, w.Name, v.ID, x, y)
			if c := newCurve(blocks, o); len(c.Points) > 1 {
				c.Workload, c.Variant = w.Name, v.Label
				here = append(here, c)
			}
		}
		pareto(here)
		all = append(all, here...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("curves of run %s: no workload has two load points with %s and %s: give its load several", data.Dir, x, y)
	}
	return all, nil
}

func (o Options) metrics() (x, y results.MetricName, err error) {
	if o.Throughput == "" {
		o.Throughput = "throughput"
	}
	if o.Latency == "" {
		o.Latency = "p99"
	}
	if x, err = results.ParseMetric(o.Throughput); err != nil {
		return x, y, err
	}
	if y, err = results.ParseMetric(o.Latency); err != nil {
		return x, y, err
	}
	if x.Unit() == results.Seconds || y.Unit() != results.Seconds {
		return x, y, fmt.Errorf("curve of %s against %s: name a rate and a latency", x, y)
	}
	return x, y, nil
}

// gather sorts the counted trials of a variant into blocks.
func gather(data *results.RunData, workload, variant string, x, y results.MetricName) map[int][]sample {
	blocks := map[int][]sample{}
	for _, t := range data.Counted() {
		if t.Workload != workload || t.Variant != variant {
			continue
		}
		throughput, errX := x.Read(t)
		latency, errY := y.Read(t)
		if errX == nil && errY == nil && throughput.Value.Valid && latency.Value.Valid {
			blocks[t.Block] = append(blocks[t.Block], sample{t.Load, throughput.Value.V, latency.Value.V})
		}
	}
	return blocks
}

func newCurve(blocks map[int][]sample, o Options) Curve {
	c := Curve{Points: points(blocks, o.Confidence)}
	var kneeX, kneeY, most, at []float64
	for _, curve := range blocks {
		if len(curve) < 2 {
			continue
		}
		c.Blocks++
		slices.SortFunc(curve, func(a, b sample) int { return a.load.Compare(b.load) })
		k := knee(curve)
		kneeX, kneeY = append(kneeX, k.throughput), append(kneeY, k.latency)
		most = append(most, mostUnder(curve, o.Under))
		if latency, ok := latencyAt(curve, o.At); ok {
			at = append(at, latency)
		} else {
			c.NotReached++
		}
	}
	c.KneeThroughput, c.KneeLatency = stats.Summarise(kneeX, o.Confidence), stats.Summarise(kneeY, o.Confidence)
	if o.Under > 0 {
		c.MostUnder = stats.Summarise(most, o.Confidence)
	}
	if o.At > 0 {
		c.LatencyAt = stats.Summarise(at, o.Confidence)
	}
	return c
}

// points sums the load points up over blocks.
func points(blocks map[int][]sample, confidence float64) []Point {
	byLoad := map[string][]sample{}
	var loads []results.Load
	for _, curve := range blocks {
		for _, s := range curve {
			at := s.load.String()
			if byLoad[at] == nil {
				loads = append(loads, s.load)
			}
			byLoad[at] = append(byLoad[at], s)
		}
	}
	slices.SortFunc(loads, results.Load.Compare)
	var all []Point
	for _, l := range loads {
		var x, y []float64
		for _, s := range byLoad[l.String()] {
			x, y = append(x, s.throughput), append(y, s.latency)
		}
		all = append(all, Point{Load: l.String(), Throughput: stats.Summarise(x, confidence), Latency: stats.Summarise(y, confidence)})
	}
	return all
}
