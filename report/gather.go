package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
)

// cell is every trial of one setting at one load point of one workload.
type cell struct {
	// counted are the valid trials, last the attempt that stands for each place
	// in the plan, whatever became of it.
	counted, last []*results.Trial
	// known keeps what was read off the last trials.
	known map[results.MetricName][]results.Reading
}

// place is one workload of one run with its cells.
type place struct {
	run      *results.RunData
	workload results.Workload
	settings []Setting
	key      string
	loads    []results.Load
	cells    map[cellKey]*cell
	// repeated holds the trials that a later attempt stands for.
	repeated map[cellKey]*cell
	// decided says that a verdict on the workload is.
	decided bool
}

type cellKey struct {
	setting string
	// load is the load point in words: of a percentage, the rate it came to
	// differs from block to block.
	load string
}

// gather sorts the selected trials of every run into places, in the order of
// the runs and of their workloads.
func gather(set *results.Set, q query.Query) ([]*place, error) {
	selected, err := query.Select(set, q)
	if err != nil {
		return nil, err
	}
	type key struct {
		run      *results.RunData
		workload string
	}
	trials := map[key][]*results.Trial{}
	for _, r := range selected {
		k := key{r.Data, r.Trial.Workload}
		trials[k] = append(trials[k], r.Trial)
	}
	var places []*place
	for _, run := range set.Runs {
		for _, w := range run.Run.Workloads {
			if t := trials[key{run, w.Name}]; len(t) > 0 || len(run.Trials) == 0 {
				places = append(places, newPlace(run, w, t))
			}
		}
	}
	return places, nil
}

func newPlace(run *results.RunData, w results.Workload, trials []*results.Trial) *place {
	p := &place{run: run, workload: w, cells: map[cellKey]*cell{}, repeated: map[cellKey]*cell{}}
	p.settings = settingsOf(run.Run, w, trials)
	if p.key = shorten(p.settings); p.key == "" {
		p.key = strings.Join(w.Varies, ", ")
	}
	byVariant := map[string]string{}
	for _, s := range p.settings {
		for _, id := range s.variants {
			byVariant[id] = s.key
		}
	}
	stands := standing(trials)
	for _, t := range trials {
		cells := p.cells
		if stands[t.Index] != t {
			cells = p.repeated
		}
		p.add(cells, byVariant[t.Variant], t)
	}
	slices.SortStableFunc(p.loads, results.Load.Compare)
	return p
}

// add puts a trial into its cell.
func (p *place) add(cells map[cellKey]*cell, setting string, t *results.Trial) {
	same := func(l results.Load) bool { return l.String() == t.Load.String() }
	if !slices.ContainsFunc(p.loads, same) {
		p.loads = append(p.loads, t.Load)
	}
	k := cellKey{setting, t.Load.String()}
	c := cells[k]
	if c == nil {
		c = &cell{known: map[results.MetricName][]results.Reading{}}
		cells[k] = c
	}
	c.last = append(c.last, t)
	if t.Status == results.Valid {
		c.counted = append(c.counted, t)
	}
}

// standing picks the attempt that stands for each place in the plan: the last
// valid one, as RunData.Counted does, or without any the last.
func standing(trials []*results.Trial) map[int]*results.Trial {
	out := map[int]*results.Trial{}
	for _, t := range trials {
		have := out[t.Index]
		if have == nil || valid(t) && !valid(have) || valid(t) == valid(have) && t.Attempt > have.Attempt {
			out[t.Index] = t
		}
	}
	return out
}

func valid(t *results.Trial) bool { return t.Status == results.Valid }

// each calls f for every cell of the place that has trials, settings first, and
// after each for the cell of the attempts that were repeated.
func (p *place) each(f func(Setting, results.Load, *cell)) {
	for _, s := range p.settings {
		for _, load := range p.loads {
			for _, cells := range []map[cellKey]*cell{p.cells, p.repeated} {
				if c := cells[cellKey{s.key, load.String()}]; c != nil {
					f(s, load, c)
				}
			}
		}
	}
}

// loadText names a load point: "depth 32", "1000 op/s", "50 % of the maximum".
// It is empty where the jobs set their own.
func loadText(l results.Load) string {
	switch {
	case l.Max:
		return "as fast as possible"
	case l.Percent > 0:
		return plain(l.Percent) + " % of the maximum"
	case l.Rate > 0:
		return show("ops", l.Rate)
	case l.Depth > 0:
		return "depth " + strconv.Itoa(l.Depth)
	}
	return ""
}

// status tells how many trials a row stands on: "3", "2 of 3 (1 failed)".
func (c *cell) status(run *results.RunData) string {
	if c == nil || len(c.last) == 0 {
		return "0"
	}
	n := len(c.counted)
	if n == len(c.last) {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d of %d (%s)", n, len(c.last), c.others())
}

// others counts the trials that do not count: "1 failed, 1 invalid".
func (c *cell) others() string {
	var parts []string
	for _, s := range []results.Status{results.Failed, results.Invalid, results.Unsupported, results.Interrupted} {
		n := 0
		for _, t := range c.last {
			if t.Status == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

// why explains a row without figures.
func (c *cell) why() string {
	if c == nil || len(c.last) == 0 {
		return "not measured"
	}
	for _, t := range c.last {
		for _, f := range t.Findings {
			if f.Fatal || t.Status != results.Valid {
				return fmt.Sprintf("no valid trial: %s: %s", c.others(), f.Text)
			}
		}
	}
	return "no valid trial: " + c.others()
}
