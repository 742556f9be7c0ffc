package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results/stats"
)

// sentence words a judgement into a verdict.
type sentence struct {
	v        *Verdict
	j        *stats.Judgement
	settings map[string]Setting
	defaults map[string]string
	margin   float64
	named    map[string]bool // the variants that the sentence has named
}

// text sets the outcome and returns the sentence.
func (s sentence) text() string {
	lead, measured := s.find(s.j.Leader), false
	for i := range s.j.Standings {
		measured = measured || s.j.Standings[i].State != stats.Unclear || s.j.Standings[i].Value.N > 0
	}
	head := s.v.Tunable
	if s.v.Tunable != s.v.Workload {
		head += " on " + s.v.Workload
	}
	if s.v.Load != "" {
		head += " at " + s.v.Load
	}
	if limits := limitsText(s.j.Objective); limits != "" {
		head += ", subject to " + limits
	}
	var parts []string
	switch {
	case !measured:
		s.v.Outcome = Empty
		parts = []string{"no valid trial has the figures: no verdict"}
	case lead == nil:
		parts = append(s.noLeader(), s.excluded()...)
	default:
		parts = append(s.claim(lead), s.excluded()...)
		parts = append(parts, s.others()...)
		parts[len(parts)-1] += " (" + basis(lead.Value) + ")"
	}
	return head + ": " + strings.Join(parts, "; ") + "."
}

func (s sentence) find(variant string) *stats.Standing {
	for i := range s.j.Standings {
		if variant != "" && s.j.Standings[i].Variant == variant {
			return &s.j.Standings[i]
		}
	}
	return nil
}

// noLeader says that nothing meets the limits.
func (s sentence) noLeader() []string {
	s.v.Outcome = None
	if s.j.Decided {
		return []string{"no value meets the limits"}
	}
	var lack []string
	for i := range s.j.Standings {
		if r := &s.j.Standings[i]; r.Leaning == stats.Feasible && r.Missing > 0 {
			lack = append(lack, s.name(r)+" in "+lackText(r))
		}
	}
	if len(lack) > 0 {
		s.v.Outcome = Undecided
		return []string{"undecided: no value that meets the limits has " + s.j.Metric.String() + " in all of its trials; it is missing for " + strings.Join(lack, ", ")}
	}
	return []string{"no value meets the limits in its median, though that is not proven of all"}
}

// claim names the leader, and whether that is proven or what stands against it.
func (s sentence) claim(lead *stats.Standing) []string {
	s.v.Best, s.v.Outcome = s.name(lead), Decided
	word := "highest"
	if s.j.Objective.Minimise != "" {
		word = "lowest"
	}
	what := fmt.Sprintf("%s has the %s %s, %s", s.name(lead), word, s.j.Metric, s.figure(lead).withSpread())
	alike := s.alike(lead)
	if len(alike) > 1 {
		what = s.tie(alike, word)
	}
	if !s.j.Decided {
		s.v.Outcome = Undecided
		what = "undecided: " + what
	}
	parts := []string{what}
	parts = append(parts, s.rivals(lead)...)
	if lead.State != stats.Feasible {
		parts = append(parts, "that it meets the limits is not proven")
	}
	return append(parts, s.margins(lead)...)
}

// alike are the leader and those that are as good within the margin, in order.
func (s sentence) alike(lead *stats.Standing) []*stats.Standing {
	var all []*stats.Standing
	for i := range s.j.Standings {
		if r := &s.j.Standings[i]; r == lead || s.isAlike(r) && lead.State == stats.Feasible {
			all = append(all, r)
		}
	}
	return all
}

func (s sentence) isAlike(r *stats.Standing) bool {
	return r.Against != nil && r.Against.Outcome == stats.Same && r.State == stats.Feasible
}

