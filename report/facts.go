package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
)

// DeviceName is the device of a run in a few words, marked where it is a model
// or was slowed as one.
func DeviceName(run *results.Run) string {
	if run.Simulated {
		return deviceName(run.Device, true)
	}
	return marked(deviceName(run.Device, false), origin(run))
}

// deviceName is the device in a few words.
func deviceName(d results.Device, simulated bool) string {
	name := strings.TrimSpace(d.Model)
	if name == "" {
		name = strings.TrimSpace(d.Kind + " " + d.Name)
	}
	if simulated {
		return name + " (a model, not measured)"
	}
	if d.SizeBytes > 0 {
		name += ", " + units.FormatBytesApprox(float64(d.SizeBytes))
	}
	if d.Scratch {
		name += " (scratch)"
	}
	return name
}

// machine lists what is known of the machine and the device of a run.
func machine(run *results.Run) []Fact {
	d, e := run.Device, run.Environment
	facts := []Fact{
		{"device", deviceName(d, run.Simulated)},
		{"device id", d.ID},
		{"firmware", d.Firmware},
		{"sectors", sectors(d)},
		{"deletes", deletes(run)},
		{"backing", d.Backing},
		{"system", strings.TrimSpace(e.OS + " " + e.Kernel + " " + e.Arch)},
		{"host", e.Hostname},
		{"processors", processors(e)},
		{"governor", e.Governor},
		{"clock", e.Clock},
		{"virtualisation", e.Virtual},
	}
	if e.Memory > 0 {
		facts = append(facts, Fact{"memory", units.FormatBytesApprox(float64(e.Memory))})
	}
	var knobs []string
	for name := range d.Settings {
		knobs = append(knobs, name)
	}
	slices.Sort(knobs)
	for _, name := range knobs {
		facts = append(facts, Fact{"before the run: " + name, d.Settings[name]})
	}
	for _, t := range run.NamedTargets {
		name := "target " + t.Target
		facts = append(facts, Fact{name, deviceName(t.Device, run.Simulated)}, Fact{name + ": id", t.Device.ID}, Fact{name + ": firmware", t.Device.Firmware})
	}
	return known(facts)
}

func processors(e results.Environment) string {
	if e.CPUs == 0 {
		return "" // a model's run depends on no machine
	}
	return strings.TrimSpace(strconv.Itoa(e.CPUs) + " × " + e.CPU)
}

// known drops facts without a value.
func known(facts []Fact) []Fact {
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Value == "" })
}

func sectors(d results.Device) string {
	text := units.FormatBytes(d.LogicalBlockBytes) + " logical"
	if d.PhysicalBlockBytes > 0 {
		text += ", " + units.FormatBytes(d.PhysicalBlockBytes) + " physical"
	}
	if d.Rotational {
		text += ", rotational"
	}
	return text
}

// deletes is empty for a model, which takes what it is modelled to take.
func deletes(run *results.Run) string {
	d := run.Device
	switch {
	case d.DeleteMaxBytes == 0 && run.Simulated:
		return ""
	case d.DeleteMaxBytes == 0:
		return "not offered by the device"
	}
	return fmt.Sprintf("at most %s at once, in units of %s",
		units.FormatBytesApprox(float64(d.DeleteMaxBytes)), units.FormatBytes(d.DeleteGranularityBytes))
}

// method says how a run was measured and what its figures are.
func method(data *results.RunData) []Fact {
	run := data.Run
	window := ""
	if len(data.Trials) > 0 {
		t := data.Trials[0]
		window = fmt.Sprintf("%s after a warm-up of %s in the first trial; rates use each trial's real window",
			show("max", t.WindowSeconds), show("max", t.WarmupSeconds))
	}
	begun, tool := run.ID+", begun "+run.Started.UTC().Format("2006-01-02 15:04:05 UTC"), "iosweep "+run.Tool
	if run.Started.IsZero() {
		begun, tool = run.ID+", which has the same bytes whenever and wherever it is made", ""
	}
	note := strings.TrimSpace(run.EngineNote)
	if note == strings.TrimSpace(run.Device.Backing) {
		note = "" // a model's note is what backs it, which stands with the device
	}
	return known([]Fact{
		{"run", begun},
		{"tool", tool},
		{"engine", strings.TrimSpace(run.Engine + " " + inBrackets(note))},
		{"order", fmt.Sprintf("%s, every variant once in each, seed %d", several(run.Repeats, "randomised block"), run.Seed)},
		{"measured window", window},
		{"figures", "medians over valid trials; beside them the range, or with at least " + strconv.Itoa(minForInterval) + " trials the 95 % interval of the median by order statistics"},
		{"verdicts", alikeText(run)},
		{"latency", "each operation from issue to completion (service) or, with an offered rate, from when it was due (response); percentiles within a trial, never across trials"},
		{"units", "kB, MB, GB are powers of 1000; KiB, MiB, GiB powers of 1024"},
		{"trials", fmt.Sprintf("%d stored of %d planned", len(data.Trials), run.Planned)},
	})
}

// cite is how to refer to a run: what, on what, with what, when and which.
func cite(data *results.RunData) string {
	run := data.Run
	text := "iosweep"
	if run.Tool != "" {
		text += " " + run.Tool
	}
	text += `, profile "` + run.Profile + `" on ` + marked(deviceName(run.Device, false), origin(run))
	if system := strings.TrimSpace(run.Environment.OS + " " + run.Environment.Kernel); system != "" {
		text += ", " + system
	}
	if !run.Started.IsZero() {
		text += ", " + run.Started.UTC().Format("2006-01-02")
	}
	text += fmt.Sprintf(", seed %d, run %s", run.Seed, run.ID)
	if data.Sum != "" {
		text += ", SHA-256 of trials.jsonl " + data.Sum
	}
	return text + "."
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// again is the command that makes a run again.
func again(run *results.Run) string {
	args := run.Args
	if len(args) == 0 {
		args = []string{"run", run.Profile}
		if run.Simulated {
			args = append(args, "--engine", run.Engine)
		}
	}
	text := "iosweep"
	for _, a := range args {
		text += " " + quoted(a)
	}
	if !slices.Contains(args, "--seed") {
		text += " --seed " + strconv.FormatUint(run.Seed, 10)
	}
	return text
}

// quoted is an argument as a shell takes it.
func quoted(arg string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !safe(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
