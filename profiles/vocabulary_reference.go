package profiles

import (
	"errors"

	"github.com/iosweep/iosweep/results"
	"gopkg.in/yaml.v3"
)

// published is a reference whose figure still has its unit.
type published struct {
	results.Reference
	figure quantity
}

// quantity is a number in base units and the name of its base unit.
type quantity struct {
	value float64
	unit  string
}

// referenceKind reads a published figure, which must be of the metric's unit.
func referenceKind() kind[results.Reference] {
	k := object(
		must(put("label", "What reports call the figure.", text(), func(f *published) *string { return &f.Label })),
		put("workload", "The workload that the figure belongs beside.", word(), func(f *published) *string { return &f.Workload }),
		put("tunable", "The tunable that the figure belongs to.", address(), func(f *published) *string { return &f.Tunable }),
		put("value", "The tunable's value at which it was measured.", raw(), func(f *published) *string { return &f.Value }),
		must(put("metric", "What the figure is: [JOB.][KIND.]QUANTITY.", metric(), func(f *published) *string { return &f.Metric })),
		must(put("figure", "The figure with its unit, such as 1.6GB/s, 65ms or 1152.4/s.", figure(), func(f *published) *quantity { return &f.figure })),
		put("qualifier", "How the source qualifies it, such as lower bound.", text(), func(f *published) *string { return &f.Qualifier }),
		must(put("citation", "Where it was published.", text(), func(f *published) *string { return &f.Citation })),
		put("measured_on", "The hardware it was measured on.", text(), func(f *published) *string { return &f.MeasuredOn }),
	)
	return kind[results.Reference]{k.schema, func(r *reader, n *yaml.Node) (results.Reference, bool) {
		f, ok := k.read(r, n)
		m, err := splitMetric(f.Metric)
		if ok && err == nil && f.figure.unit != "" && f.figure.unit != m.unit() {
			r.fail(n, "%s: %s is measured in %s, not %s: write the figure like %s", r.what(), f.Metric, m.unit(), f.figure.unit, m.example())
		}
		f.Figure = f.figure.value
		return f.Reference, ok
	}}
}

// figure is a published figure with its unit.
func figure() kind[quantity] {
	pattern := `^` + numberPattern + `(ns|us|ms|s|min|h|/s|B/s|[KMGT]iB/s|[kMGT]B/s)$`
	return scalar(schema{"type": "string", "pattern": pattern}, func(s string) (quantity, error) {
		v, unit, err := parseFigure(s)
		if err == nil && v == 0 {
			return quantity{}, errors.New("the figure is 0: leave the reference out")
		}
		return quantity{v, unit}, err
	})
}
