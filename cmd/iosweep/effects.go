package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/iosweep/iosweep/results/effects"
	"github.com/spf13/cobra"
)

func newEffects() *cobra.Command {
	var metric, margin string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "effects RUN",
		Short: "Say which of several tunables varied together mattered",
		Long: `For each workload that varies two tunables or more: what each value does by
itself (the main effect) and what pairs do beyond that (the interaction), as
ratios with intervals over blocks, corrected for their number.`,
		Example: "  iosweep effects results/sweep --metric reader.p99",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			share, err := marginShare(margin)
			if err != nil {
				return withCode(exitUsage, err)
			}
			set, err := openRuns(args)
			if err != nil {
				return err
			}
			tables, err := effects.Of(set.Runs[0], metric, effects.Options{Margin: share})
			if err != nil {
				return withCode(exitUsage, err)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), tables)
			}
			return printEffects(cmd.OutOrStdout(), tables)
		},
	}
	cmd.Flags().StringVar(&metric, "metric", "throughput", "the metric to explain")
	cmd.Flags().StringVar(&margin, "margin", "3%", "relative difference that does not matter")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printEffects(w io.Writer, tables []effects.Table) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, t := range tables {
		fmt.Fprintf(tw, "%s at %s: %s, %d blocks\n", dash(t.Workload), t.Load, dash(t.Metric), t.Blocks)
		if t.Incomplete > 0 {
			fmt.Fprintf(tw, "%d blocks lack a combination and are left out\n", t.Incomplete)
		}
		fmt.Fprintf(tw, "EFFECT\tRATIO\tINTERVAL\tMATTERS\n")
		for _, e := range t.Effects {
			verdict := "not proven"
			if e.Matters {
				verdict = "yes"
			}
			fmt.Fprintf(tw, "%s\t%.3f\t%.3f to %.3f\t%s\n", dash(e.String()), e.Ratio.Center, e.Ratio.Lo, e.Ratio.Hi, verdict)
		}
		fmt.Fprintln(tw, strings.Repeat("-", 20))
	}
	return tw.Flush()
}
