package main

import "github.com/iosweep/iosweep/internal/privilege"

// stepDown gives up the capabilities that a run does not need, before anything
// of the command line or a profile is looked into. A run whose operator lets
// commands run keeps what it has: nobody knows what they need.
func stepDown(args []string) error {
	cmd, rest, err := newRoot().Find(args)
	if err != nil || cmd.Name() != "run" || cmd.ParseFlags(rest) != nil {
		return nil // execute says what is wrong
	}
	if commands, err := cmd.Flags().GetBool("allow-commands"); commands || err != nil {
		return err
	}
	return privilege.Drop(privilege.Kept())
}
