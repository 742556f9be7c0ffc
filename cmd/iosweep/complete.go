package main

import (
	"strings"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/results/export"
	"github.com/iosweep/iosweep/runners/sim"
	"github.com/iosweep/iosweep/tunables"
	"github.com/spf13/cobra"
)

// completeShells tells the shell's completion what the arguments and the
// options of the commands may be.
func completeShells(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "run", "plan", "validate", "profiles":
			c.ValidArgsFunction = completeProfiles
		case "tunables":
			c.ValidArgsFunction = completeTunables
		}
		for name, complete := range map[string]cobra.CompletionFunc{
			"engine": completeEngines, "slow-as": fixed(sim.Models()), "target": completeTargets,
			"theme": fixed([]string{string(report.Paper), string(report.Slide)}),
		} {
			register(c, name, complete)
		}
		switch c.Name() {
		case "export":
			register(c, "format", fixed(export.Formats()))
		case "compare":
			register(c, "format", fixed([]string{"text", "markdown", "csv", "json"}))
		case "recommend":
			register(c, "format", fixed([]string{"text", "markdown", "json"}))
		}
	}
}

// register completes an option of a command, where it has that option.
func register(c *cobra.Command, name string, complete cobra.CompletionFunc) {
	if c.Flags().Lookup(name) == nil {
		return
	}
	if err := c.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // only a second registration fails
	}
}

// fixed completes to words that do not depend on the machine.
func fixed(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completeProfiles offers the library, and files: a profile may be either.
func completeProfiles(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && c.Name() != "validate" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if c.Name() == "profiles" {
		return profiles.Library(), cobra.ShellCompDirectiveNoFileComp
	}
	return profiles.Library(), cobra.ShellCompDirectiveDefault
}

func completeTunables(_ *cobra.Command, args []string, _ string) (words []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, t := range tunables.All() {
		words = append(words, cobra.CompletionWithDesc(t.Name, t.Summary))
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func completeEngines(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := []string{"auto", "uring", "portable"}
	for _, m := range sim.Models() {
		words = append(words, simulated+m)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeTargets offers the devices that are set up, and files.
func completeTargets(c *cobra.Command, _ []string, _ string) (words []string, _ cobra.ShellCompDirective) {
	list, err := device.List(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, d := range list {
		if d.SizeBytes > 0 {
			words = append(words, cobra.CompletionWithDesc(d.Path, strings.TrimSpace(d.Kind+" "+model(d))))
		}
	}
	return words, cobra.ShellCompDirectiveDefault
}
