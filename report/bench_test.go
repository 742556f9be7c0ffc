package report_test

import (
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results/query"
)

// BenchmarkBuild works out a report of 10,008 trials.
func BenchmarkBuild(b *testing.B) {
	set := reporttest.Set(reporttest.Curves(12, 139, nil))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := report.Build(set, query.Query{}, report.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
