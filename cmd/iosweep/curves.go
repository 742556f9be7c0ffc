package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/curves"
	"github.com/iosweep/iosweep/results/stats"
	"github.com/spf13/cobra"
)

func newCurves() *cobra.Command {
	var o curves.Options
	var under, at string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "curves RUN",
		Short: "Read throughput against latency: knee, most under a limit, latency at a rate",
		Long: `For each workload with several load points and each setting: the knee of the
curve, the most throughput under a latency limit, the latency at a throughput,
each with its interval over blocks, and which points no other beats in both.`,
		Example: "  iosweep curves results/sweep --under 10ms\n  iosweep curves results/sweep --throughput ops --latency reader.p99.9 --at 5000/s --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := curveLimits(&o, under, at); err != nil {
				return withCode(exitUsage, err)
			}
			set, err := openRuns(args)
			if err != nil {
				return err
			}
			all, err := curves.Of(set.Runs[0], o)
			if err != nil {
				return withCode(exitUsage, err)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), all)
			}
			return printCurves(cmd.OutOrStdout(), all, o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Throughput, "throughput", "throughput", "the rate `metric`")
	fl.StringVar(&o.Latency, "latency", "p99", "the latency `metric`")
	fl.StringVar(&under, "under", "", "latency limit, such as 10ms")
	fl.StringVar(&at, "at", "", "throughput, such as 500MB/s, or 5000/s of operations")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// curveLimits reads --under and --at; a rate of bytes is written 500MB/s.
func curveLimits(o *curves.Options, under, at string) error {
	if under != "" {
		d, err := units.ParseDuration(under)
		if err != nil {
			return fmt.Errorf("--under: %w", err)
		}
		o.Under = d.Seconds()
	}
	if at == "" {
		return nil
	}
	m, err := results.ParseMetric(o.Throughput)
	if err != nil {
		return fmt.Errorf("--throughput: %w", err)
	}
	if o.At, err = parseRateOf(m, at); err != nil {
		return fmt.Errorf("--at: %w", err)
	}
	return nil
}

// parseRateOf reads a rate of a metric: of bytes as 500MB/s, of operations as
// 5000/s.
func parseRateOf(m results.MetricName, text string) (float64, error) {
	if m.Unit() != results.BytesPerSecond {
		return units.ParseRate(text)
	}
	amount, ok := strings.CutSuffix(text, "/s")
	if !ok {
		return 0, fmt.Errorf("read %q as a throughput: write it like 500MB/s", text)
	}
	n, err := units.ParseBytes(amount)
	return float64(n), err
}

func printCurves(w io.Writer, all []curves.Curve, o curves.Options) error {
	m, err := results.ParseMetric(o.Throughput)
	if err != nil {
		return err
	}
	rate := func(s stats.Summary) string { return interval(s, m.Unit()) }
	latency := func(s stats.Summary) string { return interval(s, results.Seconds) }
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(tw, "WORKLOAD\tSETTING\tKNEE\tAT THE KNEE\tMOST UNDER THE LIMIT\tLATENCY AT THE RATE\tBLOCKS\n")
	for _, c := range all {
		at := latency(c.LatencyAt)
		if c.NotReached > 0 && o.At > 0 {
			at += fmt.Sprintf(", not reached in %d blocks", c.NotReached)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%d\n", dash(c.Workload), dash(c.Variant), rate(c.KneeThroughput), latency(c.KneeLatency), rate(c.MostUnder), at, c.Blocks)
	}
	fmt.Fprintf(tw, "\nWORKLOAD\tSETTING\tLOAD\t%s\t%s\tFRONT\n", dash(o.Throughput), dash(o.Latency))
	for _, c := range all {
		for _, p := range c.Points {
			front := ""
			if p.Pareto {
				front = "yes"
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", dash(c.Workload), dash(c.Variant), p.Load, rate(p.Throughput), latency(p.Latency), front)
		}
	}
	return tw.Flush()
}

// interval is a median with its interval.
func interval(s stats.Summary, unit results.Unit) string {
	if s.N == 0 {
		return "-"
	}
	format := units.FormatOps
	switch unit {
	case results.Seconds:
		format = units.FormatSeconds
	case results.BytesPerSecond:
		format = units.FormatRate
	}
	return fmt.Sprintf("%s (%s to %s)", format(s.Center), format(s.Lo), format(s.Hi))
}
