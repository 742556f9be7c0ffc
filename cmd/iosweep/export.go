package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results/export"
	"github.com/spf13/cobra"
)

func newExport() *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export RUN...",
		Short: "Write runs as benchfmt (for benchstat), CSV, JSON or Parquet",
		Long: `Write every metric of every trial in base units. benchfmt is the Go benchmark
format and has the trials that count only; the tunables are sub-names, so that
benchstat sets values or runs against each other.`,
		Example: `  iosweep export results/sweep --format benchfmt | benchstat -col /delete_max_sectors -
  iosweep export results/before results/after --format benchfmt | benchstat -col run -
  iosweep export results/sweep --format parquet --out sweep.parquet`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(export.Formats(), format) {
				return withCode(exitUsage, fmt.Errorf("--format %q: use %s", format, strings.Join(export.Formats(), ", ")))
			}
			set, err := openRuns(args)
			if err != nil {
				return err
			}
			if out == "" {
				return export.Write(cmd.OutOrStdout(), set, format)
			}
			return writeOutput(out, func(w io.Writer) error { return export.Write(w, set, format) })
		},
	}
	cmd.Flags().StringVar(&format, "format", "csv", strings.Join(export.Formats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "`file` to write (default: the standard output)")
	return cmd
}
