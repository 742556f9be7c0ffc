package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/iosweep/iosweep/report/ci"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/spf13/pflag"
)

// ciFlags are the files that a comparison writes for continuous integration.
type ciFlags struct {
	junit, openMetrics string
	summary            bool
}

func (f *ciFlags) flags(fl *pflag.FlagSet) {
	fl.StringVar(&f.junit, "junit", "", "write JUnit XML to this `file`: failure is the gate's, error the lab's, skipped undecided or unsupported")
	fl.BoolVar(&f.summary, "github-summary", false, "add the table to the GitHub job summary ($GITHUB_STEP_SUMMARY)")
	fl.StringVar(&f.openMetrics, "openmetrics", "", "write OpenMetrics text to this `file`")
}

// write writes what was asked for. Without a gate, JUnit fails what is worse.
func (f *ciFlags) write(t *comparison.Table, gate *comparison.Gate, v comparison.Verdict) error {
	if gate == nil {
		gate = &comparison.Gate{}
	}
	err := writeOutput(f.junit, func(w io.Writer) error { return ci.JUnit(w, t, *gate) })
	err = errors.Join(err, writeOutput(f.openMetrics, func(w io.Writer) error { return ci.OpenMetrics(w, t) }))
	if f.summary {
		err = errors.Join(err, appendSummary(t, v))
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
func appendSummary(t *comparison.Table, v comparison.Verdict) error {
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return withCode(exitUsage, errors.New("--github-summary: GITHUB_STEP_SUMMARY is not set: this is no step of a GitHub job"))
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the job summary: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open the job summary: %w", err)
	}
	text := ci.Summary(t, v, ci.MaxSummaryBytes-int(min(info.Size(), ci.MaxSummaryBytes))-1)
	if _, err := file.WriteString(text); err != nil {
		return fmt.Errorf("write the job summary: %w", err)
	}
	return file.Close()
}
