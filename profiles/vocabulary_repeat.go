package profiles

import (
	"time"

	"github.com/iosweep/iosweep/results"
)

// What repeat says unless the profile does.
const (
	defaultRepeatMin    = 5
	defaultRepeatMax    = 40
	defaultRepeatMargin = 0.03
)

// repeatKind is the language of a measurement that ends when enough is known.
func repeatKind() kind[results.Repeat] {
	return object(
		put("min", "The least number of blocks; 5 unless given.", whole(1, 10_000), func(r *results.Repeat) *int { return &r.Min }),
		put("max", "The most blocks; 40 unless given.", whole(1, 10_000), func(r *results.Repeat) *int { return &r.Max }),
		must(set("until", "When to stop between min and max: decided, when each objective is, or its candidates are the same within the margin.",
			choice(option[string]{"decided", "decided"}), func(*results.Repeat, string) {})),
		put("margin", "The relative difference that does not matter; 3% unless given.", share(), func(r *results.Repeat) *float64 { return &r.Margin }),
		set("budget", "The time after which no further block is begun.", duration(), func(r *results.Repeat, d time.Duration) { r.BudgetSeconds = d.Seconds() }),
	)
}

// repeat checks measure.repeat and plans for its most blocks.
func (c *checker) repeat(m *Measure) {
	r := m.Repeat
	if r == nil {
		return
	}
	const path = "measure.repeat"
	if c.has("measure.repeats") {
		c.failPath("measure.repeats", "repeat says how many blocks: remove repeats")
	}
	for key, fill := range map[string]func(){
		".min":    func() { r.Min = defaultRepeatMin },
		".max":    func() { r.Max = max(defaultRepeatMax, r.Min) },
		".margin": func() { r.Margin = defaultRepeatMargin },
	} {
		if !c.has(path + key) {
			fill()
		}
	}
	if r.Max < r.Min {
		c.failPath(path+".max", "at most %d blocks, but at least %d: swap them", r.Max, r.Min)
	}
	if len(c.p.Objectives) == 0 {
		c.failPath(path+".until", "nothing can be decided without an objective: add one, or write repeats")
	}
	m.Repeats = r.Max
}
