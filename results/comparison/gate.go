package comparison

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// Verdict is what a gate says.
type Verdict string

// The verdicts of a gate. Inconclusive means that a regression beyond the margin
// is neither proven nor ruled out.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
)

// Gate says which metrics must not be worse. Without any all must not.
type Gate struct{ Metrics []string }

// ParseGate reads worse or worse:METRIC,METRIC.
func ParseGate(text string) (Gate, error) {
	what, list, named := strings.Cut(text, ":")
	if what != "worse" {
		return Gate{}, fmt.Errorf("parse gate %q: write worse, or worse:METRIC,METRIC", text)
	}
	if !named {
		return Gate{}, nil
	}
	var g Gate
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ':' }) {
		if _, err := results.ParseMetric(name); err != nil {
			return Gate{}, fmt.Errorf("parse gate %q: %w", text, err)
		}
		g.Metrics = append(g.Metrics, name)
	}
	if len(g.Metrics) == 0 {
		return Gate{}, fmt.Errorf("parse gate %q: name a metric after the colon, or leave it out", text)
	}
	return g, nil
}

// watches says whether the gate is about a row.
func (g Gate) watches(r *Row) bool {
	return len(g.Metrics) == 0 || slices.Contains(g.Metrics, r.Metric)
}

// Row judges one row: worse fails; better, same, and an interval that rules a
// loss beyond the margin out pass. A row that the gate does not watch passes.
func (g Gate) Row(t *Table, r *Row) Verdict {
	switch {
	case !g.watches(r):
		return Pass
	case r.Outcome == stats.Worse:
		return Fail
	case r.Outcome == stats.Better, r.Outcome == stats.Same, t.noLoss(r):
		return Pass
	}
	return Inconclusive
}

// noLoss says that the interval's bad side is within the margin, with the
// confidence asked and nothing missing.
func (t *Table) noLoss(r *Row) bool {
	if !r.Lo.Valid || r.Confidence < t.Confidence-1e-9 || r.BaseMissing+r.NewMissing > 0 {
		return false
	}
	if r.HigherIsBetter() {
		return r.Lo.V >= 1/(1+t.Margin)
	}
	return r.Hi.V <= 1+t.Margin
}

// HigherIsBetter is true of rates and false of latencies.
func (r *Row) HigherIsBetter() bool { return r.Unit != results.Seconds }

// Check judges a table. The error names a metric of the gate that no row has.
// Cells that only the base has are inconclusive: what vanished may be worse.
func (g Gate) Check(t *Table) (Verdict, error) {
	for _, name := range g.Metrics {
		if !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Metric == name }) {
			return "", fmt.Errorf("gate: no row has the metric %s", name)
		}
	}
	verdict := Pass
	if slices.ContainsFunc(t.Unmatched, func(u Unmatched) bool { return u.Side == "base" }) {
		verdict = Inconclusive
	}
	for i := range t.Rows {
		switch g.Row(t, &t.Rows[i]) {
		case Fail:
			return Fail, nil
		case Inconclusive:
			verdict = Inconclusive
		}
	}
	return verdict, nil
}
