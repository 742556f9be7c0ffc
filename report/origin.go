package report

import (
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// origin says what the figures of a run are of, where that is not a device as it
// is: a model, or real I/O held back as a model of a disk would have been.
func origin(run *results.Run) string {
	if run.Simulated {
		return "a model, not measured"
	}
	if _, model, ok := strings.Cut(run.Engine, "+slow-as:"); ok {
		return "real I/O slowed as " + model
	}
	return ""
}

// origins is the origin of a set: empty where all its runs measured a device as
// it is.
func origins(set *results.Set) string {
	var all []string
	plain := false
	for _, r := range set.Runs {
		switch text := origin(r.Run); {
		case text == "":
			plain = true
		case !slices.Contains(all, text):
			all = append(all, text)
		}
	}
	text := strings.Join(all, "; ")
	if text != "" && plain {
		return "in part: " + text
	}
	return text
}

// marked ends a text with an origin, where there is one.
func marked(text, origin string) string {
	if origin == "" {
		return text
	}
	return text + " [" + origin + "]"
}
