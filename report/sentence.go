package report

import (
	"fmt"
	"strings"
)

// sentence words a verdict.
type sentence struct {
	v        *Verdict
	metric   string
	more     bool
	defaults map[string]string
}

// noneMet says that no setting meets the limits and why the best does not.
func (s sentence) noneMet(missed []candidate) {
	best := missed[0]
	for _, c := range missed[1:] {
		if c.over(best, s.more) {
			best = c
		}
	}
	s.v.Outcome = None
	s.v.Sentence = fmt.Sprintf("%s: no value meets the limits (%s); %s has the best %s, %s, but its %s.",
		s.v.Tunable, s.v.Goal, best.name(), s.metric, best.goal.withSpread(), best.missed)
}

// compare names the best of those that meet the limits, and whether it stands
// apart from the others.
func (s sentence) compare(met, missed []candidate) {
	best := 0
	for i := range met {
		if met[i].over(met[best], s.more) {
			best = i
		}
	}
	lead := met[best]
	var rivals []candidate
	for i, c := range met {
		if i != best && !s.apart(lead.goal, c.goal) {
			rivals = append(rivals, c)
		}
	}
	s.v.Best = lead.row.Setting.Label
	parts := []string{s.opening(lead, rivals)}
	parts = append(parts, s.against(lead, met, best, rivals)...)
	if !lead.sure {
		s.v.Outcome = Undecided
		parts = append(parts, "its interval crosses a limit, so that it meets the limits is not sure")
	}
	parts = append(parts, excluded(missed)...)
	s.v.Sentence = s.v.Tunable + ": " + strings.Join(parts, "; ") + " (" + basis(lead.goal.N) + ")."
}

// opening is the claim.
func (s sentence) opening(lead candidate, rivals []candidate) string {
	word := "highest"
	if !s.more {
		word = "lowest"
	}
	if len(rivals) > 0 {
		s.v.Outcome = Undecided
		return fmt.Sprintf("undecided: %s has the %s %s, %s, but cannot be told from %s",
			lead.name(), word, s.metric, lead.goal.withSpread(), names(rivals))
	}
	s.v.Outcome = Ahead
	return fmt.Sprintf("%s has the %s %s, %s", lead.name(), word, s.metric, lead.goal.withSpread())
}

// against gives the margin over the next setting and over the value that was in
// force before.
func (s sentence) against(lead candidate, met []candidate, best int, rivals []candidate) []string {
	var parts []string
	var next *candidate
	for i := range met {
		if i != best && (next == nil || met[i].over(*next, s.more)) {
			next = &met[i]
		}
	}
	if next != nil && len(rivals) == 0 {
		parts = append(parts, fmt.Sprintf("%s %s with %s", marginText(lead.goal, next.goal), next.name(), next.goal.withSpread()))
	}
	for i, c := range met {
		if i != best && (next == nil || c.name() != next.name()) && s.isDefault(c) && s.apart(lead.goal, c.goal) {
			parts = append(parts, fmt.Sprintf("%s %s, the value in force before", marginText(lead.goal, c.goal), c.name()))
		}
	}
	return parts
}

func (s sentence) isDefault(c candidate) bool {
	for _, v := range c.row.Setting.values {
		if s.defaults[v.Tunable] != v.Value {
			return false
		}
	}
	return len(c.row.Setting.values) > 0
}

// apart says that two intervals do not overlap and that there is more than one
// trial on each side. A lower bound has no upper end.
func (s sentence) apart(a, b Figure) bool {
	switch {
	case a.N < 2 || b.N < 2:
		return false
	case s.more:
		return a.Low > b.High && !b.AtLeast
	}
	return a.High < b.Low && !a.AtLeast
}

// marginText is "12 % above" or "2.4 times".
func marginText(a, b Figure) string {
	if b.Median == 0 || a.Median == 0 {
		return "against"
	}
	r := a.Median / b.Median
	switch {
	case r >= 2:
		return fmt.Sprintf("%.3g times that of", r)
	case r >= 1:
		return fmt.Sprintf("%.2g %% above", 100*(r-1))
	case r > 0.5:
		return fmt.Sprintf("%.2g %% below", 100*(1-r))
	}
	return fmt.Sprintf("%.3g times less than", 1/r)
}

// excluded tells which settings do not meet the limits.
func excluded(missed []candidate) []string {
	if len(missed) == 0 {
		return nil
	}
	var parts []string
	for _, c := range missed {
		parts = append(parts, c.name()+", whose "+c.missed)
	}
	return []string{"outside the limits: " + strings.Join(parts, "; ")}
}

// basis says what the claim stands on.
func basis(n int) string {
	if n < 2 {
		return "one trial each, which decides nothing"
	}
	if n < minForInterval {
		return fmt.Sprintf("in brackets: the range over %d trials", n)
	}
	return fmt.Sprintf("in brackets: %s", intervalText(n))
}

func names(cs []candidate) string {
	var out []string
	for _, c := range cs {
		out = append(out, c.name()+" with "+c.goal.withSpread())
	}
	return strings.Join(out, ", ")
}

// withSpread is the figure with its interval in brackets.
func (f Figure) withSpread() string {
	if f.Spread == "" {
		return f.Text
	}
	return f.Text + " [" + f.Spread + "]"
}
