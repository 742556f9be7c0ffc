package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/report/ci"
	"github.com/iosweep/iosweep/report/recommended"
	"github.com/iosweep/iosweep/results/recommendation"
	"github.com/spf13/cobra"
)

// recommendFlags are the options of iosweep recommend.
type recommendFlags struct {
	margin, format, out string
	weights             []string
	outputs             ciFlags
}

func newRecommend() *cobra.Command {
	var f recommendFlags
	cmd := &cobra.Command{
		Use:   "recommend RUN...",
		Short: "Name the value to use as default, on one device or over many",
		Long: `Name the value that best meets each objective of the runs' profiles. Of values
within the margin of the best the current default is preferred, and it is kept
where nothing is proven to be better. Over several
devices the default is the value whose worst loss, against the best value on the
same device, is least; models on which it surely loses more than the margin are
listed as exceptions. Exit code 4 means that no value can be recommended, or that
the answer cannot be told apart from other values.`,
		Example: `  iosweep recommend results/nvme results/sata results/hdd
  iosweep recommend results/* --margin 5% --format markdown --out default.md
  iosweep recommend results/* --junit default.xml --github-summary`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.margin, "margin", "3%", "relative loss that does not matter")
	fl.StringArrayVar(&f.weights, "weight", nil, "weight of a device model in the mean: `MODEL=NUMBER`")
	fl.StringVar(&f.format, "format", "text", "text, markdown or json")
	fl.StringVar(&f.out, "out", "", "`file` to write (default: the standard output)")
	f.outputs.flags(fl)
	return cmd
}

func (f *recommendFlags) run(out io.Writer, args []string) error {
	o, err := recommendOptions(f.margin, f.weights)
	if err != nil {
		return withCode(exitUsage, err)
	}
	write, ok := recommendFormats()[f.format]
	if !ok {
		return withCode(exitUsage, fmt.Errorf("--format %q: use text, markdown or json", f.format))
	}
	if err := f.outputs.check(); err != nil {
		return err
	}
	set, err := openRuns(args)
	if err != nil {
		return err
	}
	all, err := recommendation.Of(set, o)
	if err != nil {
		return withCode(exitUsage, err)
	}
	if f.out != "" {
		err = writeOutput(f.out, func(w io.Writer) error { return write(w, all) })
	} else {
		err = write(out, all)
	}
	if err != nil {
		return err
	}
	suite := ci.Recommended(all)
	if err := f.outputs.write(suite, suite.Markdown); err != nil {
		return err
	}
	return unanswered(all)
}

func recommendFormats() map[string]func(io.Writer, []recommendation.Recommendation) error {
	return map[string]func(io.Writer, []recommendation.Recommendation) error{
		"text": func(w io.Writer, all []recommendation.Recommendation) error {
			return recommended.Text(w, all, widthOf(w))
		},
		"markdown": recommended.Markdown, "json": recommended.JSON,
	}
}

func recommendOptions(margin string, weights []string) (o recommendation.Options, err error) {
	if o.Margin, err = marginShare(margin); err != nil {
		return o, err
	}
	o.Weights = map[string]float64{}
	for _, text := range weights {
		model, number, ok := strings.Cut(text, "=")
		weight, err := strconv.ParseFloat(number, 64)
		if !ok || model == "" || err != nil || !(weight >= 0 && weight < 1e9) {
			return o, fmt.Errorf("--weight %q: write MODEL=NUMBER, such as 'Samsung 840=3'", text)
		}
		o.Weights[model] = weight
	}
	return o, nil
}

// unanswered is the error of questions that have no answer, or one that nothing
// tells from others.
func unanswered(all []recommendation.Recommendation) error {
	for i := range all {
		if all[i].Default == "" || len(all[i].NotApart) > 0 {
			return withCode(exitInconclusive, fmt.Errorf("%s on %s: %s", strings.Join(all[i].Tunables, " and "), all[i].Goal.Workload, all[i].Sentence()))
		}
	}
	return nil
}
