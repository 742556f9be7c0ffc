package main

import (
	"fmt"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// soFar is what was measured of a workload by now: the live page's table, and its
// curve where every cell has a rate and a latency.
type soFar struct {
	Workload string     `json:"workload"`
	Head     []string   `json:"head"`
	Rows     [][]string `json:"rows"`
	// X and Y name the metrics of Points.
	X      string       `json:"x"`
	Y      string       `json:"y"`
	Points []soFarPoint `json:"points"`
}

// soFarPoint is a cell's medians in base units, and what they are in words.
type soFarPoint struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Name string  `json:"name"`
	Text string  `json:"text"`
}

// soFar is of the running workload.
func (b *board) soFar() soFar {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := soFar{Workload: b.now.Workload, Head: []string{}, Rows: [][]string{}, Points: []soFarPoint{}}
	if b.run == nil {
		return out
	}
	metrics := columnsOf(b.run, b.now.Workload)
	out.Head = append([]string{"setting", "trials"}, metrics...)
	rate, wait := axesOf(metrics)
	if rate >= 0 && wait >= 0 {
		out.X, out.Y = metrics[rate], metrics[wait]
	}
	for i := range b.cells {
		c := &b.cells[i]
		if c.workload != b.now.Workload {
			continue
		}
		out.Rows = append(out.Rows, c.row)
		if out.X != "" && len(c.values[rate]) > 0 && len(c.values[wait]) > 0 {
			out.Points = append(out.Points, soFarPoint{
				X: stats.Summarise(c.values[rate], stats.DefaultConfidence).Center, Y: stats.Summarise(c.values[wait], stats.DefaultConfidence).Center,
				Name: c.row[0], Text: fmt.Sprintf("%s: %s, %s", c.row[0], c.row[rate+2], c.row[wait+2]),
			})
		}
	}
	return out
}

// axesOf are the first rate and the first latency of some metrics, or -1.
func axesOf(metrics []string) (rate, wait int) {
	rate, wait = -1, -1
	for i, name := range metrics {
		m, err := results.ParseMetric(name)
		switch {
		case err != nil:
		case m.HigherIsBetter() && rate < 0:
			rate = i
		case !m.HigherIsBetter() && wait < 0:
			wait = i
		}
	}
	return rate, wait
}
