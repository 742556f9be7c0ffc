package ci

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/report/columns"
	"github.com/iosweep/iosweep/report/compared"
	"github.com/iosweep/iosweep/results/comparison"
)

// MaxSummaryBytes is what GitHub accepts as the summary of one step: 1 MiB.
const MaxSummaryBytes = 1 << 20

// Summary is a comparison's table as Markdown for a GitHub job summary, headed
// by the gate's verdict ("" without a gate), in fewer than limit bytes.
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

// Markdown is the suite as a table for a GitHub job summary: how many cases came
// to what, then those that did not pass, then the others, as many as fit in
// limit bytes.
func (s *Suite) Markdown(limit int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %d passed, %d failed, %d in error, %d skipped\n\n| state | what | case | result |\n| --- | --- | --- | --- |\n",
		columns.EscapeMarkdown(s.Name), s.count(Passed), s.count(Failed), s.count(Erred), s.count(Skipped))
	left := 0
	for _, state := range []State{Failed, Erred, Skipped, Passed} {
		for _, c := range s.Cases {
			if c.State != state {
				continue
			}
			row := fmt.Sprintf("| %s | %s | %s | %s |\n", state, columns.EscapeMarkdown(c.Class), columns.EscapeMarkdown(c.Name), columns.EscapeMarkdown(c.Text))
			if left > 0 || b.Len()+len(row)+len(leftOut(len(s.Cases))) > limit {
				left++
				continue
			}
			b.WriteString(row)
		}
	}
	if left > 0 {
		b.WriteString(leftOut(left))
	}
	return b.String()
}

func leftOut(n int) string { return fmt.Sprintf("\n%d more cases are left out.\n", n) }
