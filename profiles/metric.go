package profiles

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
)

// metricName is a metric's name taken apart: [JOB.][KIND.]QUANTITY, where a
// latency may have response. or service. before it.
type metricName struct {
	job, kind, quantity string
}

// quantities are the names of quantities, longest first where one ends with
// another.
func quantities() []string {
	return []string{"ops", "throughput", "mean", "p99.999", "p99.99", "p99.9", "p99", "p50", "max"}
}

// splitMetric takes a metric's name apart; whether the job exists is for the
// caller to check.
func splitMetric(name string) (metricName, error) {
	for _, q := range quantities() {
		if name == q {
			return metricName{quantity: q}, nil
		}
		if before, ok := strings.CutSuffix(name, "."+q); ok {
			return splitPrefix(name, before, q)
		}
	}
	last := name[strings.LastIndex(name, ".")+1:]
	return metricName{}, fmt.Errorf("metric %q: unknown quantity %q: %s", shorten(name), shorten(last), suggest(last, quantities()))
}

func splitPrefix(name, prefix, quantity string) (metricName, error) {
	m := metricName{quantity: quantity}
	parts := strings.Split(prefix, ".")
	if last := parts[len(parts)-1]; last == "response" || last == "service" {
		if quantity == "ops" || quantity == "throughput" {
			return m, fmt.Errorf("metric %q: %s goes before latencies only: leave it out", shorten(name), last)
		}
		parts = parts[:len(parts)-1]
	}
	if n := len(parts); n > 0 && isKind(parts[n-1]) {
		m.kind, parts = parts[n-1], parts[:n-1]
	}
	if len(parts) > 1 || len(parts) == 1 && parts[0] == "" {
		return m, fmt.Errorf("metric %q: write [JOB.][KIND.]QUANTITY, such as reads.p99 or scrub.read.throughput", shorten(name))
	}
	if len(parts) == 1 {
		m.job = parts[0]
	}
	return m, nil
}

func isKind(s string) bool {
	return s == "read" || s == "write" || s == "delete" || s == "flush"
}

// metric is a metric's name.
func metric() kind[string] {
	return scalar(schema{"type": "string", "pattern": `(^|\.)(` + strings.ReplaceAll(strings.Join(quantities(), "|"), ".", `\.`) + `)$`}, func(s string) (string, error) {
		_, err := splitMetric(s)
		return s, err
	})
}

// limitKind is a constraint such as reads.p99 <= 10ms.
func limitKind() kind[results.Limit] {
	return scalar(schema{"type": "string", "pattern": `(<=|>=)`}, parseLimit)
}

func parseLimit(s string) (results.Limit, error) {
	op := "<="
	if strings.Contains(s, ">=") {
		op = ">="
	}
	name, value, found := strings.Cut(s, op)
	if !found {
		return results.Limit{}, fmt.Errorf("constraint %q: write METRIC <= VALUE or METRIC >= VALUE", shorten(s))
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	m, err := splitMetric(name)
	if err != nil {
		return results.Limit{}, err
	}
	v, unitOf, err := parseFigure(value)
	if err == nil && unitOf != m.unit() {
		err = fmt.Errorf("constraint %q: %s is measured in %s: write it like %s", shorten(s), m.quantity, m.unit(), m.example())
	}
	return results.Limit{Metric: name, Op: op, Value: v, Text: s}, err
}

// The units of metrics, by the base unit that a figure is stored in.
const (
	perSecond      = "operations per second"
	bytesPerSecond = "bytes per second"
	seconds        = "seconds"
)

// unit is the base unit of the metric.
func (m metricName) unit() string {
	switch m.quantity {
	case "ops":
		return perSecond
	case "throughput":
		return bytesPerSecond
	}
	return seconds
}

func (m metricName) example() string {
	switch m.unit() {
	case perSecond:
		return "1000/s"
	case bytesPerSecond:
		return "100MB/s"
	}
	return "10ms"
}

// parseFigure reads a figure and says its base unit: 100MB/s, 1000/s or 10ms.
func parseFigure(s string) (float64, string, error) {
	if v, err := units.ParseRate(s); err == nil {
		return v, perSecond, nil
	}
	if bytes, ok := strings.CutSuffix(s, "/s"); ok {
		n, err := units.ParseBytes(bytes)
		return float64(n), bytesPerSecond, err
	}
	d, err := units.ParseDuration(s)
	return d.Seconds(), seconds, err
}
