package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/tunables"
	"github.com/spf13/cobra"
)

func newRestore() *cobra.Command {
	var state string
	var force, asJSON bool
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
			rec, err := tunables.Recover(cmd.Context(), tunables.HostOptions{StateDir: dir, Force: force})
			if asJSON {
				return errors.Join(err, writeJSON(cmd.OutOrStdout(), rec))
			}
			printRecovery(cmd, rec)
			if err != nil {
				return withCode(exitNotRestored, err)
			}
			return nil
		},
	}
	stateFlag(cmd.Flags(), &state)
	cmd.Flags().BoolVar(&force, "force", false, "put journalled values back even where somebody else changed the setting since")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// refusePending stops a run while an earlier one's settings are not restored.
func refusePending(ctx context.Context, state string) error {
	pending, err := tunables.Pending(ctx, tunables.HostOptions{StateDir: state})
	if err != nil {
		return withCode(exitNotRestored, fmt.Errorf("read the journal: %w", err))
	}
	if len(pending) > 0 {
		return fmt.Errorf("%w: %s: run 'iosweep restore' first", tunables.ErrPending, strings.Join(pending, "; "))
	}
	return nil
}