// tie names one of several that are alike: the value in force before, which
// needs no change, or else the first.
func (s sentence) tie(alike []*stats.Standing, word string) string {
	named, why := alike[0], "the first in order"
	for _, r := range alike {
		if s.isDefault(s.settings[r.Variant]) {
			named, why = r, "the value in force before"
		}
	}
	var others []string
	for _, r := range alike {
		if r != named {
			others = append(others, s.name(r)+" with "+s.figure(r).withSpread())
		}
	}
	s.v.Best = s.name(named)
	return fmt.Sprintf("%s has the %s %s within %.3g %%, %s, and is named as %s; alike are %s",
		s.v.Best, word, s.j.Metric, 100*s.margin, s.figure(named).withSpread(), why, strings.Join(others, ", "))
}

// rivals are those that are not proven to be worse. Where their intervals all
// lie apart it is only the trials that are too few, or figures that are missing.
func (s sentence) rivals(lead *stats.Standing) []string {
	if len(s.j.Ties) == 0 {
		return nil
	}
	var near, far, lacking []string
	for _, id := range s.j.Ties {
		r := s.find(id)
		if lead.State == stats.Feasible && s.isAlike(r) {
			continue
		}
		if r.Missing > 0 {
			lacking = append(lacking, s.name(r)+" with "+s.figure(r).withSpread()+" in "+lackText(r))
		} else if overlap(lead.Value, r.Value) {
			near = append(near, s.name(r)+" with "+s.figure(r).withSpread())
		} else {
			far = append(far, s.name(r)+" with "+s.figure(r).withSpread())
		}
	}
	var parts []string
	if len(near) > 0 {
		parts = append(parts, "it cannot be told from "+strings.Join(near, ", "))
	}
	if len(far) > 0 {
		parts = append(parts, fmt.Sprintf("its interval lies clear of %s, but %d trials each are too few to prove it", strings.Join(far, ", "), lead.Value.N))
	}
	if len(lacking) > 0 {
		parts = append(parts, "nothing is proven where trials lack the figure: "+strings.Join(lacking, ", "))
	}
	return parts
}

// lackText is "4 of 7 trials (why)".
func lackText(r *stats.Standing) string {
	return fmt.Sprintf("%d of %d trials (%s)", r.Missing, r.Trials, r.Reasons[0])
}

func overlap(a, b stats.Summary) bool {
	return a.N < 2 || b.N < 2 || a.Lo <= b.Hi && b.Lo <= a.Hi
}

// margins set a proven leader against the next best and against the value that
// was in force before.
func (s sentence) margins(lead *stats.Standing) []string {
	var next, before *stats.Standing
	for i := range s.j.Standings {
		r := &s.j.Standings[i]
		if r == lead || r.Against == nil || r.Against.Outcome != stats.Worse || r.Leaning == stats.Infeasible {
			continue
		}
		if next == nil || (r.Value.Center > next.Value.Center) == (s.j.Objective.Maximise != "") {
			next = r
		}
		if s.isDefault(s.settings[r.Variant]) {
			before = r
		}
	}
	var parts []string
	if next != nil {
		if s.v.Best != s.name(lead) {
			parts = append(parts, "the best median of them is that of "+s.name(lead))
		}
		parts = append(parts, fmt.Sprintf("%s %s with %s, p = %.2g corrected for %s", marginText(s.figure(lead), s.figure(next)),
			s.name(next), s.figure(next).withSpread(), next.Against.PAdjusted.V, several(len(s.j.Standings)-1, "comparison")))
	}
	if before != nil && before != next {
		parts = append(parts, fmt.Sprintf("%s %s, the value in force before", marginText(s.figure(lead), s.figure(before)), s.name(before)))
	}
	return parts
}

func (s sentence) isDefault(set Setting) bool {
	for _, v := range set.values {
		if s.defaults[v.Tunable] != v.Value {
			return false
		}
	}
	return len(set.values) > 0
}

