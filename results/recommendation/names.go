package recommendation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// preferred is the default if it is among the ties, else the nearest to it, else
// the first; and which of these it is.
func (r *Recommendation) preferred(ties []string, devices []Device) (value, reason string) {
	standard := shared(devices)
	switch {
	case standard == "":
		return ties[0], "the first of the profile, as no one default is known"
	case slices.Contains(ties, standard):
		return standard, "the default"
	}
	if at := number(standard); !math.IsNaN(at) && !slices.ContainsFunc(ties, func(t string) bool { return math.IsNaN(number(t)) }) {
		nearest := slices.MinFunc(ties, func(a, b string) int { return cmp.Compare(away(at, number(a)), away(at, number(b))) })
		return nearest, "the nearest to the default, " + r.Label(standard)
	}
	if at := r.place(standard); at >= 0 {
		nearest := slices.MinFunc(ties, func(a, b string) int { return distance(r.place(a), at) - distance(r.place(b), at) })
		return nearest, "the nearest in the profile to the default, " + r.Label(standard)
	}
	return ties[0], "the first of the profile, as the default, " + r.Label(standard) + ", was not measured"
}

// shared is the default that all devices have, or "".
func shared(devices []Device) string {
	for _, d := range devices {
		if d.Current != devices[0].Current {
			return ""
		}
	}
	return devices[0].Current
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// away is how far a number is from another: by ratio where there is one, so that
// zero, which often means no limit, is farthest.
func away(at, n float64) float64 {
	switch {
	case at <= 0:
		return math.Abs(n - at)
	case n <= 0:
		return math.Inf(1)
	}
	return math.Abs(math.Log(n / at))
}

func (r *Recommendation) place(value string) int {
	return slices.IndexFunc(r.Values, func(v Value) bool { return v.Name == value })
}

func distance(a, b int) int { return max(a-b, b-a) }

// Label is how people know a value.
func (r *Recommendation) Label(value string) string {
	if at := r.place(value); at >= 0 {
		return r.Values[at].Label
	}
	return value
}

func (r *Recommendation) labels(values []string) string {
	var all []string
	for _, v := range values {
		all = append(all, r.Label(v))
	}
	return strings.Join(all, ", ")
}

// value is a variant's value of what is varied: bare where that is one tunable.
func (r *Recommendation) value(run *results.Run, variant string) Value {
	at := slices.IndexFunc(run.Variants, func(v results.Variant) bool { return v.ID == variant })
	if at < 0 {
		return Value{Name: variant, Label: variant}
	}
	var names, labels []string
	for _, s := range run.Variants[at].Settings {
		if len(r.Tunables) == 1 && s.Tunable == r.Tunables[0] {
			return Value{Name: s.Value, Label: s.Text()}
		}
		names, labels = append(names, s.Tunable+"="+s.Value), append(labels, s.Tunable+"="+s.Text())
	}
	if len(names) == 0 {
		return Value{Name: run.Variants[at].Label, Label: run.Variants[at].Label}
	}
	return Value{Name: strings.Join(names, " "), Label: strings.Join(labels, " ")}
}

// entitle gives each device a title that no other has: its model, and more where
// models are alike.
func (r *Recommendation) entitle() {
	models := map[string]int{}
	for _, d := range r.Devices {
		models[d.Model]++
	}
	for i := range r.Devices {
		d := &r.Devices[i]
		d.Title = d.Model
		if models[d.Model] > 1 {
			d.Title += " (" + cmp.Or(d.ID, "run "+d.Run) + ")"
		}
	}
}
