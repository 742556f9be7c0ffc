package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/internal/units"
	"github.com/spf13/cobra"
)

func newDevices() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List block devices and whether iosweep would write to them",
		Long: `List the block devices of this machine: what they are, what uses them, and
whether iosweep would write to them. The ID is what --destroy asks for.`,
		Example: "  iosweep devices\n  iosweep devices --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := device.List(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				if list == nil {
					list = []device.Info{}
				}
				return writeJSON(cmd.OutOrStdout(), list)
			}
			return printDevices(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printDevices(w io.Writer, list []device.Info) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tSIZE\tSECTORS\tKIND\tMODEL\tDELETE\tID\tWRITE\tWHY NOT")
	for _, d := range list {
		write := "no"
		if d.Writable {
			write = "yes"
		}
		fmt.Fprintf(tw, "%s\t%s\t%d/%d\t%s\t%s\t%s\t%s\t%s\t%s\n", d.Name, units.FormatBytesApprox(float64(d.SizeBytes)),
			d.LogicalBlockBytes, d.PhysicalBlockBytes, kind(d), dash(model(d)), deleteText(d), dash(d.ID), write, d.Reason)
	}
	return tw.Flush()
}

func kind(d device.Info) string {
	if d.Rotational {
		return d.Kind + " (rotational)"
	}
	return d.Kind
}

func model(d device.Info) string { return strings.TrimSpace(d.Model + " " + d.Firmware) }

func deleteText(d device.Info) string {
	if !d.CanDelete() {
		return "no"
	}
	return "yes"
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return strings.Map(printable, s)
}
