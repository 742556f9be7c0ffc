package report

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// reading is a metric over a cell's valid trials.
type reading struct {
	// values are of the trials that have the metric, bounds the lower bounds of
	// those in which nothing completed.
	values, bounds []float64
	missing        string
}

func (c *cell) read(metric string) reading {
	if c == nil || len(c.last) == 0 {
		return reading{missing: "not measured"}
	}
	m, err := results.ParseMetric(metric)
	if err != nil {
		return reading{missing: err.Error()}
	}
	r := reading{missing: "no valid trial"}
	for i, got := range c.readings(m) {
		switch {
		case c.last[i].Status != results.Valid:
		case got.Value.Valid:
			r.values = append(r.values, got.Value.V)
		default:
			r.missing = got.Note
			if got.Bound.Valid && m.Unit() == results.Seconds {
				r.bounds = append(r.bounds, got.Bound.V)
			}
		}
	}
	return r
}

// readings reads a metric off each of the cell's last trials, once: tables,
// pictures and the list of trials all ask for the same ones. Of a trial that
// has no such job the note says so.
func (c *cell) readings(m results.MetricName) []results.Reading {
	if have, ok := c.known[m]; ok {
		return have
	}
	out := make([]results.Reading, len(c.last))
	for i, t := range c.last {
		got, err := m.Read(t)
		if err != nil {
			got.Note = err.Error()
		}
		out[i] = got
	}
	c.known[m] = out
	return out
}

// figure is the median of a metric over the trials that have it. Where others
// do not, it says of how many it is: those others may have been the slow ones.
func (c *cell) figure(metric string) Figure {
	r := c.read(metric)
	if len(r.values) == 0 {
		return Figure{Text: "-", Missing: r.missing}
	}
	f := summarise(quantityOf(metric), r.values)
	if f.N < len(c.counted) {
		f.Spread = strings.TrimSpace(fmt.Sprintf("%s n=%d", f.Spread, f.N))
	}
	return f
}

// bounded is figure, with the trials in which nothing completed counted at
// their lower bound: leaving them out would flatter a setting that starves.
func (c *cell) bounded(metric string) Figure {
	r := c.read(metric)
	if len(r.bounds) == 0 {
		return c.figure(metric)
	}
	q := quantityOf(metric)
	return summarise(q, append(r.values, r.bounds...)).atLeast(q)
}

// summarise makes a figure of at least one value.
func summarise(quantity string, values []float64) Figure {
	return figureOf(quantity, stats.Summarise(values, stats.DefaultConfidence))
}

// figureOf prints a summary of at least one value.
func figureOf(quantity string, s stats.Summary) Figure {
	u := unitFor(quantity, s.Center)
	f := Figure{N: s.N, Median: s.Center, Low: s.Lo, High: s.Hi, Text: u.print(s.Center)}
	if s.N > 1 {
		f.Spread = u.spread(s.Lo, s.Hi)
	}
	return f
}

// atLeast turns a figure into a lower bound.
func (f Figure) atLeast(quantity string) Figure {
	f.AtLeast, f.Spread = true, ""
	f.Text = "\u2265 " + unitFor(quantity, f.Median).print(f.Median)
	return f
}

// minForInterval is how many trials an interval of 95 % takes: the range of
// fewer misses the median more often than once in twenty.
const minForInterval = 6

// intervalText says what the intervals over n trials are. An interval is called
// by its confidence only where there are enough trials for it.
func intervalText(n int) string {
	switch {
	case n < 2:
		return "one trial: no interval"
	case n < minForInterval:
		return fmt.Sprintf("range over %d trials (a 95 %% interval takes %d)", n, minForInterval)
	}
	return fmt.Sprintf("95 %% interval of the median over %d trials", n)
}
