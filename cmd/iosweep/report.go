package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/bundle"
	"github.com/iosweep/iosweep/report/text"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/spf13/cobra"
)

func newReport() *cobra.Command {
	var out, theme string
	var asJSON, asPDF bool
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "Write the report of one or more run folders",
		Long: `Write report.md, report.html (one file, readable without network or script),
trials.csv and the plots as SVG and PNG. The device is not needed. --theme slide
makes the plots for a screen, 16 by 9 with large letters; --pdf prints the page
through the system's Chromium.`,
		Example: `  iosweep report results/quick-20260102T030405Z-a1b2 --out quick-report
  iosweep report results/mine --out talk --theme slide --pdf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return withCode(exitUsage, errors.New("say where to write the report: --out DIR"))
			}
			set, err := results.Open(args...)
			if err != nil {
				return missing(err)
			}
			t, err := themeOf(theme)
			if err != nil {
				return err
			}
			model, err := report.Build(set, query.Query{}, report.Options{Theme: t})
			if err != nil {
				return err
			}
			page, err := writeReport(out, model)
			if err == nil && asPDF {
				err = printPDF(cmd.Context(), page, filepath.Join(out, "report.pdf"))
			}
			if err != nil {
				return err
			}
			if asJSON {
				return errors.Join(writeJSON(cmd.OutOrStdout(), map[string]string{"report": page}), damaged(set))
			}
			if err := text.Write(cmd.OutOrStdout(), model, widthOf(cmd.OutOrStdout())); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "\nreport  %s\n", page)
			return damaged(set)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder for the report")
	cmd.Flags().StringVar(&theme, "theme", "paper", "layout of the plots: paper or slide")
	cmd.Flags().BoolVar(&asPDF, "pdf", false, "write report.pdf too, through the system's Chromium")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// damaged says that a run folder is not as it was written, so that a script that
// only looks at the exit code learns it too.
func damaged(set *results.Set) error {
	for _, run := range set.Runs {
		if len(run.Problems) > 0 {
			return withCode(exitInvalid, fmt.Errorf("run %s is damaged: %s: the report is of what could be read", run.Dir, run.Problems[0]))
		}
	}
	return nil
}

func themeOf(name string) (report.Theme, error) {
	switch name {
	case "paper":
		return report.Paper, nil
	case "slide":
		return report.Slide, nil
	}
	return "", withCode(exitUsage, fmt.Errorf("--theme %q: use paper or slide", name))
}

func buildReport(set *results.Set) (*report.Model, error) {
	model, err := report.Build(set, query.Query{}, report.Options{})
	if err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	return model, nil
}

// writeReport writes all of a report's files and returns the page's path.
func writeReport(dir string, model *report.Model) (string, error) {
	if _, err := bundle.Write(dir, model); err != nil {
		return "", fmt.Errorf("write report: %w", err)
	}
	return filepath.Join(dir, "report.html"), nil
}

// runSummary is what run prints for machines.
type runSummary struct {
	Run         string        `json:"run"`
	Report      string        `json:"report,omitempty"`
	Valid       int           `json:"valid"`
	Invalid     int           `json:"invalid"`
	Failed      int           `json:"failed"`
	Unsupported int           `json:"unsupported"`
	Verdicts    []verdictLine `json:"verdicts"`
}

// verdictLine is the verdict on one tunable.
type verdictLine struct {
	Tunable  string `json:"tunable"`
	Workload string `json:"workload"`
	Outcome  string `json:"outcome"`
	Best     string `json:"best,omitempty"`
	Sentence string `json:"sentence"`
}

func summarise(dir, page string, o campaign.Outcome, model *report.Model) runSummary {
	s := runSummary{Run: dir, Report: page, Valid: o.Valid, Invalid: o.Invalid, Failed: o.Failed, Unsupported: o.Unsupported, Verdicts: []verdictLine{}}
	for _, v := range model.Verdicts {
		s.Verdicts = append(s.Verdicts, verdictLine{v.Tunable, v.Workload, v.Outcome, v.Best, v.Sentence})
	}
	return s
}
