package ci

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/iosweep/iosweep/results/stats"
)

// family is one OpenMetrics family, a gauge.
type family struct {
	name, unit, help string
	lines            []string
}

// OpenMetrics writes the medians, ratios, corrected p and verdicts as
// OpenMetrics text in base units. What has no figure has no sample. It returns
// the writer's error.
func OpenMetrics(w io.Writer, t *comparison.Table) error {
	var b strings.Builder
	for _, f := range families(t) {
		fmt.Fprintf(&b, "# TYPE %s gauge\n", f.name)
		if f.unit != "" {
			fmt.Fprintf(&b, "# UNIT %s %s\n", f.name, f.unit)
		}
		fmt.Fprintf(&b, "# HELP %s %s\n", f.name, f.help)
		for _, line := range f.lines {
			b.WriteString(line)
		}
	}
	b.WriteString("# EOF\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func families(t *comparison.Table) []*family {
	medians := map[results.Unit]*family{
		results.Seconds:        {name: "iosweep_latency_seconds", unit: "seconds", help: "Median latency over trials."},
		results.BytesPerSecond: {name: "iosweep_throughput_bytes_per_second", unit: "bytes_per_second", help: "Median throughput over trials."},
		results.OpsPerSecond:   {name: "iosweep_operations_per_second", unit: "per_second", help: "Median rate of operations over trials."},
	}
	ratio := &family{name: "iosweep_ratio", help: "New by base: the estimate and the bounds of its interval."}
	p := &family{name: "iosweep_p_adjusted", help: "Two-sided p, corrected by Holm."}
	verdict := &family{name: "iosweep_verdict", help: "1 for the verdict that holds."}
	for i := range t.Rows {
		r := &t.Rows[i]
		m := medians[r.Unit]
		m.side(r, "base", r.Comparison.Base)
		m.side(r, "new", r.Comparison.New)
		ratio.sample(r, r.Ratio, "bound", "estimate")
		ratio.sample(r, r.Lo, "bound", "low")
		ratio.sample(r, r.Hi, "bound", "high")
		p.sample(r, r.PAdjusted)
		verdict.sample(r, results.Some(1), "verdict", string(r.Outcome))
	}
	return []*family{medians[results.Seconds], medians[results.BytesPerSecond], medians[results.OpsPerSecond], ratio, p, verdict}
}

func (f *family) side(r *comparison.Row, side string, s stats.Summary) {
	if s.N > 0 {
		f.sample(r, results.Some(s.Center), "side", side)
	}
}

// sample adds a line with the row's labels and those given in pairs.
func (f *family) sample(r *comparison.Row, v results.Float, more ...string) {
	if !v.Valid {
		return
	}
	labels := append([]string{"device", r.Device, "workload", r.Workload, "load", r.Load, "setting", r.Setting,
		"base_value", r.BaseValue, "new_value", r.NewValue, "metric", r.Metric}, more...)
	var parts []string
	for i := 0; i < len(labels); i += 2 {
		if labels[i+1] != "" {
			parts = append(parts, labels[i]+`="`+escape(labels[i+1])+`"`)
		}
	}
	f.lines = append(f.lines, fmt.Sprintf("%s{%s} %s\n", f.name, strings.Join(parts, ","), strconv.FormatFloat(v.V, 'g', -1, 64)))
}

// escape is OpenMetrics' escaping of label values.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\ufffd"))
}
