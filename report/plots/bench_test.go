package plots

import (
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results/query"
)

// BenchmarkPNG is what one picture for a slide costs, beside its SVG.
func BenchmarkPNG(b *testing.B) { benchmark(b, PNG) }

// BenchmarkSVG is what one picture of a page costs.
func BenchmarkSVG(b *testing.B) { benchmark(b, SVG) }

func benchmark(b *testing.B, draw func(*report.Picture) ([]byte, error)) {
	m, err := report.Build(reporttest.Set(reporttest.Curves(12, 3, nil)), query.Query{}, report.Options{})
	if err != nil {
		b.Fatal(err)
	}
	bytes := 0
	for b.Loop() {
		data, err := draw(&m.Workloads[0].Pictures[0])
		if err != nil {
			b.Fatal(err)
		}
		bytes = len(data)
	}
	b.ReportMetric(float64(bytes), "bytes")
}
