package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/iosweep/iosweep/profiles/convert"
	"github.com/iosweep/iosweep/workloads/vdbench"
	"github.com/spf13/cobra"
)

func newConvert() *cobra.Command {
	return &cobra.Command{
		Use:   "convert FILE [KEY=VALUE...]",
		Short: "Print the profile that does what a vdbench parameter file does",
		Long: `Read a parameter file of vdbench (raw I/O: SD, WD and RD) and print a profile
that does the same, with comments on what differs. KEY=VALUE replaces $KEY in the
file, as on vdbench's own command line.`,
		Example: "  iosweep convert tpcc.parm > tpcc.yaml\n  iosweep convert read.parm lun=/dev/sdb threads=8",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := converted(args[0], args[1:])
			if err != nil {
				return withCode(exitUsage, err)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}

func converted(name string, assigned []string) ([]byte, error) {
	values := map[string]string{}
	for _, a := range assigned {
		key, value, ok := strings.Cut(a, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q: write KEY=VALUE, for $KEY in the file", a)
		}
		values[key] = value
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("convert: %w", err)
	}
	f, err := vdbench.Parse(name, text, include, values)
	if err != nil {
		return nil, err
	}
	return convert.Vdbench(name, f)
}

// include finds a file that another includes: beside it, or in the current
// folder.
func include(including, name string) ([]byte, error) {
	if !filepath.IsAbs(name) {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(including), name)); err == nil {
			return text, nil
		}
	}
	return os.ReadFile(name)
}
