package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/workloads/vdbench"
)

// target finds a job's, and adds it where it is new.
func (w *writer) target(j vdbench.Job) *target {
	at := slices.IndexFunc(w.targets, func(t target) bool { return t.lun == j.Path })
	if at < 0 {
		at = len(w.targets)
		t := target{lun: j.Path}
		if at > 0 {
			t.name = w.called(word(j.Storage))
		}
		w.targets = append(w.targets, t)
	}
	return &w.targets[at]
}

// called is a name that no other target has.
func (w *writer) called(base string) string {
	name := base
	for n := 2; slices.ContainsFunc(w.targets, func(t target) bool { return t.name == name }); n++ {
		name = fmt.Sprintf("%s-%d", base[:min(len(base), 56)], n)
	}
	return name
}

// flags are what names the targets on the command line.
func (w *writer) flags() string {
	var list []string
	for _, t := range w.targets {
		if t.name != "" {
			list = append(list, "--target "+t.name+"="+t.lun)
		} else {
			list = append(list, "--target "+t.lun)
		}
	}
	return strings.Join(list, " ")
}

// sizes says how large the first target must be, and a scratch device of each.
func (w *writer) sizes() string {
	least, most := sectors(w.targets[0].ends), int64(0)
	for _, t := range w.targets {
		most = max(most, sectors(t.ends))
	}
	var keys []string
	if least > 0 {
		keys = append(keys, "min_size: "+units.FormatBytes(least))
	}
	if most > max(least, profiles.DefaultScratchBytes) {
		keys = append(keys, "scratch_size: "+units.FormatBytes(most))
	}
	if len(keys) == 0 {
		return ""
	}
	return "target: {" + strings.Join(keys, ", ") + "}\n"
}

// sectors rounds an amount up to whole ones.
func sectors(bytes int64) int64 { return (bytes + 511) / 512 * 512 }
