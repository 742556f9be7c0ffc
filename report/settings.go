package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// settingsOf lists the settings that a workload compares, in the order of their
// values. Variants whose settings all read back alike are one setting.
func settingsOf(run *results.Run, w results.Workload, trials []*results.Trial) []Setting {
	readBack := readBacks(trials)
	var out []Setting
	at := map[string]int{}
	for _, v := range run.Variants {
		if !compares(v, w, readBack[v.ID] != nil) {
			continue
		}
		key := signature(v, readBack[v.ID])
		if i, ok := at[key]; ok {
			out[i].variants = append(out[i].variants, v.ID)
			out[i].Label += " = " + labelOf(v, readBack[v.ID])
			continue
		}
		at[key] = len(out)
		out = append(out, Setting{Label: labelOf(v, readBack[v.ID]), key: key, variants: []string{v.ID}, values: v.Settings, texts: textsOf(v, readBack[v.ID])})
	}
	orderByValue(out)
	for i := range out {
		out[i].Style = i
	}
	return out
}

// compares says whether a workload measures a variant: it has trials of it, or
// the variant sets just what the workload varies.
func compares(v results.Variant, w results.Workload, measured bool) bool {
	if measured {
		return true
	}
	if len(v.Settings) != len(w.Varies) {
		return false
	}
	for _, s := range v.Settings {
		if !slices.Contains(w.Varies, s.Tunable) {
			return false
		}
	}
	return true
}

// readBacks collects what each variant's settings read back as, by variant and
// tunable. A variant that was measured has an entry even without settings.
func readBacks(trials []*results.Trial) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, t := range trials {
		seen := out[t.Variant]
		if seen == nil {
			seen = map[string]string{}
			out[t.Variant] = seen
		}
		for _, a := range t.Settings {
			if a.Observed != "" {
				seen[a.Tunable] = a.Observed
			}
		}
	}
	return out
}

// signature is equal for variants that read back alike.
func signature(v results.Variant, readBack map[string]string) string {
	var b strings.Builder
	for _, s := range v.Settings {
		value := s.Value
		if seen, ok := readBack[s.Tunable]; ok {
			value = seen
		}
		b.WriteString(s.Tunable + "\x00" + value + "\x00")
	}
	if len(v.Settings) == 0 {
		return v.ID
	}
	return b.String()
}

// textsOf are the values of a variant as people know them, each with what was in
// force instead where that was another.
func textsOf(v results.Variant, readBack map[string]string) []string {
	var out []string
	for _, s := range v.Settings {
		out = append(out, s.InForce(readBack[s.Tunable]))
	}
	return out
}

// labelOf is the value alone where a variant has one setting, its label
// otherwise; a value that was not in force is never named without the one that
// was.
func labelOf(v results.Variant, readBack map[string]string) string {
	if len(v.Settings) == 1 && v.Settings[0].Text() != "" {
		return v.Settings[0].InForce(readBack[v.Settings[0].Tunable])
	}
	label := v.Label
	if label == "" {
		label = v.ID
	}
	for _, s := range v.Settings {
		if seen := readBack[s.Tunable]; seen != "" && seen != s.Value {
			label += " (" + s.Tunable + " in force: " + seen + ")"
		}
	}
	return label
}

// orderByValue sorts settings of one tunable by their numbers, no limit last,
// or where they are not all numbers leaves them in the profile's order.
func orderByValue(settings []Setting) {
	for _, s := range settings {
		if _, ok := s.rank(); !ok {
			return
		}
	}
	slices.SortStableFunc(settings, func(a, b Setting) int {
		x, _ := a.rank()
		y, _ := b.rank()
		return cmp.Compare(x, y)
	})
}

// rank is the number that a setting of one tunable stands for.
func (s Setting) rank() (float64, bool) {
	if len(s.values) != 1 {
		return 0, false
	}
	if s.values[0].Unlimited() {
		return math.Inf(1), true
	}
	n, err := strconv.ParseInt(s.values[0].Value, 0, 64)
	return float64(n), err == nil
}
