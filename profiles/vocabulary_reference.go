package profiles

import (
	"errors"

	"github.com/iosweep/iosweep/results"
	"gopkg.in/yaml.v3"
)

// published is a reference whose figure is still as it was written.
type published struct {
	results.Reference
	figure string
}

// referenceKind reads a published figure, which must be of the metric's unit.
func referenceKind() kind[results.Reference] {
	k := object(
		must(put("label", "What reports call the figure.", text(), func(f *published) *string { return &f.Label })),
		put("workload", "The workload that the figure belongs beside.", word(), func(f *published) *string { return &f.Workload }),
		put("tunable", "The tunable that the figure belongs to.", address(), func(f *published) *string { return &f.Tunable }),
		put("value", "The tunable's value at which it was measured.", raw(), func(f *published) *string { return &f.Value }),
		must(put("metric", "What the figure is: [JOB.][KIND.]QUANTITY.", metric(), func(f *published) *string { return &f.Metric })),
		must(put("figure", "The figure with its unit, such as 1.6GB/s, 65ms or 1152.4/s.", figureText(), func(f *published) *string { return &f.figure })),
		put("qualifier", "How the source qualifies it, such as lower bound.", text(), func(f *published) *string { return &f.Qualifier }),
		must(put("citation", "Where it was published.", text(), func(f *published) *string { return &f.Citation })),
		put("model", "The model that stands for that hardware: only runs as it show the figure.", word(), func(f *published) *string { return &f.Model }),
		put("measured_on", "The hardware it was measured on.", text(), func(f *published) *string { return &f.MeasuredOn }),
	)
	return kind[results.Reference]{k.schema, func(r *reader, n *yaml.Node) (results.Reference, bool) {
		f, ok := k.read(r, n)
		m, err := results.ParseMetric(f.Metric)
		if !ok || err != nil || f.figure == "" {
			return f.Reference, ok // whatever is wrong has been said
		}
		parsed, err := parseFigure(f.figure, m.Unit())
		if err != nil {
			r.fail(n, "%s: %v", r.what(), err)
		}
		f.Figure = parsed.value
		return f.Reference, ok
	}}
}

// figureText is a figure with its unit, which is judged beside its metric.
func figureText() kind[string] {
	pattern := `^` + numberPattern + `(ns|us|ms|s|min|h|/s|B/s|[KMGT]iB/s|[kMGT]B/s)$`
	return scalar(schema{"type": "string", "pattern": pattern}, func(s string) (string, error) {
		f, err := parseAny(s)
		if err == nil && f.value == 0 {
			return "", errors.New("the figure is 0: leave the reference out")
		}
		return s, err
	})
}
