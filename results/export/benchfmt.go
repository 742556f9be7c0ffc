package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/iosweep/iosweep/results"
)

// benchfmt writes the Go benchmark format. A trial is a line; its name has the
// workload, each tunable and the load point as sub-names, so that
// 'benchstat -col /delete_max_sectors' compares values; the run and the device
// are keys of their own.
func benchfmt(w io.Writer, set *results.Set) error {
	out := bufio.NewWriter(w)
	declared := map[string]bool{}
	for _, data := range set.Runs {
		if err := benchRun(out, data, declared); err != nil {
			return err
		}
	}
	return out.Flush()
}

func benchRun(out *bufio.Writer, data *results.RunData, declared map[string]bool) error {
	run := data.Run
	for _, f := range [][2]string{
		{"goos", run.Environment.OS}, {"goarch", run.Environment.Arch}, {"cpu", run.Environment.CPU}, {"kernel", run.Environment.Kernel},
		{"run", run.ID}, {"profile", run.Profile}, {"engine", run.Engine}, {"device", run.Device.Name}, {"device-model", run.Device.Model},
		{"device-firmware", run.Device.Firmware},
	} {
		// An empty value takes the key of the run before away.
		fmt.Fprintf(out, "%s: %s\n", f[0], strings.Join(strings.Fields(f[1]), " "))
	}
	labels := map[string]*results.Variant{}
	for i := range run.Variants {
		labels[run.Variants[i].ID] = &run.Variants[i]
	}
	for _, t := range data.Counted() {
		if err := benchLine(out, run, t, benchName(t, labels[t.Variant]), declared); err != nil {
			return err
		}
	}
	return nil
}

// benchLine writes one trial, and the units that are new before it.
func benchLine(out *bufio.Writer, run *results.Run, t *results.Trial, name string, declared map[string]bool) error {
	line := fmt.Sprintf("%s %d", name, max(1, operations(t)))
	figures := 0
	for _, m := range metrics(run, t.Workload) {
		r, err := m.Read(t)
		if err != nil {
			return err
		}
		if !r.Value.Valid {
			continue
		}
		unit := benchUnit(m)
		if !declared[unit] {
			declared[unit] = true
			fmt.Fprintf(out, "Unit %s better=%s\n", unit, better(m))
		}
		line += fmt.Sprintf(" %s %s", float(r.Value.V), unit)
		figures++
	}
	if figures > 0 {
		fmt.Fprintln(out, line)
	}
	return nil
}

func better(m results.MetricName) string {
	if m.HigherIsBetter() {
		return "higher"
	}
	return "lower"
}

// benchUnit is the metric's name and unit in one word: reader.p99-sec.
func benchUnit(m results.MetricName) string {
	suffix := map[results.Unit]string{results.Seconds: "sec", results.BytesPerSecond: "B/s", results.OpsPerSecond: "ops/s"}
	return word(m.String()) + "-" + suffix[m.Unit()]
}

// benchName is BenchmarkWorkload/tunable=value/load=depth_8.
func benchName(t *results.Trial, v *results.Variant) string {
	workload := []rune(word(t.Workload))
	if len(workload) > 0 {
		workload[0] = unicode.ToUpper(workload[0])
	}
	name := "Benchmark" + string(workload)
	for _, s := range v.Settings {
		name += "/" + word(s.Tunable) + "=" + word(s.Value)
	}
	return name + "/load=" + word(t.Load.String())
}

// word makes one word of a name: what parts names in the format becomes _. A
// hyphen at the end with a number would be read as GOMAXPROCS.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '/' || r == '-' || r == '=' {
			return '_'
		}
		return r
	}, s)
}

func operations(t *results.Trial) (n int64) {
	for _, j := range t.Jobs {
		for _, k := range j.Kinds {
			n += k.Ops
		}
	}
	return n
}
