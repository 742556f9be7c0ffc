package comparison

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Variants compares, within one run, each value of the tunable vary with the
// value base, at equal other settings. An empty base means the tunable's default
// where it was measured, else the first value of the profile. The error says
// what could be varied instead.
func Variants(data *results.RunData, vary, base string, o Options) (*Table, error) {
	tunable, err := find(data.Run, vary)
	if err != nil {
		return nil, err
	}
	base, why, err := baseValue(tunable, base)
	if err != nil {
		return nil, err
	}
	t := newTable(vary+"="+base, "each other "+vary, o)
	if why != "" {
		t.note("the base is %s, %s", base, why)
	}
	t.Sequential = data.Run.Repeat != nil && !o.Unpaired
	if err := t.vary(gather(data), tunable, base, o); err != nil {
		return nil, err
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("compare %s of run %s: no two of its values were measured at equal workload, load point and other settings", vary, data.Dir)
	}
	return t.decide(), nil
}

// vary adds a row for each cell that has a partner with the base value.
func (t *Table) vary(all *cells, tunable *results.Tunable, base string, o Options) error {
	partner := map[key]*cell{}
	for _, at := range all.order {
		c := all.cells[at]
		if value, ok := c.value(tunable.Name); ok && value == base {
			partner[context(c, tunable.Name)] = c
		}
	}
	for _, at := range all.order {
		c := all.cells[at]
		value, ok := c.value(tunable.Name)
		if !ok || value == base {
			continue
		}
		c.label = c.others(tunable.Name)
		other := partner[context(c, tunable.Name)]
		if other == nil {
			t.unmatched(c, "new")
			continue
		}
		first := len(t.Rows)
		if err := t.add(other, c, o); err != nil {
			return err
		}
		for i := first; i < len(t.Rows); i++ {
			t.Rows[i].BaseValue, t.Rows[i].NewValue, t.Rows[i].Setting = base, value, c.label
		}
	}
	return nil
}

// context is what two cells share that differ in one tunable only.
func context(c *cell, tunable string) key {
	return key{c.workload, c.load.String(), c.others(tunable)}
}

func find(run *results.Run, name string) (*results.Tunable, error) {
	var names []string
	for i := range run.Tunables {
		if run.Tunables[i].Name == name {
			return &run.Tunables[i], nil
		}
		names = append(names, run.Tunables[i].Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("compare values of %q: run %s varies no tunable", name, run.ID)
	}
	return nil, fmt.Errorf("compare values of %q: run %s does not vary it: it varies %s", name, run.ID, strings.Join(names, ", "))
}

// baseValue is the value to compare with and, unless it was asked for, why it is.
func baseValue(t *results.Tunable, asked string) (base, why string, err error) {
	switch {
	case len(t.Values) < 2:
		return "", "", fmt.Errorf("compare values of %s: the run has %d of them, and it takes two", t.Name, len(t.Values))
	case asked == "" && slices.Contains(t.Values, t.Default):
		return t.Default, "the default", nil
	case asked == "" && t.Default == "":
		return t.Values[0], "the first of the profile: the run knows no default", nil
	case asked == "":
		return t.Values[0], "the first of the profile: the default, " + t.Default + ", was not measured", nil
	case !slices.Contains(t.Values, asked):
		return "", "", fmt.Errorf("compare values of %s with %q: the run has %s", t.Name, asked, strings.Join(t.Values, ", "))
	}
	return asked, "", nil
}
