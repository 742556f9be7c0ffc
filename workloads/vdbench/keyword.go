package vdbench

import (
	"slices"
	"strings"
)

// keyword is a parameter's name. One that is ignored says why it has no effect.
type keyword struct{ name, ignored string }

// keywords lists each section's, in the order in which abbreviations are tried.
func keywords(s section) []keyword {
	var list []keyword
	for _, name := range strings.Fields(used(s)) {
		list = append(list, keyword{name: name})
	}
	return append(list, ignored(s)...)
}

func used(s section) string {
	switch s {
	case general:
		return "compratio dedupratio dedupunit concatenatesds"
	case storage:
		return "lun count size threads hitarea offset align range"
	case workload:
		return "sd xfersize rdpct seekpct stride range hotband rhpct whpct skew iorate priority streams threads hitarea"
	}
	return "wd sd iorate curve stopcurve elapsed interval warmup maxdata distribution pause" +
		" forxfersize forthreads forrdpct forrhpct forwhpct forseekpct forhitarea forcompratio" +
		" xfersize threads rdpct rhpct whpct seekpct hitarea compratio"
}

func ignored(s section) []keyword {
	const (
		reports  = "it is for vdbench's own reports"
		commands = "no command is run"
	)
	flags := keyword{"openflags", "targets are always opened for direct I/O"}
	switch s {
	case run:
		return []keyword{flags, {"startcmd", commands}, {"endcmd", commands}}
	case storage, workload:
		return []keyword{flags}
	}
	return []keyword{
		{"data_errors", "a trial in which an operation fails is invalid, however few they are"},
		{"histogram", "latencies are always kept whole"},
		{"messagescan", "the kernel's log is not read"},
		{"monitor", reports}, {"startcmd", commands}, {"endcmd", commands},
		{"patterns", "data is random, compressed and deduplicated as asked"},
		{"report", reports},
		{"loop", "measure: repeats says how often all is measured"},
		{"formatxfersize", "nothing is formatted; prepare: [fill] writes the regions first"},
		{"validate", "verify: stamp in a workload does what it does"},
		{"journal", "verify: stamp keeps one, in the run's folder"},
		{"abort_failed_skew", "an offered rate that is missed makes its trial invalid"},
	}
}

// match finds the first keyword that the key, of two letters or more, begins.
// The words that begin a definition abbreviate nothing: rd is not rdpct.
func match(s section, key string) (keyword, bool) {
	if len(key) < 2 {
		return keyword{}, false
	}
	reserved := slices.Contains([]string{"sd", "wd", "rd", "fwd", "fsd", "hd", "host"}, key)
	for _, k := range keywords(s) {
		if k.name == key || (!reserved && strings.HasPrefix(k.name, key)) {
			return k, true
		}
	}
	return keyword{}, false
}
