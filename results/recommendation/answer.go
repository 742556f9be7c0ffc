package recommendation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// answer works the recommendation out from its devices.
func (r *Recommendation) answer() {
	r.Decided = true
	for _, d := range r.Devices {
		r.Decided = r.Decided && d.Decided
	}
	for i := range r.Values {
		r.Values[i].over(r.Devices)
	}
	best, ties := r.choose(r.Devices)
	r.Default, r.ByMean = best, r.byMean()
	for _, t := range ties {
		if r.surelyGood(best) && r.surelyGood(t) {
			r.Ties = append(r.Ties, t)
		} else {
			r.NotApart = append(r.NotApart, t)
		}
	}
	r.Reason = r.reason()
	if best != "" {
		r.exceptions()
	}
	r.open()
}

// over sums a value up over the devices.
func (v *Value) over(devices []Device) {
	worst, sum, weights := 0.0, 0.0, 0.0
	v.Everywhere = true
	for _, d := range devices {
		g, ok := d.Regrets[v.Name]
		if !ok {
			v.Everywhere = false
			continue
		}
		worst = max(worst, g.Loss)
		sum, weights = sum+d.Weight*g.Loss, weights+d.Weight
	}
	v.Worst = results.Some(worst)
	if weights > 0 {
		v.Mean = results.Some(sum / weights)
	}
}

// worst is a value's greatest regret over devices; false when one of them did
// not measure it, or when it breaks a limit there.
func worst(devices []Device, value string) (float64, bool) {
	most := 0.0
	for _, d := range devices {
		g, ok := d.Regrets[value]
		if !ok || g.State == stats.Infeasible || !g.Center.Valid {
			return 1, false
		}
		most = max(most, g.Loss)
	}
	return most, true
}

// choose finds the value of least worst regret, and those within the margin of
// it, of which the preferred one is taken.
func (r *Recommendation) choose(devices []Device) (value string, ties []string) {
	least := math.Inf(1)
	for _, v := range r.Values {
		if w, ok := worst(devices, v.Name); ok && w < least {
			least = w
		}
	}
	for _, v := range r.Values {
		if w, ok := worst(devices, v.Name); ok && w <= least+r.Margin && r.alike(devices, v.Name, least) {
			ties = append(ties, v.Name)
		}
	}
	if len(ties) == 0 {
		return "", nil
	}
	value = r.preferred(ties, devices)
	return value, slices.DeleteFunc(ties, func(t string) bool { return t == value })
}

// alike says that a value is as good as the one of least worst regret: either it
// is that one, or no device has it proven worse by more than the margin.
func (r *Recommendation) alike(devices []Device, value string, least float64) bool {
	w, _ := worst(devices, value)
	if w == least {
		return true
	}
	for _, d := range devices {
		g := d.Regrets[value]
		if g.Hi.Valid && g.Hi.V > least+r.Margin+1e-12 && g.Outcome != stats.Same && g.Outcome != "" {
			return false
		}
	}
	return true
}

// surelyGood says that on every device a value is the best, the same, or proven
// to lose no more than the margin: by an interval that has the confidence.
func (r *Recommendation) surelyGood(value string) bool {
	for _, d := range r.Devices {
		g := d.Regrets[value]
		little := g.Outcome == stats.Worse && g.Hi.Valid && g.Hi.V <= r.Margin
		if value != d.Best && g.Outcome != stats.Same && !little {
			return false
		}
	}
	return true
}

// preferred is the current default if it is among the ties, else the nearest to
// it in the profile's order, else the first.
func (r *Recommendation) preferred(ties []string, devices []Device) string {
	current := devices[0].Current
	if current == "" {
		return ties[0]
	}
	at := r.place(current)
	return slices.MinFunc(ties, func(a, b string) int { return distance(r.place(a), at) - distance(r.place(b), at) })
}

func (r *Recommendation) place(value string) int {
	return slices.IndexFunc(r.Values, func(v Value) bool { return v.Name == value })
}

