package recommendation

import (
	"fmt"
	"math"
	"slices"

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
	r.entitle()
	best := r.choose(r.Devices)
	r.Default, r.Ties, r.NotApart, r.ByMean = best.value, best.ties, best.notApart, r.byMean()
	r.Decided = r.Decided && len(r.NotApart) == 0
	r.Reason = r.reason(best.reason)
	if r.Default != "" {
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
// not measure it, when it breaks a limit there, or when no value there leads, so
// that there is nothing to lose to.
func worst(devices []Device, value string) (float64, bool) {
	most := 0.0
	for _, d := range devices {
		g, ok := d.Regrets[value]
		if !ok || d.Best == "" || g.State == stats.Infeasible || !g.Center.Valid {
			return 1, false
		}
		most = max(most, g.Loss)
	}
	return most, true
}

// choice is a value, the ties that surely do as well within the margin, those that
// cannot be told apart from it, and which of its ties it is.
type choice struct {
	value          string
	ties, notApart []string
	reason         string
}

// choose finds the value of least worst regret and its ties, of which the
// preferred one is taken.
func (r *Recommendation) choose(devices []Device) (c choice) {
	leader, least := "", math.Inf(1)
	for _, v := range r.Values {
		if w, ok := worst(devices, v.Name); ok && w < least {
			leader, least = v.Name, w
		}
	}
	for _, v := range r.Values {
		_, ok := worst(devices, v.Name)
		switch {
		case !ok:
		case v.Name == leader, r.alike(devices, v.Name, least):
			c.ties = append(c.ties, v.Name)
		case r.mayTie(devices, v.Name, least):
			c.notApart = append(c.notApart, v.Name)
		}
	}
	if leader == "" {
		return c
	}
	c.value, c.reason = r.preferred(c.ties, devices)
	if standard := shared(devices); !slices.Contains(c.ties, standard) && unproven(devices, standard) {
		// Nothing proves that a change is worth it, nor that any other is as good.
		c = choice{value: standard, notApart: append(c.ties, c.notApart...), reason: "the default"}
	}
	others := func(t string) bool { return t == c.value }
	c.ties, c.notApart = slices.DeleteFunc(c.ties, others), slices.DeleteFunc(c.notApart, others)
	return c
}

// unproven says that a value was measured on every device, and is proven worse
// than the best on none.
func unproven(devices []Device, value string) bool {
	_, ok := worst(devices, value)
	return ok && !slices.ContainsFunc(devices, func(d Device) bool { return d.Regrets[value].Outcome == stats.Worse })
}

// alike says that on every device a value is the best, the same, or proven to
// lose no more than the margin beyond the least: by an interval that has the
// confidence.
func (r *Recommendation) alike(devices []Device, value string, least float64) bool {
	for _, d := range devices {
		g := d.Regrets[value]
		little := g.Outcome == stats.Worse && g.Hi.Valid && g.Hi.V <= least+r.Margin+1e-12
		if value != d.Best && g.Outcome != stats.Same && !little {
			return false
		}
	}
	return true
}

// mayTie says that no device tells a value from the one of least worst regret:
// its medians or its interval reach to the margin, and it is not proven worse.
func (r *Recommendation) mayTie(devices []Device, value string, least float64) bool {
	for _, d := range devices {
		g := d.Regrets[value]
		reaches := g.Loss <= least+r.Margin || g.Lo.Valid && g.Lo.V <= least+r.Margin
		if !reaches || g.Outcome == stats.Worse && g.Loss > least {
			return false
		}
	}
	return true
}

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
func (r *Recommendation) reason(preferred string) string {
	text := "it is the best"
	switch {
	case r.Default == "" && len(r.Devices) > 1:
		return "no value was measured on every device and keeps to the limits on all of them"
	case r.Default == "" && !r.Decided:
		return "no value is known to keep to the limits"
	case r.Default == "":
		return "no value keeps to the limits"
	case len(r.Ties) > 0:
		text = "it is " + preferred + ", and as good within the margin as " + r.labels(r.Ties)
	case preferred == "the default" && len(r.NotApart) > 0:
		text = "it is the default"
	case len(r.Devices) > 1:
		text = "its worst loss over the devices is the least"
	case len(r.NotApart) > 0:
		text = "its median is the best"
	}
	if len(r.NotApart) > 0 {
		text += ", but it cannot be told apart from " + r.labels(r.NotApart) + ": not decided"
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
		own := r.choose(devices).value
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
				r.ask("measure %s on %s: it was not, and so cannot be the default", v.Label, d.Title)
			case !g.Center.Valid:
				r.ask("%s on %s has no valid figure: measure it again", v.Label, d.Title)
			case g.State == stats.Unclear:
				r.ask("whether %s keeps to the limits on %s is not decided: measure more blocks", v.Label, d.Title)
			case g.Outcome == stats.Undecided && g.State != stats.Infeasible:
				r.ask("how %s compares with %s on %s is not decided: measure more blocks", v.Label, r.Label(d.Best), d.Title)
			}
		}
	}
}

func (r *Recommendation) ask(format string, a ...any) {
	if line := fmt.Sprintf(format, a...); !slices.Contains(r.Open, line) {
		r.Open = append(r.Open, line)
	}
}

// Sentence is the answer in one line, such as "262144 everywhere; 0 for Samsung
// 840".
func (r *Recommendation) Sentence() string {
	if r.Default == "" {
		return "no value can be recommended: " + r.Reason
	}
	text := r.Label(r.Default)
	if len(r.Devices) > 1 {
		text += " everywhere"
	}
	for _, e := range r.Exceptions {
		text += fmt.Sprintf("; %s for %s", r.Label(e.Value), e.Model)
	}
	if !r.Decided {
		text += " (not all is decided)"
	}
	return text
}
