package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/report/ci"
	"github.com/iosweep/iosweep/report/compared"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/spf13/cobra"
)

// compareFlags are the options of iosweep compare.
type compareFlags struct {
	vary, base string
	metrics    []string
	margin     string
	format     string
	unpaired   bool
	failOn     []string
	outputs    ciFlags
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare BASE NEW | compare RUN --vary TUNABLE",
		Short: "Say which of two runs, or of a run's values, is better, and how sure that is",
		Long: `Compare two runs, or with --vary the values of a tunable within one run, and
print for each workload, load point and metric both medians with intervals, the
ratio with its interval, p, p corrected for the number of rows, and a verdict:
better, worse, same (within the margin) or undecided.

Values of one run pair by block, and p is Wilcoxon's; two runs do not pair, and
p is Mann and Whitney's, as benchstat has it. The gate of --fail-on passes where
a loss beyond the margin is ruled out; exit code 3 means a proven regression,
4 that it could not be decided.`,
		Example: `  iosweep compare results/before results/after --fail-on worse
  iosweep compare results/sweep --vary delete_max_sectors --base 65536
  iosweep compare results/before results/after --fail-on worse:reader.p99 --junit gate.xml`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.vary, "vary", "", "compare the values of this `tunable` within one run")
	fl.StringVar(&f.base, "base", "", "the `value` to compare the others with (default: the tunable's default, else the first)")
	fl.StringSliceVar(&f.metrics, "metric", nil, "metrics to compare (default: those of the profile's objectives, else throughput,p99)")
	fl.StringVar(&f.margin, "margin", "3%", "relative difference that does not matter")
	fl.StringVar(&f.format, "format", "text", "text, markdown, csv or json")
	fl.BoolVar(&f.unpaired, "unpaired", false, "compare as independent samples, as benchstat does, even where blocks pair")
	fl.StringArrayVar(&f.failOn, "fail-on", nil, "exit 3 when proven, 4 when undecided: `worse[:METRIC,...]`")
	f.outputs.flags(fl)
	return cmd
}

func (f *compareFlags) run(out io.Writer, args []string) error {
	gate, o, err := f.options()
	if err != nil {
		return withCode(exitUsage, err)
	}
	if err := f.outputs.check(); err != nil {
		return err
	}
	table, err := f.table(args, o)
	if err != nil {
		return err
	}
	verdict := comparison.Verdict("")
	if gate != nil {
		if verdict, err = gate.Check(table); err != nil {
			return withCode(exitUsage, err)
		}
	}
	if err := f.print(out, table, verdict); err != nil {
		return err
	}
	suite := ci.Compared(table, orAll(gate))
	if err := f.outputs.write(suite, func(limit int) string { return ci.Summary(table, verdict, limit) }); err != nil {
		return err
	}
	return gateError(table, gate, verdict)
}

// orAll is the gate, or where there is none one that all metrics must pass: a
// JUnit case fails for what is worse even if the exit code does not tell.
func orAll(gate *comparison.Gate) comparison.Gate {
	if gate == nil {
		return comparison.Gate{}
	}
	return *gate
}

// options parses the flags; gate is nil without --fail-on.
func (f *compareFlags) options() (gate *comparison.Gate, o comparison.Options, err error) {
	o = comparison.Options{Metrics: f.metrics, Unpaired: f.unpaired}
	if o.Margin, err = marginShare(f.margin); err != nil {
		return nil, o, err
	}
	if !slices.Contains(compareFormats(), f.format) {
		return nil, o, fmt.Errorf("--format %q: use %s", f.format, strings.Join(compareFormats(), ", "))
	}
	if f.base != "" && f.vary == "" {
		return nil, o, errors.New("--base is a value of the tunable that --vary names: name that too")
	}
	for _, text := range f.failOn {
		g, err := comparison.ParseGate(text)
		if err != nil {
			return nil, o, fmt.Errorf("--fail-on: %w", err)
		}
		if gate == nil {
			gate = &g
		} else if len(g.Metrics) == 0 || len(gate.Metrics) == 0 {
			gate.Metrics = nil
		} else {
			gate.Metrics = append(gate.Metrics, g.Metrics...)
		}
	}
	return gate, o, nil
}

// marginShare reads --margin as a share.
func marginShare(text string) (float64, error) {
	percent, err := units.ParsePercent(text)
	if err != nil {
		return 0, fmt.Errorf("--margin: %w", err)
	}
	if percent >= 100 {
		return 0, fmt.Errorf("--margin %s: write a share below 100%%", text)
	}
	return percent / 100, nil
}

// table opens the runs and compares.
func (f *compareFlags) table(args []string, o comparison.Options) (*comparison.Table, error) {
	if (f.vary == "") != (len(args) == 2) {
		return nil, withCode(exitUsage, errors.New("name two runs, or one run and --vary TUNABLE: see 'iosweep compare --help'"))
	}
	set, err := openRuns(args)
	if err != nil {
		return nil, err
	}
	var t *comparison.Table
	if f.vary != "" {
		t, err = comparison.Variants(set.Runs[0], f.vary, f.base, o)
	} else {
		t, err = comparison.Runs(set.Runs[0], set.Runs[1], o)
	}
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	return t, nil
}

// openRuns opens run folders that a decision is to be made from: a folder whose
// lines or sums are wrong is refused, with the file and line.
func openRuns(dirs []string) (*results.Set, error) {
	set, err := results.Open(dirs...)
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	for _, r := range set.Runs {
		if len(r.Problems) > 0 {
			return nil, withCode(exitUsage, fmt.Errorf("open run %s: %s: a decision takes a sound folder", r.Dir, strings.Join(r.Problems, "; ")))
		}
	}
	return set, nil
}

func (f *compareFlags) print(out io.Writer, t *comparison.Table, v comparison.Verdict) error {
	switch f.format {
	case "markdown":
		return compared.Markdown(out, t)
	case "csv":
		return compared.CSV(out, t)
	case "json":
		return compared.JSON(out, t, v)
	}
	return compared.Text(out, t, widthOf(out))
}

func compareFormats() []string { return []string{"text", "markdown", "csv", "json"} }

// gateError turns the gate's verdict into an exit code.
func gateError(t *comparison.Table, g *comparison.Gate, v comparison.Verdict) error {
	var rows []string
	for i := range t.Rows {
		if r := &t.Rows[i]; g != nil && v != comparison.Pass && g.Row(t, r) == v {
			rows = append(rows, compared.RowName(r))
		}
	}
	for _, u := range t.Unmatched {
		if v == comparison.Inconclusive && u.Side == "base" {
			rows = append(rows, u.String())
		}
	}
	switch v {
	case comparison.Fail:
		return withCode(exitGate, fmt.Errorf("gate failed: worse in %s", strings.Join(rows, "; ")))
	case comparison.Inconclusive:
		return withCode(exitInconclusive, fmt.Errorf("gate inconclusive: a loss beyond the margin is not ruled out in %s: measure more blocks, or allow a larger --margin", strings.Join(rows, "; ")))
	}
	return nil
}
