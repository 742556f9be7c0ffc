package ci

import (
	"github.com/iosweep/iosweep/report/compared"
	"github.com/iosweep/iosweep/results/comparison"
)

// MaxSummaryBytes is what GitHub accepts as the summary of one step: 1 MiB.
const MaxSummaryBytes = 1 << 20

// Summary is the table as Markdown for a GitHub job summary, headed by the
// gate's verdict ("" without a gate), in fewer than limit bytes.
func Summary(t *comparison.Table, v comparison.Verdict, limit int) string {
	head := ""
	switch v {
	case comparison.Pass:
		head = "**Gate passed.**\n\n"
	case comparison.Fail:
		head = "**Gate failed.**\n\n"
	case comparison.Inconclusive:
		head = "**Gate inconclusive.**\n\n"
	}
	return head + compared.Shortened(t, limit-len(head))
}
