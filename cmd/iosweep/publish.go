package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/iosweep/iosweep/report/site"
	"github.com/spf13/cobra"
)

func newPublish() *cobra.Command {
	var out string
	var o site.Options
	cmd := &cobra.Command{
		Use:   "publish RUN... --out DIR",
		Short: "Build a static site of runs: reports, an index, comparisons, a feed",
		Long: `Write a site that any host can serve and that works from a file: address: an
index by tunable, device and date, a report and the data of each run, a page for
each tunable across devices and kernels, and an Atom feed. A run's address stays
when the site is built again with more runs.`,
		Example: `  iosweep publish results/* --out site
  iosweep publish results/* --out site --redact --base https://example.org/io`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return withCode(exitUsage, errors.New("say where to build the site: --out DIR"))
			}
			set, err := openRuns(args)
			if err != nil {
				return err
			}
			if err := site.Write(out, set, o); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "site  %s\n", filepath.Join(out, "index.html"))
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&out, "out", "", "folder for the site")
	fl.BoolVar(&o.Redact, "redact", false, "take out serials, host names and user paths, in the data too")
	fl.StringVar(&o.Base, "base", "", "`address` at which the site will stand, for the feed's links")
	return cmd
}
