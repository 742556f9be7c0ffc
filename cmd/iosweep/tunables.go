package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/tunables"
	"github.com/spf13/cobra"
)

func newTunables() *cobra.Command {
	var path, state string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tunables [NAME]",
		Short: "List the tunables, or explain one; with --target show a device's values",
		Example: `  iosweep tunables
  iosweep tunables bioq_batchsize
  iosweep tunables --target /dev/nvme0n1 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := chosen(args)
			if err != nil {
				return err
			}
			rows, err := tunableRows(cmd.Context(), list, path, state)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return writeJSON(cmd.OutOrStdout(), rows)
			case len(args) == 1:
				return explain(cmd.OutOrStdout(), list[0], rows[0])
			}
			return printTunables(cmd.OutOrStdout(), rows, path != "")
		},
	}
	cmd.Flags().StringVar(&path, "target", "", "device whose values to show")
	stateFlag(cmd.Flags(), &state)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func chosen(args []string) ([]tunables.Tunable, error) {
	if len(args) == 0 {
		return tunables.All(), nil
	}
	t, ok := tunables.Lookup(args[0])
	if !ok {
		return nil, withCode(exitUsage, fmt.Errorf("tunable %q is not known: 'iosweep tunables' lists them; any other knob is named by address, such as sysfs:queue/nomerges", args[0]))
	}
	return []tunables.Tunable{t}, nil
}

// tunableRow is one tunable as it stands on this system and target.
type tunableRow struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Doc     string   `json:"doc,omitempty"`
	Traps   []string `json:"traps,omitempty"`
	Default string   `json:"default,omitempty"`
	// Scale is the bytes in one of the unit, where values may be written in bytes.
	Scale    int64    `json:"scale,omitempty"`
	Unit     string   `json:"unit,omitempty"`
	Source   string   `json:"source,omitempty"`
	Address  string   `json:"address,omitempty"`
	Stack    bool     `json:"stack"`
	Disturbs []string `json:"disturbs,omitempty"`
	Current  string   `json:"current,omitempty"`
	Possible []string `json:"possible,omitempty"`
	Range    string   `json:"range,omitempty"`
	Writable bool     `json:"writable"`
	Note     string   `json:"note,omitempty"`
}

func tunableRows(ctx context.Context, list []tunables.Tunable, path, state string) ([]tunableRow, error) {
	host, err := lookHost(path, state)
	if err != nil {
		return nil, err
	}
	rows := make([]tunableRow, len(list))
	for i, t := range list {
		rows[i] = tunableRow{Name: t.Name, Summary: t.Summary, Doc: strings.TrimSpace(t.Doc), Traps: t.Traps, Default: t.Default, Scale: t.UnitBytes, Unit: t.Unit, Source: t.Source, Stack: t.Stack, Disturbs: t.Disturbs, Range: rangeText(t)}
		if knob, ok := t.Knob(runtime.GOOS); ok {
			rows[i].Address = knob.Address
		}
		if host != nil && rows[i].Address != "" {
			rows[i].look(ctx, host, t)
		}
	}
	if host != nil {
		return rows, host.Close()
	}
	return rows, nil
}

// lookHost opens the knobs of a device for reading, or nil without a device.
func lookHost(path, state string) (*tunables.Host, error) {
	if path == "" {
		return nil, nil
	}
	info, err := device.Inspect(path)
	if err != nil {
		return nil, missing(err)
	}
	if info.IsFile() {
		return nil, withCode(exitUnsupported, fmt.Errorf("%s is a file: only block devices have the kernel's knobs", path))
	}
	dir, err := stateDir(state)
	if err != nil {
		return nil, err
	}
	return tunables.NewHost(tunables.HostOptions{StateDir: dir, Device: identity(info)})
}

func (r *tunableRow) look(ctx context.Context, host *tunables.Host, t tunables.Tunable) {
	v, err := host.Current(ctx, t)
	switch {
	case errors.Is(err, tunables.ErrUnsupported):
		r.Note = "not on this device"
	case err != nil:
		r.Note = err.Error()
	default:
		r.Current, r.Possible, r.Writable, r.Note = v.Current, v.Possible, v.Writable, v.Note
	}
}

func rangeText(t tunables.Tunable) string {
	if t.Type != tunables.Integer {
		return ""
	}
	return fmt.Sprintf("%d to %d", t.Min, t.Max)
}

func printTunables(w io.Writer, rows []tunableRow, values bool) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	if values {
		fmt.Fprintln(tw, "NAME\tUNIT\tCURRENT\tPOSSIBLE\tHERE\tNOTE")
	} else {
		fmt.Fprintln(tw, "NAME\tUNIT\tHERE\tWHAT IT DOES")
	}
	for _, r := range rows {
		if values {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, dash(r.Unit), dash(r.Current), dash(possible(r)), where(r), r.Note)
			continue
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Name, dash(r.Unit), where(r), r.Summary)
	}
	return tw.Flush()
}

func possible(r tunableRow) string {
	if len(r.Possible) > 0 {
		return strings.Join(r.Possible, " ")
	}
	return r.Range
}

// where says how the tunable is applied on this system.
func where(r tunableRow) string {
	switch {
	case r.Address != "" && r.Stack:
		return r.Address + ", or iosweep's layer"
	case r.Address != "":
		return r.Address
	case r.Stack:
		return "iosweep's layer"
	}
	return "-"
}

func explain(w io.Writer, t tunables.Tunable, r tunableRow) error {
	fmt.Fprintf(w, "%s\n\n", wrap(t.Name+": "+t.Summary, proseWidth, ""))
	if r.Doc != "" {
		fmt.Fprintf(w, "%s\n\n", wrap(r.Doc, proseWidth, ""))
	}
	if len(t.Traps) > 0 {
		fmt.Fprintln(w, "Traps:")
		for _, trap := range t.Traps {
			fmt.Fprintln(w, wrap("- "+trap, proseWidth, "  "))
		}
		fmt.Fprintln(w)
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, row := range [][2]string{
		{"unit", r.Unit}, {"range", r.Range}, {"default", t.Default}, {"here", where(r)}, {"disturbs", strings.Join(t.Disturbs, ", ")},
		{"source", t.Source}, {"current", r.Current}, {"possible", strings.Join(r.Possible, " ")}, {"note", r.Note},
	} {
		if row[1] != "" {
			fmt.Fprintf(tw, "%s\t%s\n", row[0], row[1])
		}
	}
	return tw.Flush()
}
