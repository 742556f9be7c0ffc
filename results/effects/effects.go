// Package effects says which of several tunables that were varied together
// mattered, and whether they matter by themselves or only with one another.
//
// Each block measured every combination once, so each block gives its own value
// of every effect, as a ratio:
//
//   - the main effect of a level is the geometric mean of the figures with it by
//     that with the tunable's first level, over all combinations of the others;
//   - the interaction of two levels is how much the effect of the one changes
//     when the other tunable goes from its first level to its own.
//
// The figure of an effect is the median over blocks, its interval that of the
// median. A block that lacks a combination gives nothing.
package effects

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// Level is a value of a tunable, against the tunable's first.
type Level struct {
	Tunable string `json:"tunable"`
	Base    string `json:"base"`
	Value   string `json:"value"`
}

// String is TUNABLE BASE -> VALUE.
func (l Level) String() string { return fmt.Sprintf("%s %s -> %s", l.Tunable, l.Base, l.Value) }

// Effect is a main effect, of one level, or an interaction of two.
type Effect struct {
	Levels []Level `json:"levels"`
	// Ratio is 1 where there is no effect.
	Ratio stats.Summary `json:"ratio"`
	// Matters says that the interval has the confidence asked, corrected for the
	// number of effects, and excludes every ratio within the margin.
	Matters bool `json:"matters"`
}

// String names the effect.
func (e Effect) String() string {
	var parts []string
	for _, l := range e.Levels {
		parts = append(parts, l.String())
	}
	return strings.Join(parts, " x ")
}

// Table is the effects on one metric of one workload at one load point: mains
// first, the largest first.
type Table struct {
	Workload string   `json:"workload"`
	Load     string   `json:"load"`
	Metric   string   `json:"metric"`
	Tunables []string `json:"tunables"`
	Effects  []Effect `json:"effects"`
	// Blocks are those that have every combination, Incomplete the others.
	Blocks     int `json:"blocks"`
	Incomplete int `json:"incomplete_blocks"`
}

// Options say how sure to be. The zero value asks for 95 % and no margin.
type Options struct{ Confidence, Margin float64 }

// Of works out the effects on a metric in each workload that varies two
// tunables or more. The error says that there is none, or that the metric is
// not known.
func Of(data *results.RunData, metric string, o Options) ([]Table, error) {
	m, err := results.ParseMetric(metric)
	if err != nil {
		return nil, err
	}
	if o.Confidence == 0 {
		o.Confidence = stats.DefaultConfidence
	}
	var tables []Table
	for _, w := range data.Run.Workloads {
		if len(w.Varies) < 2 {
			continue
		}
		for _, d := range designs(data, w, m) {
			tables = append(tables, d.table(metric, o))
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("effects in run %s: no workload varies two tunables together and has %s: list both in its vary", data.Dir, metric)
	}
	return tables, nil
}

// design is the figures of one workload and load point, as logarithms by block
// and combination.
type design struct {
	run      *results.Run
	workload results.Workload
	load     string
	levels   [][]string // by tunable, in its order
	blocks   map[int]map[string]float64
}

// designs sorts the counted trials into one design a load point.
func designs(data *results.RunData, w results.Workload, m results.MetricName) []*design {
	values := map[string]map[string]string{}
	for _, v := range data.Run.Variants {
		values[v.ID] = map[string]string{}
		for _, s := range v.Settings {
			values[v.ID][s.Tunable] = s.Value
		}
	}
	var all []*design
	for _, t := range data.Counted() {
		if t.Workload != w.Name {
			continue
		}
		r, err := m.Read(t)
		if err != nil || !r.Value.Valid || r.Value.V <= 0 {
			continue
		}
		d := designAt(&all, data.Run, w, t.Load.String())
		d.add(t.Block, values[t.Variant], math.Log(r.Value.V))
	}
	return all
}

func designAt(all *[]*design, run *results.Run, w results.Workload, load string) *design {
	for _, d := range *all {
		if d.load == load {
			return d
		}
	}
	d := &design{run: run, workload: w, load: load, levels: make([][]string, len(w.Varies)), blocks: map[int]map[string]float64{}}
	*all = append(*all, d)
	return d
}

func (d *design) add(block int, values map[string]string, figure float64) {
	var combination []string
	for i, tunable := range d.workload.Varies {
		v := values[tunable]
		if !slices.Contains(d.levels[i], v) {
			d.levels[i] = append(d.levels[i], v)
			slices.SortFunc(d.levels[i], func(a, b string) int { return d.place(tunable, a) - d.place(tunable, b) })
		}
		combination = append(combination, v)
	}
	if d.blocks[block] == nil {
		d.blocks[block] = map[string]float64{}
	}
	d.blocks[block][name(combination)] = figure
}

func name(combination []string) string { return fmt.Sprintf("%q", combination) }

// place is where the run lists a value of a tunable.
func (d *design) place(tunable, value string) int {
	for _, t := range d.run.Tunables {
		if t.Name == tunable {
			return slices.Index(t.Values, value)
		}
	}
	return -1
}
