package profiles

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
)

// metric is a metric's name, in the grammar of results.ParseMetric.
func metric() kind[string] {
	quantities := strings.ReplaceAll(strings.Join(results.Quantities(), "|"), ".", `\.`)
	return scalar(schema{"type": "string", "pattern": `(^|\.)(` + quantities + `)$`}, func(s string) (string, error) {
		_, err := results.ParseMetric(shorten(s))
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
	m, err := results.ParseMetric(shorten(name))
	if err != nil {
		return results.Limit{}, err
	}
	f, err := parseFigure(value, m.Unit())
	return results.Limit{Metric: name, Op: op, Value: f.value, Text: s}, err
}

// figure is a number in base units and its base unit.
type figure struct {
	value float64
	unit  results.Unit
}

// parseFigure reads a figure such as 100MB/s, 1000/s or 10ms; one without any
// known unit is an error as a figure of the wanted unit.
func parseFigure(s string, want results.Unit) (figure, error) {
	f, err := parseAny(s)
	if err != nil {
		return figure{}, fmt.Errorf("figure %q: write it with its unit, like %s", shorten(s), example(want))
	}
	if f.unit != want {
		return figure{}, fmt.Errorf("figure %q is in %s and the metric in %s: write it like %s", s, f.unit, want, example(want))
	}
	return f, nil
}

func parseAny(s string) (figure, error) {
	if v, err := units.ParseRate(s); err == nil {
		return figure{v, results.OpsPerSecond}, nil
	}
	if bytes, ok := strings.CutSuffix(s, "/s"); ok {
		n, err := units.ParseBytes(bytes)
		return figure{float64(n), results.BytesPerSecond}, err
	}
	d, err := units.ParseDuration(s)
	return figure{d.Seconds(), results.Seconds}, err
}

func example(u results.Unit) string {
	switch u {
	case results.OpsPerSecond:
		return "1000/s"
	case results.BytesPerSecond:
		return "100MB/s"
	}
	return "10ms"
}
