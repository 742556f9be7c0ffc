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
	// counted are the valid trials, last the last attempt of every place in the
	// plan, whatever became of it.
	counted, last []*results.Trial
	// known keeps what was read off the last trials.
	known map[results.MetricName][]results.Reading
}

// place is one workload of one run with its cells.
type place struct {
	run      *results.RunData
	workload results.Workload
	settings []Setting
	loads    []results.Load
	cells    map[cellKey]*cell
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
	p := &place{run: run, workload: w, cells: map[cellKey]*cell{}}
	p.settings = settingsOf(run.Run, w, trials)
	byVariant := map[string]string{}
	for _, s := range p.settings {
		for _, id := range s.variants {
			byVariant[id] = s.key
		}
	}
	for _, t := range lastAttempts(trials) {
		p.add(byVariant[t.Variant], t)
	}
	slices.SortStableFunc(p.loads, compareLoads)
	return p
}

// add puts a trial into its cell.
func (p *place) add(setting string, t *results.Trial) {
	same := func(l results.Load) bool { return l.String() == t.Load.String() }
	if !slices.ContainsFunc(p.loads, same) {
		p.loads = append(p.loads, t.Load)
	}
	k := cellKey{setting, t.Load.String()}
	c := p.cells[k]
	if c == nil {
		c = &cell{known: map[results.MetricName][]results.Reading{}}
		p.cells[k] = c
	}
	c.last = append(c.last, t)
	if t.Status == results.Valid {
		c.counted = append(c.counted, t)
	}
}

// lastAttempts keeps the last attempt of each place in the plan: a trial that
// was repeated because it came out invalid counts once.
func lastAttempts(trials []*results.Trial) []*results.Trial {
	last := map[int]*results.Trial{}
	for _, t := range trials {
		if have := last[t.Index]; have == nil || t.Attempt >= have.Attempt {
			last[t.Index] = t
		}
	}
	kept := make([]*results.Trial, 0, len(last))
	for _, t := range trials {
		if last[t.Index] == t {
			kept = append(kept, t)
		}
	}
	return kept
}

func compareLoads(a, b results.Load) int {
	switch {
	case a.Max != b.Max:
		if b.Max {
			return -1
		}
		return 1
	case a.Depth != b.Depth:
		return a.Depth - b.Depth
	case a.Rate < b.Rate || a.Percent < b.Percent:
		return -1
	case a.Rate > b.Rate || a.Percent > b.Percent:
		return 1
	}
	return 0
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
