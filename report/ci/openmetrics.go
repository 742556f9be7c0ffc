package ci

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Family is the name of a family of gauges.
type Family string

// The families that samples belong to.
const (
	Latency     Family = "iosweep_latency_seconds"
	Throughput  Family = "iosweep_throughput_bytes_per_second"
	Operations  Family = "iosweep_operations_per_second"
	Ratio       Family = "iosweep_ratio"
	P           Family = "iosweep_p_adjusted"
	Verdict     Family = "iosweep_verdict"
	Regret      Family = "iosweep_regret_ratio"
	Recommends  Family = "iosweep_recommended"
	TrialCounts Family = "iosweep_trials"
)

// about is what OpenMetrics says of a family; unit ends its name.
type about struct {
	family     Family
	unit, help string
}

func families() []about {
	return []about{
		{Latency, "seconds", "Median latency over trials."},
		{Throughput, "bytes_per_second", "Median throughput over trials."},
		{Operations, "per_second", "Median rate of operations over trials."},
		{Ratio, "", "New by base: the estimate and the bounds of its interval."},
		{P, "", "Two-sided p, corrected by Holm."},
		{Verdict, "", "1 for the verdict that holds."},
		{Regret, "ratio", "Share that a value loses to the best on its device, and the bounds of its interval."},
		{Recommends, "", "1 for the value to use as default."},
		{TrialCounts, "", "Places of the plan that were measured, by the status of the last trial."},
	}
}

func familyOf(unit results.Unit) Family {
	switch unit {
	case results.Seconds:
		return Latency
	case results.BytesPerSecond:
		return Throughput
	}
	return Operations
}

// OpenMetrics writes a suite's samples as OpenMetrics text, in base units, each
// family whole and in one place. It returns the writer's error.
func OpenMetrics(w io.Writer, s *Suite) error {
	var b strings.Builder
	lines := map[Family][]string{}
	for _, sample := range s.Samples {
		lines[sample.Family] = append(lines[sample.Family], sample.line())
	}
	for _, f := range families() {
		if len(lines[f.family]) > 0 {
			b.WriteString(f.head() + strings.Join(lines[f.family], ""))
		}
	}
	b.WriteString("# EOF\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (f about) head() string {
	text := fmt.Sprintf("# TYPE %s gauge\n", f.family)
	if f.unit != "" {
		text += fmt.Sprintf("# UNIT %s %s\n", f.family, f.unit)
	}
	return text + fmt.Sprintf("# HELP %s %s\n", f.family, f.help)
}

func (s *Sample) line() string {
	var parts []string
	for _, l := range s.Labels {
		if l.Value != "" {
			parts = append(parts, l.Name+`="`+escapeLabel(l.Value)+`"`)
		}
	}
	return fmt.Sprintf("%s{%s} %s\n", s.Family, strings.Join(parts, ","), strconv.FormatFloat(s.Value, 'g', -1, 64))
}

// escapeLabel is OpenMetrics' escaping of label values.
func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\ufffd"))
}
