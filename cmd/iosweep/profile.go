package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/profiles"
	"github.com/spf13/cobra"
)

// loadProfile reads a library profile or a file; what is wrong with it is a
// matter of usage.
func loadProfile(name string) (*profiles.Profile, error) {
	p, err := profiles.Load(name)
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	return p, nil
}

func newValidate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate PROFILE...",
		Short: "Check profiles without touching any device",
		Long: `Check that each profile, a file or the name of one in the library, can be
planned. Everything that is wrong is printed with its file, line and column;
the exit code is then 2.`,
		Example: "  iosweep validate my.yaml\n  iosweep validate quick segments",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				p, err := loadProfile(name)
				if err != nil {
					return err
				}
				plan, err := p.Plan(nil)
				if err != nil {
					return withCode(exitUsage, err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: ok: %s, %s, %s\n", name, count(len(plan.Variants), "variant"), count(len(p.Workloads), "workload"), count(len(plan.Trials), "trial"))
			}
			return nil
		},
	}
}

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of profiles, for editors",
		Example: `  iosweep schema > profile.schema.json
  # then, at the top of a profile:
  # yaml-language-server: $schema=profile.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", strings.TrimSpace(string(profiles.Schema())))
			return err
		},
	}
}

func newProfiles() *cobra.Command {
	return &cobra.Command{
		Use:     "profiles [NAME]",
		Short:   "List the library's profiles, or print one",
		Example: "  iosweep profiles\n  iosweep profiles quick > my.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				p, err := loadProfile(args[0])
				if err != nil {
					return err
				}
				_, err = io.WriteString(cmd.OutOrStdout(), p.Text)
				return err
			}
			return listProfiles(cmd.OutOrStdout())
		},
	}
}

func listProfiles(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, name := range profiles.Library() {
		p, err := loadProfile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(tw, "%s\t%s\n", name, p.Title)
	}
	return tw.Flush()
}

// planFlags are what shapes a plan beside its profile.
type planFlags struct {
	seed uint64
	json bool
}

func newPlan() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan PROFILE",
		Short: "Print what a profile would do, and change nothing",
		Long: `Print every trial in the order in which it would be measured, the time that
takes, the bytes it writes and deletes, and every knob it changes.`,
		Example: "  iosweep plan quick\n  iosweep plan my.yaml --seed 7 --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := loadProfile(args[0])
			if err != nil {
				return err
			}
			seed, err := seedFlag(cmd, f.seed)
			if err != nil {
				return err
			}
			plan, err := p.Plan(seed)
			if err != nil {
				return withCode(exitUsage, err)
			}
			if f.json {
				return printPlanJSON(cmd.OutOrStdout(), plan)
			}
			return printPlan(cmd.OutOrStdout(), plan)
		},
	}
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "seed of the order and of the I/O (default: the profile's)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// maxSeed is the largest seed that every reader of JSON keeps exactly.
const maxSeed = 1<<53 - 1

// seedFlag is the seed asked for on the command line, or nil.
func seedFlag(cmd *cobra.Command, seed uint64) (*uint64, error) {
	if !cmd.Flags().Changed("seed") {
		return nil, nil
	}
	if seed > maxSeed {
		return nil, withCode(exitUsage, fmt.Errorf("--seed %d: write at most %d, so that every reader of the results keeps it exactly", seed, uint64(maxSeed)))
	}
	return &seed, nil
}

// scratchBytes is the size of the scratch device that a profile asks for.
func scratchBytes(p *profiles.Profile) int64 {
	if p.Target.ScratchBytes > 0 {
		return p.Target.ScratchBytes
	}
	return 1 << 30
}

func printPlan(w io.Writer, plan *profiles.Plan) error {
	p := plan.Profile
	fmt.Fprintf(w, "%s\n\n", strings.TrimSuffix(p.Name+": "+p.Title, ": "))
	size := scratchBytes(p)
	cost := plan.Estimate(size)
	if named := p.NamedTargets(); len(named) > 0 {
		fmt.Fprintf(w, "targets  the first, %s\n", strings.Join(named, ", "))
	}
	fmt.Fprintf(w, "trials   %d in %s, seed %d\n", len(plan.Trials), count(p.Measure.Repeats, "randomised block"), plan.Seed)
	fmt.Fprintf(w, "time     about %s\n", units.FormatSeconds(cost.Time.Seconds()))
	about, assumed := "about", fmt.Sprintf(", assuming %s", units.FormatRate(profiles.EstimateBytesPerSecond))
	if cost.Bounded {
		about, assumed = "at most", ""
	}
	fmt.Fprintf(w, "writes   %s %s, on a target of %s%s\n", about, units.FormatBytesApprox(float64(cost.WriteBytes)), units.FormatBytes(size), assumed)
	fmt.Fprintf(w, "deletes  %s %s\n", about, units.FormatBytesApprox(float64(cost.DeleteBytes)))
	fmt.Fprintf(w, "knobs    %s\n\n", strings.Join(planKnobs(plan), ", "))
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(tw, "trial\tblock\tworkload\tvariant\tload\n")
	for _, t := range plan.Trials {
		fmt.Fprintf(tw, "%d\t%d\t%s\t%s\t%s\n", t.Index+1, t.Block+1, p.Workloads[t.Workload].Name, plan.Variants[t.Variant].Label, loadText(plan, t))
	}
	return tw.Flush()
}

func loadText(plan *profiles.Plan, t profiles.Trial) string {
	w := plan.Profile.Workloads[t.Workload]
	switch {
	case t.Load.Max:
		return "maximum"
	case w.Adaptive:
		return fmt.Sprintf("point %d of %d, where curves bend", slices.Index(w.Loads, t.Load), len(w.Loads)-1)
	case t.Load.Percent > 0:
		return fmt.Sprintf("%g%% of maximum", t.Load.Percent)
	case t.Load.Rate > 0:
		return fmt.Sprintf("%g/s", t.Load.Rate)
	case t.Load.Depth > 0:
		return fmt.Sprintf("depth %d", t.Load.Depth)
	}
	return "as the jobs say"
}

func printPlanJSON(w io.Writer, plan *profiles.Plan) error {
	type trial struct {
		Trial    int    `json:"trial"`
		Block    int    `json:"block"`
		Workload string `json:"workload"`
		Variant  string `json:"variant"`
		Load     string `json:"load"`
		Seed     uint64 `json:"seed"`
	}
	cost := plan.Estimate(scratchBytes(plan.Profile))
	out := struct {
		Profile     string   `json:"profile"`
		Seed        uint64   `json:"seed"`
		Seconds     float64  `json:"seconds"`
		WriteBytes  int64    `json:"write_bytes"`
		DeleteBytes int64    `json:"delete_bytes"`
		Bounded     bool     `json:"bounded"`
		Knobs       []string `json:"knobs"`
		Trials      []trial  `json:"trials"`
	}{plan.Profile.Name, plan.Seed, cost.Time.Seconds(), cost.WriteBytes, cost.DeleteBytes, cost.Bounded, planKnobs(plan), nil}
	for _, t := range plan.Trials {
		out.Trials = append(out.Trials, trial{t.Index + 1, t.Block + 1, plan.Profile.Workloads[t.Workload].Name, plan.Variants[t.Variant].Label, loadText(plan, t), t.Seed})
	}
	return writeJSON(w, out)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
