package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unit is the base unit of a figure.
type Unit string

// The units of metrics.
const (
	OpsPerSecond   Unit = "ops/s"
	BytesPerSecond Unit = "B/s"
	Seconds        Unit = "s"
)

// MetricName is a parsed name of the grammar
//
//	[JOB.][KIND.][BASIS.]QUANTITY
//
// such as p99, scrub.throughput or reader.read.service.p99.9. What is left out
// is aggregated over: rates are summed over jobs and kinds, latencies are taken
// from their exactly merged histograms. A JOB may have dots in it; one that is
// called like a kind needs the kind after it.
type MetricName struct {
	Job string
	// Kind is read, write, delete or flush.
	Kind string
	// Basis is response, service, request or nothing. Nothing means response:
	// where a closed loop recorded only the service time, that is the response
	// time. request is the service time of the requests that iosweep's layers
	// made of the operations, which is kept for deletes: of a single chunk.
	Basis    string
	Quantity string
}

// Quantities are the last parts of metric names: ops (operations per second),
// throughput (bytes per second) and the latencies, in seconds.
func Quantities() []string {
	return []string{"ops", "throughput", "mean", "p50", "p99", "p99.9", "p99.99", "p99.999", "max"}
}

func kinds() []string { return []string{"read", "write", "delete", "flush"} }

func bases() []string { return []string{"response", "service", "request"} }

// ParseMetric reads a metric's name. The error says what would be right.
func ParseMetric(name string) (MetricName, error) {
	rest, quantity := cutLast(name, Quantities())
	if quantity == "" {
		return MetricName{}, fmt.Errorf("parse metric %q: it does not end in a quantity: use one of %s",
			name, strings.Join(Quantities(), ", "))
	}
	m := MetricName{Quantity: quantity}
	rest, m.Basis = cutLast(rest, bases())
	m.Job, m.Kind = cutLast(rest, kinds())
	if m.Basis != "" && m.Unit() != Seconds {
		return MetricName{}, fmt.Errorf("parse metric %q: %s has no %s time: leave %q out", name, quantity, m.Basis, m.Basis+".")
	}
	if m.Basis == "request" && m.Kind != "delete" {
		return MetricName{}, fmt.Errorf("parse metric %q: only of deletes the requests are timed: write delete.request.%s", name, quantity)
	}
	if slices.Contains(strings.Split(name, "."), "") {
		return MetricName{}, fmt.Errorf("parse metric %q: a part is empty: leave its dot out", name)
	}
	return m, nil
}

// cutLast cuts one of words off the end of a dotted name, or nothing.
func cutLast(name string, words []string) (rest, word string) {
	for _, w := range words {
		if name == w {
			return "", w
		}
		if rest, ok := strings.CutSuffix(name, "."+w); ok {
			return rest, w
		}
	}
	return name, ""
}

// String is the name that ParseMetric reads.
func (m MetricName) String() string {
	parts := []string{m.Job, m.Kind, m.Basis, m.Quantity}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ".")
}

// Unit is the base unit of the metric's figures.
func (m MetricName) Unit() Unit {
	switch m.Quantity {
	case "ops":
		return OpsPerSecond
	case "throughput":
		return BytesPerSecond
	}
	return Seconds
}

// HigherIsBetter is true of rates and false of latencies.
func (m MetricName) HigherIsBetter() bool { return m.Unit() != Seconds }

// quantile is the share of operations under a percentile, such as 0.99.
func (m MetricName) quantile() (float64, bool) {
	digits, ok := strings.CutPrefix(m.Quantity, "p")
	if !ok {
		return 0, false
	}
	percent, err := strconv.ParseFloat(digits, 64)
	return percent / 100, err == nil
}

// MetricsOf are the metrics that a workload is judged by: those of its
// objectives, goals before limits, or throughput and p99 where it has none.
func (r *Run) MetricsOf(workload string) (names []string) {
	for _, o := range r.Objectives {
		if o.Workload != workload {
			continue
		}
		all := []string{o.Maximise + o.Minimise}
		for _, l := range o.Limits {
			all = append(all, l.Metric)
		}
		for _, name := range all {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return []string{"throughput", "p99"}
	}
	return names
}
