package comparison

import (
	"cmp"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// key is what cells of two sides match by.
type key struct{ workload, load, settings string }

// cell is the trials of one variant, workload and load point.
type cell struct {
	data     *results.RunData
	workload string
	load     results.Load
	variant  *results.Variant
	// label names the settings that the other side shares.
	label string
	// stored counts the places of the plan, counted are the trials that count.
	stored  int
	counted []*results.Trial
	// reasons says why trials do not count.
	reasons []string
}

// cells are those of one run, in the order of its plan.
type cells struct {
	cells map[key]*cell
	order []key
}

func gather(data *results.RunData) *cells {
	variants := map[string]*results.Variant{}
	for i := range data.Run.Variants {
		variants[data.Run.Variants[i].ID] = &data.Run.Variants[i]
	}
	found := &cells{cells: map[key]*cell{}}
	counted := map[*results.Trial]bool{}
	for _, t := range data.Counted() {
		counted[t] = true
	}
	places := map[int]bool{}
	for i := range data.Trials {
		t := &data.Trials[i]
		at := key{t.Workload, t.Load.String(), t.Variant}
		c := found.cells[at]
		if c == nil {
			v := variants[t.Variant]
			c = &cell{data: data, workload: t.Workload, load: t.Load, variant: v, label: v.Label}
			found.cells[at] = c
		}
		c.take(t, counted[t], places)
	}
	found.sort()
	return found
}

func (c *cell) take(t *results.Trial, counts bool, places map[int]bool) {
	if !places[t.Index] {
		places[t.Index] = true
		c.stored++
	}
	if counts {
		c.counted = append(c.counted, t)
		return
	}
	for _, f := range t.Findings {
		if f.Fatal && !slices.Contains(c.reasons, f.Code) {
			c.reasons = append(c.reasons, f.Code)
		}
	}
}

// sort puts the cells in the order of the run's workloads, loads and variants.
func (f *cells) sort() {
	f.order = f.order[:0]
	for at := range f.cells {
		f.order = append(f.order, at)
	}
	slices.SortFunc(f.order, func(a, b key) int {
		x, y := f.cells[a], f.cells[b]
		return cmp.Or(cmp.Compare(x.place(), y.place()), x.load.Compare(y.load), cmp.Compare(x.rank(), y.rank()), strings.Compare(a.settings, b.settings))
	})
}

func (c *cell) place() int {
	return slices.IndexFunc(c.data.Run.Workloads, func(w results.Workload) bool { return w.Name == c.workload })
}

func (c *cell) rank() int {
	return slices.IndexFunc(c.data.Run.Variants, func(v results.Variant) bool { return v.ID == c.variant.ID })
}

// anySetting lets cells match whatever their settings are.
func (f *cells) anySetting() {
	whatever := map[key]*cell{}
	for at, c := range f.cells {
		at.settings, c.label = "", ""
		whatever[at] = c
	}
	f.cells = whatever
	f.sort()
}

// value is the variant's value of a tunable.
func (c *cell) value(tunable string) (string, bool) {
	for _, s := range c.variant.Settings {
		if s.Tunable == tunable {
			return s.Value, true
		}
	}
	return "", false
}

// others names the variant's settings but that of a tunable.
func (c *cell) others(tunable string) string {
	var rest []string
	for _, s := range c.variant.Settings {
		if s.Tunable != tunable {
			rest = append(rest, s.Tunable+"="+s.Value)
		}
	}
	return strings.Join(rest, " ")
}