// excluded tells which settings do not meet the limits, and why.
func (s sentence) excluded() []string {
	var parts []string
	said := "" // the metric that the last part names, which the next need not
	for i := range s.j.Standings {
		r := &s.j.Standings[i]
		k := slices.IndexFunc(r.Limits, func(l stats.LimitStanding) bool { return l.Leaning == stats.Infeasible })
		if k < 0 {
			continue
		}
		l := &r.Limits[k]
		if l.Limit.Metric == said && len(l.Reasons) == 0 {
			parts = append(parts, s.name(r)+" with "+figureOf(quantityOf(said), l.Value).withSpread())
			continue
		}
		said = l.Limit.Metric
		parts = append(parts, s.name(r)+", whose "+missedText(l))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"outside the limits: " + strings.Join(parts, ", ")}
}

func missedText(l *stats.LimitStanding) string {
	f := figureOf(quantityOf(l.Limit.Metric), l.Value)
	if len(l.Reasons) > 0 {
		return fmt.Sprintf("%s was at least %s (%s)", l.Limit.Metric, f.Text, l.Reasons[0])
	}
	return l.Limit.Metric + " was " + f.withSpread()
}

func (s sentence) name(r *stats.Standing) string {
	s.named[r.Variant] = true
	return s.settings[r.Variant].Label
}

// others name the values that are in no other part, so that none is missed.
func (s sentence) others() []string {
	var worse, lacking, rest []string
	for i := range s.j.Standings {
		switch r := &s.j.Standings[i]; {
		case s.named[r.Variant]:
		case r.Value.N == 0:
			lacking = append(lacking, s.name(r))
		case r.Against != nil && r.Against.Outcome == stats.Worse:
			worse = append(worse, s.withBound(r))
		default:
			rest = append(rest, s.withBound(r))
		}
	}
	var parts []string
	for _, g := range []struct {
		what string
		who  []string
	}{{"proven worse too: ", worse}, {"not judged against it: ", rest}, {"without the figure: ", lacking}} {
		if len(g.who) > 0 {
			parts = append(parts, g.what+strings.Join(g.who, ", "))
		}
	}
	return parts
}

// withBound is a name, with the figure where that is only a bound.
func (s sentence) withBound(r *stats.Standing) string {
	if f := s.figure(r); f.AtLeast || f.AtMost {
		return s.name(r) + " with " + f.Text
	}
	return s.name(r)
}

// figure is a standing's value: a bound where some trials had none of the figure
// and counted with theirs. It says of how many trials it is where others have
// more.
func (s sentence) figure(r *stats.Standing) Figure {
	f := figureOf(s.j.Metric.Quantity, r.Value)
	if r.Missing > r.Trials-r.Value.N {
		f = f.bound(s.j.Metric.Quantity)
	}
	most := 0
	for i := range s.j.Standings {
		most = max(most, s.j.Standings[i].Trials)
	}
	if r.Value.N < most {
		f = f.ofFewer(most)
	}
	return f
}

// several is a number of things.
func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// marginText is "12 % above that of" or "2.4 times that of".
func marginText(a, b Figure) string {
	if b.Median == 0 || a.Median == 0 {
		return "against"
	}
	r := a.Median / b.Median
	switch {
	case r >= 2:
		return fmt.Sprintf("%.3g times that of", r)
	case r >= 1:
		return fmt.Sprintf("%.2g %% above that of", 100*(r-1))
	case r > 0.5:
		return fmt.Sprintf("%.2g %% below that of", 100*(1-r))
	}
	return fmt.Sprintf("%.3g times less than that of", 1/r)
}

// basis says what the claim stands on.
func basis(s stats.Summary) string {
	switch {
	case s.N < 2:
		return "one trial each, which decides nothing"
	case s.Range:
		return fmt.Sprintf("in brackets: the range over %d trials", s.N)
	}
	return "in brackets: the " + intervalText(s.N)
}

// withSpread is the figure with its interval in brackets.
func (f Figure) withSpread() string {
	if f.Spread == "" {
		return f.Text
	}
	return f.Text + " [" + f.Spread + "]"
}
