package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/iosweep/iosweep/report/ci"
	"github.com/spf13/pflag"
)

// ciFlags are the files that a verb writes for continuous integration.
type ciFlags struct {
	junit, openMetrics string
	summary            bool
}

func (f *ciFlags) flags(fl *pflag.FlagSet) {
	fl.StringVar(&f.junit, "junit", "", "write JUnit XML to this `file`: failure is the gate's or a limit's, error the lab's, skipped undecided or unsupported")
	fl.BoolVar(&f.summary, "github-summary", false, "add the table to the GitHub job summary ($GITHUB_STEP_SUMMARY)")
	fl.StringVar(&f.openMetrics, "openmetrics", "", "write OpenMetrics text to this `file`")
}

// check refuses a summary outside of a GitHub job, before anything is done.
func (f *ciFlags) check() error {
	if f.summary && os.Getenv("GITHUB_STEP_SUMMARY") == "" {
		return withCode(exitUsage, errors.New("--github-summary: GITHUB_STEP_SUMMARY is not set: this is no step of a GitHub job"))
	}
	return nil
}

// write writes what was asked for; summary makes Markdown of at most so many
// bytes.
func (f *ciFlags) write(s *ci.Suite, summary func(limit int) string) error {
	err := writeOutput(f.junit, func(w io.Writer) error { return ci.JUnit(w, s) })
	err = errors.Join(err, writeOutput(f.openMetrics, func(w io.Writer) error { return ci.OpenMetrics(w, s) }))
	if f.summary {
		err = errors.Join(err, appendSummary(summary))
	}
	return err
}

// writeOutput writes a file whole, or none when path is empty.
func writeOutput(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// appendSummary adds to the step's summary what is left of its 1 MiB.
func appendSummary(summary func(limit int) string) error {
	file, err := os.OpenFile(os.Getenv("GITHUB_STEP_SUMMARY"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the job summary: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open the job summary: %w", err)
	}
	text := summary(ci.MaxSummaryBytes - int(min(info.Size(), ci.MaxSummaryBytes)) - 1)
	if _, err := file.WriteString(text); err != nil {
		return fmt.Errorf("write the job summary: %w", err)
	}
	return file.Close()
}
