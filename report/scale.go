package report

import (
	"math"
	"strconv"

	"github.com/iosweep/iosweep/results"
)

// unit is a printed unit and its size in base units.
type unit struct {
	name string
	size float64
}

// unitsOf returns the units in which a quantity is printed, smallest first.
func unitsOf(quantity string) []unit {
	switch quantity {
	case "throughput":
		return []unit{{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}
	case "ops":
		return []unit{{"op/s", 1}, {"k op/s", 1e3}, {"M op/s", 1e6}}
	}
	return []unit{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}
}

// unitFor picks the unit in which v has one to three digits before the point.
func unitFor(quantity string, v float64) unit {
	all := unitsOf(quantity)
	best := all[0]
	for _, u := range all {
		if math.Abs(v) >= 0.9995*u.size {
			best = u
		}
	}
	if v == 0 && quantity != "throughput" && quantity != "ops" {
		return all[len(all)-1]
	}
	return best
}

// digits3 prints v with three significant digits and without an exponent.
func digits3(v float64) string {
	if v == 0 {
		return "0"
	}
	power := func() int { return int(math.Floor(math.Log10(math.Abs(v)) + 1e-9)) }
	unit := math.Pow(10, float64(power()-2))
	v = math.Round(v/unit) * unit // 0.9999 becomes 1.00, not 1.000
	places := 2 - power()
	if places <= 0 {
		p := math.Pow(10, float64(-places))
		return strconv.FormatFloat(math.Round(v/p)*p, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', min(places, 6), 64)
}

// plain prints v with as few digits as it has, for ticks.
func plain(v float64) string {
	return strconv.FormatFloat(v, 'g', 10, 64)
}

// print returns v in its best unit.
func (u unit) print(v float64) string { return digits3(v/u.size) + " " + u.name }

// show prints a value of the quantity with its unit.
func show(quantity string, v float64) string { return unitFor(quantity, v).print(v) }

// spread prints an interval in the unit of its median, without the unit.
func (u unit) spread(low, high float64) string {
	return digits3(low/u.size) + "–" + digits3(high/u.size)
}

// quantityOf is the last part of a metric's name, which says what it measures:
// of scrub.read.p99.9 it is p99.9. A name that is wrong is its own quantity.
func quantityOf(metric string) string {
	m, err := results.ParseMetric(metric)
	if err != nil {
		return metric
	}
	return m.Quantity
}

// Quantities are the columns of every table, in order.
func Quantities() []string {
	return []string{"throughput", "ops", "mean", "p50", "p99", "p99.9", "max"}
}

// isRate says that a quantity counts per second rather than waits.
func isRate(quantity string) bool { return quantity == "throughput" || quantity == "ops" }