func distance(a, b int) int { return max(a-b, b-a) }

func (r *Recommendation) byMean() string {
	best, least := "", math.Inf(1)
	for _, v := range r.Values {
		if _, ok := worst(r.Devices, v.Name); ok && v.Mean.Valid && v.Mean.V < least {
			best, least = v.Name, v.Mean.V
		}
	}
	return best
}

// reason says in words why the default is the answer.
func (r *Recommendation) reason() string {
	switch {
	case r.Default == "" && len(r.Devices) > 1:
		return "no value was measured on every device and keeps to the limits on all of them"
	case r.Default == "":
		return "no value keeps to the limits"
	case len(r.Ties)+len(r.NotApart) == 0 && len(r.Devices) > 1:
		return "its worst loss over the devices is the least"
	case len(r.Ties)+len(r.NotApart) == 0:
		return "it is the best"
	}
	why := "it is the nearest to the current default, or the first of the profile"
	if r.Default == r.Devices[0].Current {
		why = "it is the current default"
	}
	return why + r.others()
}

// others says how those that are not worse stand to the default.
func (r *Recommendation) others() (text string) {
	if len(r.Ties) > 0 {
		text += ", and as good within the margin as " + strings.Join(r.Ties, ", ")
	}
	if len(r.NotApart) > 0 {
		text += ", and not told apart from " + strings.Join(r.NotApart, ", ")
	}
	return text
}

// exceptions are the models on which the default surely loses more than the
// margin, and a value that does not.
func (r *Recommendation) exceptions() {
	byModel := map[string][]Device{}
	var models []string
	for _, d := range r.Devices {
		if byModel[d.Model] == nil {
			models = append(models, d.Model)
		}
		byModel[d.Model] = append(byModel[d.Model], d)
	}
	for _, model := range models {
		devices := byModel[model]
		if !slices.ContainsFunc(devices, func(d Device) bool { return r.surelyLoses(d) }) {
			continue
		}
		own, _ := r.choose(devices)
		loss, _ := worst(devices, r.Default)
		if own != "" && own != r.Default {
			r.Exceptions = append(r.Exceptions, Exception{Model: model, Value: own, Loss: loss})
		}
	}
}

func (r *Recommendation) surelyLoses(d Device) bool {
	g := d.Regrets[r.Default]
	return g.Outcome == stats.Worse && g.Lo.Valid && g.Lo.V > r.Margin
}

// open lists what more measurement could change.
func (r *Recommendation) open() {
	for _, d := range r.Devices {
		for _, v := range r.Values {
			g, measured := d.Regrets[v.Name]
			switch {
			case !measured:
				r.ask("measure %s on %s: it was not, and so cannot be the default", v.Name, d.Model)
			case !g.Center.Valid:
				r.ask("%s on %s has no valid figure: measure it again", v.Name, d.Model)
			case g.State == stats.Unclear:
				r.ask("whether %s keeps to the limits on %s is not decided: measure more blocks", v.Name, d.Model)
			case g.Outcome == stats.Undecided && g.State != stats.Infeasible:
				r.ask("how %s compares with %s on %s is not decided: measure more blocks", v.Name, d.Best, d.Model)
			}
		}
	}
}

func (r *Recommendation) ask(format string, a ...any) {
	r.Open = append(r.Open, fmt.Sprintf(format, a...))
}

// Sentence is the answer in one line, such as "262144 everywhere; 0 for Samsung
// 840".
func (r *Recommendation) Sentence() string {
	if r.Default == "" {
		return "no value can be recommended: " + r.Reason
	}
	text := r.Default
	if len(r.Devices) > 1 {
		text += " everywhere"
	}
	for _, e := range r.Exceptions {
		text += fmt.Sprintf("; %s for %s", e.Value, e.Model)
	}
	if !r.Decided {
		text += " (not all is decided)"
	}
	return text
}
