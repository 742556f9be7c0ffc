package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/bundle"
	"github.com/iosweep/iosweep/report/check"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
	"github.com/spf13/cobra"
)

// checkFlags are the options of iosweep verify.
type checkFlags struct {
	runs    []string
	sign    string
	signers string
	json    bool
}

func newVerify() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "verify RUN|REPORT...",
		Short: "Recompute every figure of runs and reports from their trials",
		Long: `Check that a run's files match their sums, its trials agree with themselves,
and its signature, where it has one, is right; and that each figure and each
file of a report is what its trials say. A run's report is looked for in its
folder, and a report's run in the folder above it unless --run names it.

The exit code is 1 when anything differs.`,
		Example: `  iosweep verify results/quick-20260102T030405Z-a1b2
  iosweep verify quick-report --run results/quick-20260102T030405Z-a1b2
  iosweep verify results/mine --sign ~/.ssh/id_ed25519
  iosweep verify results/mine --signers allowed_signers`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), args)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.runs, "run", nil, "run `folder` that a report is of; once for each run, in the report's order")
	fl.StringVar(&f.sign, "sign", "", "sign the runs in which nothing differs with this SSH `key`")
	fl.StringVar(&f.signers, "signers", "", "`file` of allowed signers (see ssh-keygen): each run must be signed by one of them")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// checkup is what verify says of one run or report.
type checkup struct {
	Name string `json:"name"`
	check.Result
	Problems []string `json:"problems"`
	Signed   string   `json:"signed,omitempty"`
}

func (f *checkFlags) run(ctx context.Context, out io.Writer, args []string) error {
	var all []checkup
	wrong := false
	for _, arg := range args {
		c, err := f.check(ctx, arg)
		if err != nil {
			return err
		}
		wrong = wrong || len(c.Differences) > 0 || len(c.Problems) > 0
		all = append(all, *c)
	}
	if f.json {
		if err := writeJSON(out, all); err != nil {
			return err
		}
	} else {
		for i := range all {
			all[i].print(out)
		}
	}
	if wrong {
		return withCode(exitFailed, errors.New("what is stored is not what comes out: see above"))
	}
	return nil
}

// check looks at one argument: a run's folder, a report's, or a page.
func (f *checkFlags) check(ctx context.Context, arg string) (*checkup, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, missing(fmt.Errorf("verify: %w", err))
	}
	if !info.IsDir() {
		arg = filepath.Dir(arg)
	}
	if is(filepath.Join(arg, results.RunFile)) {
		return f.checkRun(ctx, arg)
	}
	runs := f.runs
	if len(runs) == 0 {
		runs = []string{filepath.Dir(filepath.Clean(arg))}
	}
	c := &checkup{Name: arg, Problems: []string{}}
	return c, c.report(arg, runs)
}

func is(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// checkRun looks at a run, its report if it has one, and its signature.
func (f *checkFlags) checkRun(ctx context.Context, dir string) (*checkup, error) {
	set, err := results.Open(dir)
	if err != nil {
		return nil, withCode(exitUsage, fmt.Errorf("verify: %w", err))
	}
	run := set.Runs[0]
	c := &checkup{Name: dir, Result: check.Trials(run), Problems: append([]string{}, run.Problems...)}
	if !run.Complete && len(run.Problems) == 0 {
		c.Problems = append(c.Problems, results.SumsFile+" is missing: the run is not complete, and nothing says what its files were")
	}
	if page := filepath.Join(dir, "report"); is(filepath.Join(page, bundle.Page)) {
		if err := c.report(page, []string{dir}); err != nil {
			return nil, err
		}
	}
	return c, c.signature(ctx, dir, f)
}

// report adds what differs in a report of some runs.
func (c *checkup) report(dir string, runs []string) error {
	set, err := results.Open(runs...)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("verify %s: name the runs that it is of with --run: %w", dir, err))
	}
	stored, err := check.Read(filepath.Join(dir, bundle.Page))
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("verify: %w", err))
	}
	model, err := report.Build(set, query.Query{}, report.Options{Theme: stored.Theme})
	if err != nil {
		return err
	}
	got, err := check.Report(dir, model)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("verify: %w", err))
	}
	c.Figures, c.Files = c.Figures+got.Figures, c.Files+got.Files
	c.Differences = append(c.Differences, got.Differences...)
	return nil
}

// mostShown is how many differences are printed of one run or report.
const mostShown = 20

func (c *checkup) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %d figures recomputed, %d files made again\n", c.Name, c.Figures, c.Files)
	for _, p := range c.Problems {
		fmt.Fprintf(out, "  %s\n", p)
	}
	for i, d := range c.Differences {
		if i == mostShown {
			fmt.Fprintf(out, "  and %d more\n", len(c.Differences)-i)
			break
		}
		fmt.Fprintf(out, "  %s\n    stored    %q\n    computed  %q\n", d.Where, d.Stored, d.Computed)
	}
	if c.Signed != "" {
		fmt.Fprintf(out, "  %s\n", c.Signed)
	}
	if len(c.Problems)+len(c.Differences) == 0 {
		fmt.Fprintln(out, "  all as it should be")
	}
}
