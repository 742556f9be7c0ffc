package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/tunables"
	"github.com/spf13/cobra"
)

func newRestore() *cobra.Command {
	var state string
	var force, atBoot, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Put back settings that an interrupted run left changed",
		Long: `Read the journals of runs that did not end and put every setting back. Doing it
twice does no harm. A setting that somebody else has changed since is reported
and left alone, and its journal kept; --force puts the journal's value back.`,
		Example: "  iosweep restore\n  iosweep restore --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := stateDir(state)
			if err != nil {
				return err
			}
			done, err := restoreAll(cmd.Context(), dir, force, atBoot)
			if asJSON {
				err = errors.Join(err, writeJSON(cmd.OutOrStdout(), done))
			} else {
				printRestored(cmd.OutOrStdout(), done)
			}
			return withCode(exitNotRestored, err)
		},
	}
	stateFlag(cmd.Flags(), &state)
	cmd.Flags().BoolVar(&force, "force", false, "put journalled values back even where somebody else changed the setting since")
	cmd.Flags().BoolVar(&atBoot, "at-boot", false, "leave what 'iosweep run --stage' wrote for this boot: 'run --resume' measures it and puts it back")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// restored is what became of one journal.
type restored struct {
	Device  string   `json:"device"`
	ID      string   `json:"id"`
	Done    []string `json:"restored"`
	Skipped []string `json:"skipped,omitempty"`
	Drifted []string `json:"drifted,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// restoreAll works through every journal; what fails does not stop the others.
func restoreAll(ctx context.Context, state string, force, atBoot bool) ([]restored, error) {
	if err := device.CleanStale(); err != nil && privileged() {
		return nil, fmt.Errorf("remove leftover scratch devices: %w", err)
	}
	left, err := tunables.Journals(state)
	if err != nil {
		return nil, err
	}
	if atBoot {
		left = slices.DeleteFunc(left, func(l tunables.Left) bool { return strings.HasPrefix(l.Device.ID, stagedPrefix) })
	}
	return restoreThese(ctx, state, restoreOptions{force: force, commands: true}, left)
}

// restoreOptions say how far restoring may go: commands lets journalled
// command: tunables run.
type restoreOptions struct{ force, commands bool }

// restoreThese works through journals; what fails does not stop the others.
func restoreThese(ctx context.Context, state string, o restoreOptions, left []tunables.Left) ([]restored, error) {
	present, err := device.List(ctx)
	if err != nil && !errors.Is(err, device.ErrUnsupported) {
		return nil, err
	}
	all := []restored{}
	var failed error
	for _, l := range left {
		if l.Live {
			all = append(all, restored{Device: l.Device.Name, ID: l.Device.ID, Done: []string{}, Notes: []string{"a run is at work on it and will restore it itself"}})
			continue
		}
		r, err := restoreOne(ctx, state, o, l, present)
		if err != nil {
			r.Error = err.Error()
			failed = errors.Join(failed, err)
		}
		all = append(all, r)
	}
	return all, failed
}

func restoreOne(ctx context.Context, state string, how restoreOptions, l tunables.Left, present []device.Info) (restored, error) {
	r := restored{Device: l.Device.Name, ID: l.Device.ID, Done: []string{}}
	if l.Err != nil && l.Device == (tunables.Identity{}) {
		// Nothing in it can be read, so there is no device to look for.
		return r, fmt.Errorf("journal %s: %w: compare it with the knobs by hand and then remove it", l.Path, l.Err)
	}
	o := tunables.HostOptions{StateDir: state, Device: l.Device, Force: how.force, AllowCommands: how.commands}
	// Names and numbers change; only the id says which device it was.
	o.Device.DevNum, o.Device.Dir = "", ""
	for _, info := range present {
		if info.ID == l.Device.ID && info.ID != "" {
			o.Device = identity(info)
		}
	}
	rec, err := recoverPatiently(ctx, o)
	for _, a := range rec.Restored {
		r.Done = append(r.Done, fmt.Sprintf("%s: %s, was %s", a.Tunable, a.Observed, a.Before))
	}
	for _, d := range rec.Drifted {
		r.Drifted = append(r.Drifted, d.String())
	}
	r.Skipped, r.Notes = rec.Skipped, rec.Notes
	if err == nil && len(r.Done)+len(r.Skipped)+len(r.Drifted)+len(r.Notes) == 0 {
		r.Notes = []string{"every setting was back already"}
	}
	return r, err
}

// restorePatience is how long a restore waits for another one (a watchdog's,
// or one that was killed and is not gone yet) to let go of the device.
const restorePatience = 10 * time.Second

func recoverPatiently(ctx context.Context, o tunables.HostOptions) (tunables.Recovery, error) {
	for end := time.Now().Add(restorePatience); ; time.Sleep(50 * time.Millisecond) {
		rec, err := tunables.Recover(ctx, o)
		if !errors.Is(err, tunables.ErrBusy) || time.Now().After(end) || ctx.Err() != nil {
			return rec, err
		}
	}
}

func printRestored(w io.Writer, all []restored) {
	if len(all) == 0 {
		fmt.Fprintln(w, "nothing to restore")
	}
	for _, r := range all {
		fmt.Fprintf(w, "%s (%s)\n", dash(r.Device), dash(r.ID))
		for _, group := range []struct {
			what  string
			lines []string
		}{{"restored", r.Done}, {"skipped", r.Skipped}, {"left alone", r.Drifted}, {"note", r.Notes}} {
			for _, line := range group.lines {
				fmt.Fprintf(w, "  %s  %s\n", group.what, line)
			}
		}
	}
}

// refusePending stops a run while an earlier one's settings are not restored.
// Those that the run with the id but has staged are meant to be in force.
func refusePending(state, but string) error {
	left, err := tunables.Journals(state)
	if err != nil {
		return withCode(exitNotRestored, fmt.Errorf("read the journals in %s: %w", state, err))
	}
	var lines []string
	for _, l := range left {
		if l.Live || but != "" && l.Device.ID == but {
			continue // another device's run: the claim keeps it off ours
		}
		if l.Err != nil {
			lines = append(lines, l.Err.Error())
		}
		lines = append(lines, l.Changes...)
	}
	if len(lines) > 0 {
		return fmt.Errorf("%w: %s: run 'iosweep restore' first", tunables.ErrPending, strings.Join(lines, "; "))
	}
	return nil
}
