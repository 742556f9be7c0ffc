package profiles

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/tunables"
	"github.com/iosweep/iosweep/tunables/command"
)

// The tables in this file and in vocabulary_job.go are the profile language:
// Parse reads by them and Schema is printed from them.

func profileKind() kind[Profile] {
	return simulatable(object(
		must(put("schema", "The version of this language: 1.", version(), func(p *Profile) *int { return &p.Schema })),
		must(put("name", "What results call this profile.", word(), func(p *Profile) *string { return &p.Name })),
		put("title", "One line for the head of a report.", text(), func(p *Profile) *string { return &p.Title }),
		put("about", "What the profile is for, and why its numbers were chosen.", text(), func(p *Profile) *string { return &p.About }),
		put("target", "What the target must be.", targetKind(), func(p *Profile) *Target { return &p.Target }),
		put("engine", "How I/O is issued: auto (the default), uring, portable, or sim:MODEL for a simulated disk.", engine(), func(p *Profile) *string { return &p.Engine }),
		put("tunables", "The knobs and the values to try.", list(tunableKind()), func(p *Profile) *[]Tunable { return &p.Tunables }),
		put("variants", "Sets of settings to try as they are listed, instead of the cross product of the tunables' values.", list(listedKind()), func(p *Profile) *[]Listed { return &p.Variants }),
		must(put("workloads", "What to measure, each workload in trials of its own.", list(workloadKind()), func(p *Profile) *[]Workload { return &p.Workloads })),
		must(put("measure", "How each trial is measured.", measureKind(), func(p *Profile) *Measure { return &p.Measure })),
		put("objective", "What is best, for one workload each.", list(objectiveKind()), func(p *Profile) *[]results.Objective { return &p.Objectives }),
		put("references", "Published figures to show beside the measured ones.", list(referenceKind()), func(p *Profile) *[]results.Reference { return &p.References }),
	), simulatedInProfile())
}

// version is the only version of the language so far.
func version() kind[int] {
	return scalar(schema{"const": 1}, func(s string) (int, error) {
		if s != "1" {
			return 0, fmt.Errorf("version %q is not known: write 1, or use an iosweep that knows it", shorten(s))
		}
		return 1, nil
	})
}

func targetKind() kind[Target] {
	return object(
		put("min_size", "The least size of the target.", amount(), func(t *Target) *int64 { return &t.MinBytes }),
		put("scratch_size", "The size of the scratch target made when none is named; 1GiB unless given.", amount(), func(t *Target) *int64 { return &t.ScratchBytes }),
		put("device", "true when a regular file will not do.", truth(), func(t *Target) *bool { return &t.Device }),
	)
}

// engine accepts the names of real engines and sim:MODEL.
func engine() kind[string] {
	pattern := `^(auto|uring|portable|sim:[a-z0-9._-]+)$`
	shape := regexp.MustCompile(pattern)
	return scalar(schema{"type": "string", "pattern": pattern}, func(s string) (string, error) {
		if !shape.MatchString(s) {
			return "", fmt.Errorf("%q is no engine: write auto, uring, portable or sim:MODEL", shorten(s))
		}
		return s, nil
	})
}

func tunableKind() kind[Tunable] {
	return object(
		must(put("name", "A name of the catalogue (iosweep tunables), an address such as sysfs:queue/nomerges, sysctl:NAME or module:MODULE/PARAMETER, or with command any name.",
			address(), func(t *Tunable) *string { return &t.Def.Name })),
		put("values", "The values to try, each in the tunable's own unit. Left out when variants are listed.", list(raw()), func(t *Tunable) *[]string { return &t.Values }),
		put("via", "Where the values act: auto (the kernel's knob where there is one, else iosweep's own layers), kernel, stack, or model.", choice(
			option[tunables.Via]{"auto", tunables.Auto}, option[tunables.Via]{"kernel", tunables.Kernel},
			option[tunables.Via]{"stack", tunables.Stack}, option[tunables.Via]{"model", tunables.Model},
		), func(t *Tunable) *tunables.Via { return &t.Via }),
		put("why", "Why these values.", text(), func(t *Tunable) *string { return &t.Why }),
		set("command", "Programs that read and write a knob that has no address; they run only with --allow-commands.", commandKind(),
			func(t *Tunable, c command.Spec) { t.Command = &c }),
	)
}

