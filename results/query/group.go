package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Cell is the records that agree in the axes they were grouped by.
type Cell struct {
	// Key has a field for each axis, in the order of the axes.
	Key     []Field
	Records []Record
	// Mixed tells in what the records' runs are unlike although no axis parts
	// them, so that the cell's figures may not be comparable.
	Mixed []Mixed
}

// Mixed is a key in which the records of a cell differ.
type Mixed struct {
	Key    string
	Values []string
}

// String says it in words.
func (m Mixed) String() string {
	return fmt.Sprintf("mixes runs of different %s: %s", m.Key, strings.Join(m.Values, ", "))
}

// alike are the keys that runs must share for their figures to be comparable.
func alike() []string {
	return []string{"engine", "simulated", "device.id", "device.kind", "device.model", "device.firmware", "device.size",
		"device.logical_block", "os", "arch", "kernel", "cpu", "governor", "virtualisation", "tool"}
}

// Group puts records into cells by the values of axes. Cells come in the order
// of their axes' values, the first axis first: as the run lists its workloads,
// variants and tunables' values, numbers by size, anything else by name.
func Group(all []Record, axes ...string) []Cell {
	cells := map[string]*Cell{}
	var order []*Cell
	for _, r := range all {
		key := r.Project(axes...)
		id := identity(key)
		if cells[id] == nil {
			cells[id] = &Cell{Key: key}
			order = append(order, cells[id])
		}
		cells[id].Records = append(cells[id].Records, r)
	}
	ranks := rank(all)
	slices.SortStableFunc(order, func(a, b *Cell) int { return ranks.compare(a.Key, b.Key) })
	grouped := make([]Cell, len(order))
	for i, c := range order {
		c.Mixed = mixed(c.Records, axes)
		grouped[i] = *c
	}
	return grouped
}

// identity cannot be the same for two keys, whatever is in their values.
func identity(key []Field) string {
	var id strings.Builder
	for _, f := range key {
		id.WriteString(strconv.Quote(f.Value))
	}
	return id.String()
}

func mixed(all []Record, axes []string) []Mixed {
	var found []Mixed
	for _, key := range alike() {
		if slices.Contains(axes, key) || key == "device.id" && scratch(all) {
			continue
		}
		if values := distinct(all, key); len(values) > 1 {
			found = append(found, Mixed{key, values})
		}
	}
	return found
}

// scratch says that every device was made for its run: then each has an id of
// its own, which means nothing.
func scratch(all []Record) bool {
	return !slices.ContainsFunc(all, func(r Record) bool { return !r.Data.Run.Device.Scratch })
}

// distinct looks at each run once, since its records share its fields.
func distinct(all []Record, key string) []string {
	var values []string
	seen := map[*results.RunData]bool{}
	for i := range all {
		if seen[all[i].Data] {
			continue
		}
		seen[all[i].Data] = true
		value, _ := all[i].Value(key)
		if value == "" {
			value = "unknown"
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// ranks holds, for each key that runs list values of, the place of each value.
type ranks map[string]map[string]int

func rank(all []Record) ranks {
	r := ranks{}
	seen := map[*results.RunData]bool{}
	for i := range all {
		if data := all[i].Data; !seen[data] {
			seen[data] = true
			r.add(data.Run)
		}
	}
	return r
}

func (r ranks) add(run *results.Run) {
	for _, w := range run.Workloads {
		r.place("workload", w.Name)
		for _, j := range w.Jobs {
			r.place("job", j.Name)
		}
	}
	for _, v := range run.Variants {
		r.place("variant", v.ID)
		r.place("label", v.Label)
	}
	for _, t := range run.Tunables {
		for _, value := range t.Values {
			r.place(t.Name, value)
		}
	}
	r.place("run", run.ID)
}

func (r ranks) place(key, value string) {
	if r[key] == nil {
		r[key] = map[string]int{}
	}
	if _, placed := r[key][value]; !placed {
		r[key][value] = len(r[key])
	}
}

func (r ranks) compare(a, b []Field) int {
	for i := range a {
		if c := r.compareValues(a[i].Key, a[i].Value, b[i].Value); c != 0 {
			return c
		}
	}
	return 0
}

// compareValues puts ranked values first, then those with a number, by size.
func (r ranks) compareValues(key, a, b string) int {
	ra, oka := r[key][a]
	rb, okb := r[key][b]
	na, erra := number(a)
	nb, errb := number(b)
	return cmp.Or(
		first(oka, okb), cmp.Compare(ra, rb),
		first(erra == nil, errb == nil), cmp.Compare(na, nb),
		strings.Compare(a, b),
	)
}

// first is negative when only a is true.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// number is the number in a value such as 64, 50%, 1000/s or depth 8.
func number(value string) (float64, error) {
	value = strings.TrimPrefix(value, "depth ")
	value = strings.TrimSuffix(strings.TrimSuffix(value, "%"), "/s")
	return strconv.ParseFloat(value, 64)
}
