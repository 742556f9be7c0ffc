package report

import (
	"slices"
	"strings"
)

// shorten gives every setting the shortest name that tells it from the others
// of its workload: where all set the same tunables, the values alone under the
// tunables' names, without those that never differ.
func shorten(settings []Setting) (key string) {
	for i := range settings {
		settings[i].Short = settings[i].Label
	}
	if len(settings) < 2 || len(settings[0].values) < 2 || !alike(settings) {
		return ""
	}
	var names []string
	parts := make([][]string, len(settings))
	for k, v := range settings[0].values {
		if slices.IndexFunc(settings, func(s Setting) bool { return s.values[k].Value != v.Value }) < 0 {
			continue
		}
		names = append(names, v.Tunable)
		for i := range settings {
			parts[i] = append(parts[i], settings[i].texts[k])
		}
	}
	for i := range settings {
		if len(settings[i].variants) == 1 {
			settings[i].Short = strings.Join(parts[i], " · ")
		}
	}
	return strings.Join(names, " · ")
}

// alike says that all settings set the same tunables in the same order.
func alike(settings []Setting) bool {
	names := func(s Setting) (out []string) {
		for _, v := range s.values {
			out = append(out, v.Tunable)
		}
		return out
	}
	first := names(settings[0])
	return slices.IndexFunc(settings, func(s Setting) bool { return !slices.Equal(names(s), first) }) < 0
}
