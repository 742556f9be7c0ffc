package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// reading is a metric over a cell's valid trials.
type reading struct {
	// values are of the trials that have the metric, bounds those of the ones in
	// which too little completed: lower ones of latencies, upper ones of rates.
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
			if got.Bound.Valid {
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
	return c.told(metric, r, summarise(quantityOf(metric), r.values))
}

// told says of how many trials a figure is where that is not all. Percentiles
// stand beside each other in a row and are of the same trials or not there:
// else p99.9, of the fastest alone, may come out below p99.
func (c *cell) told(metric string, r reading, f Figure) Figure {
	switch {
	case f.N == len(c.counted):
		return f
	case strings.HasPrefix(quantityOf(metric), "p"):
		return Figure{Text: "-", Missing: fmt.Sprintf("%d of %d trials have it: %s", f.N, len(c.counted), r.missing)}
	}
	return f.ofFewer(len(c.counted))
}

// bounded is figure, with the trials in which too little completed counted at
// their bound: leaving them out would flatter a setting that starves.
func (c *cell) bounded(metric string) Figure {
	r := c.read(metric)
	if len(r.bounds) == 0 || len(r.values) == 0 && slices.Max(r.bounds) == 0 {
		return c.figure(metric)
	}
	f := summarise(quantityOf(metric), append(r.values, r.bounds...)).bound(quantityOf(metric))
	return c.told(metric, r, f)
}

// ofFewer tells that a figure is of fewer than all of n trials, and where those
// are too few for the interval of all that its own is the range.
func (f Figure) ofFewer(n int) Figure {
	text := fmt.Sprintf("n=%d", f.N)
	if f.Spread != "" && f.N < minForInterval && n >= minForInterval {
		text = "range " + text
	}
	f.Spread = strings.TrimSpace(f.Spread + " " + text)
	return f
}

// bound turns a figure into the bound that it is when some trials count with
// theirs.
func (f Figure) bound(quantity string) Figure {
	if !isRate(quantity) {
		return f.atLeast(quantity)
	}
	f.AtMost, f.Spread, f.Low, f.High = true, "", f.Median, f.Median
	f.Text = "\u2264 " + unitFor(quantity, f.Median).print(f.Median)
	return f
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

// intervalOver is intervalText of rows of which the least has fewer trials than
// the most.
func intervalOver(least, most int) string {
	if least < minForInterval && most >= minForInterval {
		return intervalText(most) + fmt.Sprintf("; the range where there are fewer than %d", minForInterval)
	}
	return intervalText(most)
}