func commandKind() kind[command.Spec] {
	return object(
		must(put("get", "The program, by its absolute path, and its arguments; it prints the value.", list(text()), func(c *command.Spec) *[]string { return &c.Get })),
		must(put("set", "The program, by its absolute path, and its arguments; the value is added as the last one.", list(text()), func(c *command.Spec) *[]string { return &c.Set })),
	)
}

// address is a tunable's name; whether there is such a tunable is checked later.
func address() kind[string] {
	return scalar(schema{"type": "string", "minLength": 1, "maxLength": 255}, func(s string) (string, error) {
		if s == "" || len(s) > 255 || strings.ContainsAny(s, "\r\n= ") {
			return "", fmt.Errorf("name %q: write one word of at most 255 characters, without =", shorten(s))
		}
		return s, nil
	})
}

func listedKind() kind[Listed] {
	return object(
		must(put("label", "What reports call this variant.", text(), func(l *Listed) *string { return &l.Label })),
		must(set("settings", "The value of each tunable, by name; {} changes nothing.", settingsKind(), func(l *Listed, all []pair[string]) {
			for _, p := range all {
				l.Settings = append(l.Settings, tunables.Setting{Tunable: tunables.Tunable{Name: p.key}, Value: p.value})
			}
		})),
	)
}

func settingsKind() kind[[]pair[string]] {
	s := schema{"type": "object", "additionalProperties": raw().schema}
	return pairs(s, raw(), func(string) error { return nil })
}

func measureKind() kind[Measure] {
	return object(append(windowFields(),
		put("repeats", "How many blocks: each holds every trial once, in random order. 5 unless given; at least 6 for a 95 % interval of a median.", whole(1, 10_000), func(m *Measure) *int { return &m.Repeats }),
		set("repeat", "How many blocks, where that depends on what they show: measures until enough is known. Instead of repeats.", repeatKind(), func(m *Measure, r results.Repeat) { m.Repeat = &r }),
		set("seed", "Where the order of trials and the I/O come from; 1 unless given. The same seed gives the same plan.", integer(0, 1<<53-1), func(m *Measure, v int64) { m.Seed = uint64(v) }),
		put("retries", "How often a trial that came out invalid is repeated; 1 unless given.", whole(0, 100), func(m *Measure) *int { return &m.Retries }),
	)...)
}

// windowFields are the parts of measure that a workload may set for itself.
func windowFields() []field[Measure] {
	return []field[Measure]{
		put("warmup", "Driven before the measured window, and not counted.", duration(), func(m *Measure) *time.Duration { return &m.Warmup }),
		put("duration", "The length of the measured window; the most it may be beside ops or amount.", duration(), func(m *Measure) *time.Duration { return &m.Duration }),
		put("ops", "Ends the window after this many operations.", integer(1, 1<<53), func(m *Measure) *int64 { return &m.Ops }),
		put("amount", "Ends the window after this many bytes.", amount(), func(m *Measure) *int64 { return &m.Bytes }),
		put("settle", "Waited between applying settings and the warm-up.", duration(), func(m *Measure) *time.Duration { return &m.Settle }),
	}
}

func objectiveKind() kind[results.Objective] {
	return object(
		must(put("workload", "The workload that is judged.", word(), func(o *results.Objective) *string { return &o.Workload })),
		put("maximise", "The metric to make large: [JOB.][KIND.]QUANTITY, such as scrub.throughput.", metric(), func(o *results.Objective) *string { return &o.Maximise }),
		put("minimise", "The metric to make small, such as reads.p99.", metric(), func(o *results.Objective) *string { return &o.Minimise }),
		put("subject_to", "What must hold besides, such as reads.p99 <= 10ms or scrub.throughput >= 100MB/s.", list(limitKind()), func(o *results.Objective) *[]results.Limit { return &o.Limits }),
	)
}
