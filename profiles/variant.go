package profiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/tunables"
)

// asFound is the label of the variant that changes nothing.
const asFound = "as found"

// variants are the sets of settings that a workload is measured with, in the
// profile's order; the last tunable changes fastest.
func (p *Profile) variants(w Workload) []Variant {
	if len(p.Variants) > 0 {
		return listedVariants(p.Variants)
	}
	sets := [][]tunables.Setting{nil}
	for _, t := range p.Tunables {
		if slices.Contains(w.Vary, t.Def.Name) {
			sets = multiply(sets, t)
		}
	}
	var all []Variant
	for _, s := range sets {
		all = append(all, Variant{ID: variantID(s), Label: settingsLabel(s), Settings: s})
	}
	return all
}

func listedVariants(listed []Listed) []Variant {
	var all []Variant
	for _, l := range listed {
		all = append(all, Variant{ID: variantID(l.Settings), Label: l.Label, Settings: l.Settings})
	}
	return all
}

// multiply extends each set by each of the tunable's values.
func multiply(sets [][]tunables.Setting, t Tunable) [][]tunables.Setting {
	var out [][]tunables.Setting
	for _, s := range sets {
		for _, v := range t.Values {
			setting := tunables.Setting{Tunable: t.Def, Value: v, Via: t.Via}
			out = append(out, append(slices.Clone(s), setting))
		}
	}
	return out
}

// settingsLabel is a variant in words: delete_max_sectors=262144.
func settingsLabel(settings []tunables.Setting) string {
	var parts []string
	for _, s := range settings {
		parts = append(parts, s.Tunable.Name+"="+s.Tunable.Label(s.Value))
	}
	if len(parts) == 0 {
		return asFound
	}
	return strings.Join(parts, " ")
}

// variantID is ten hexadecimal digits of the SHA-256 of the settings, one
// "name=value via" a line in the order of their names: the order in which a
// profile lists them makes no difference.
func variantID(settings []tunables.Setting) string {
	var lines []string
	for _, s := range settings {
		lines = append(lines, fmt.Sprintf("%s=%s %s\n", s.Tunable.Name, s.Value, s.Via))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:5])
}
