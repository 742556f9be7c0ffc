package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan writes the manual's pages, for packages. It is hidden: people read
// them with man(1).
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write a manual page of each command into a folder",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder of the manual: %w", err)
			}
			return writeMan(cmd.Root(), args[0])
		},
	}
}

func writeMan(cmd *cobra.Command, dir string) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(manPage(cmd)), 0o644); err != nil {
		return fmt.Errorf("write manual page: %w", err)
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			if err := writeMan(sub, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// manPage is a page in the macros of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	title := strings.ToUpper(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"iosweep\" \"iosweep\"\n.SH NAME\n%s \\- %s\n", title, roff(cmd.CommandPath()), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(strings.TrimSpace(long)))
	if cmd.HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n")
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { b.WriteString(manOption(f)) })
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(&b, ".SH %q\n%s\n", strings.ToUpper(sub.CommandPath()), roff(sub.Short))
		}
	}
	return b.String()
}

func manOption(f *pflag.Flag) string {
	if f.Hidden {
		return ""
	}
	value, usage := pflag.UnquoteUsage(f)
	return fmt.Sprintf(".TP\n.B \\-\\-%s %s\n%s\n", roff(f.Name), roff(value), roff(usage))
}

// roff escapes what the formatter would take for itself.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
