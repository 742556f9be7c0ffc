package main

import (
	"fmt"
	"io"
	"strconv"
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
	var table strings.Builder
	tw := tabwriter.NewWriter(&table, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tSIZE\tSECTORS\tKIND\tMODEL\tDELETE\tID\tWRITE")
	ready, absent := setUp(list)
	for _, d := range ready {
		write := "no"
		if d.Writable {
			write = "yes"
		}
		fmt.Fprintf(tw, "%s\t%s\t%d/%d\t%s\t%s\t%s\t%s\t%s\n", d.Name, units.FormatBytesApprox(float64(d.SizeBytes)),
			d.LogicalBlockBytes, d.PhysicalBlockBytes, kind(d), dash(model(d)), deleteText(d), dash(d.ID), write)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	rows := strings.SplitAfter(table.String(), "\n")
	for i, row := range rows {
		if _, err := io.WriteString(w, row); err != nil {
			return err
		}
		if i > 0 && i <= len(ready) && ready[i-1].Reason != "" {
			fmt.Fprintln(w, "    "+wrap("why not: "+dash(ready[i-1].Reason), proseWidth, "      "))
		}
	}
	if absent != "" {
		fmt.Fprintln(w, absent)
	}
	return nil
}

// setUp parts the devices that have a capacity from those that have none, which
// are named in one line, empty without any.
func setUp(list []device.Info) (ready []device.Info, absent string) {
	var names []string
	for _, d := range list {
		if d.SizeBytes > 0 {
			ready = append(ready, d)
		} else {
			names = append(names, d.Name)
		}
	}
	if len(names) > 0 {
		absent = wrap(strings.Join(folded(names), ", ")+": not set up", proseWidth, "  ")
	}
	return ready, absent
}

// folded writes names that differ by consecutive numbers as one: loop0-7.
func folded(names []string) (out []string) {
	for i := 0; i < len(names); {
		stem, first, numbered := numberedName(names[i])
		end := i + 1
		for numbered && end < len(names) && names[end] == stem+strconv.Itoa(first+end-i) {
			end++
		}
		if end == i+1 {
			out = append(out, dash(names[i]))
		} else {
			out = append(out, fmt.Sprintf("%s-%d", dash(names[i]), first+end-i-1))
		}
		i = end
	}
	return out
}

// numberedName parts loop7 into loop and 7.
func numberedName(name string) (stem string, n int, ok bool) {
	stem = strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(stem):])
	return stem, n, err == nil
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
	return clean(s)
}
