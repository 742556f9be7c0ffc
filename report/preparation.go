package report

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
)

// Preparation is what was done to the target before one trial, or several alike.
type Preparation struct {
	// Before names the trials' settings, Trials counts them.
	Before string
	Trials int
	// Purged, Filled and Took are amounts and a time with their units; what was
	// not done is a dash.
	Purged, Filled, Took string
	// Rounds are the rounds of random overwriting, in order, and Verdict whether
	// they came to be steady; both are empty where there were none.
	Rounds, Verdict string

	least, most float64 // seconds
}

// preparation lists what was done before the place's trials. Trials that were
// prepared without rounds are told together, since they differ in time only.
func (p *place) preparation() []Preparation {
	var out []Preparation
	alike := map[string]int{}
	for _, s := range p.settings {
		for _, load := range p.loads {
			c := p.cells[cellKey{s.key, load.String()}]
			if c == nil {
				continue
			}
			for _, t := range c.last {
				if t.Prepared == nil {
					continue
				}
				row := prepared(t.Prepared)
				row.Before = s.Short
				key := row.Before + row.Purged + row.Filled
				if i, ok := alike[key]; ok && row.Rounds == "" {
					out[i].add(row)
					continue
				}
				alike[key] = len(out)
				out = append(out, row)
			}
		}
	}
	return out
}

// add counts another trial that was prepared alike.
func (p *Preparation) add(o Preparation) {
	p.Trials++
	p.least, p.most = min(p.least, o.least), max(p.most, o.most)
	p.Took = show("max", p.least) + " to " + show("max", p.most)
}

func prepared(p *results.Preparation) Preparation {
	row := Preparation{Trials: 1, Purged: amount(p.DeletedBytes), Filled: amount(p.FilledBytes), Took: show("max", p.Seconds), least: p.Seconds, most: p.Seconds}
	s := p.Steadiness
	if s == nil {
		return row
	}
	values := make([]string, len(s.Rounds))
	for i, v := range s.Rounds {
		values[i] = show(s.Quantity, v)
	}
	row.Rounds = fmt.Sprintf("%s in rounds of %s: %s", s.Quantity, show("max", s.RoundSeconds), strings.Join(values, ", "))
	row.Verdict = "not steady"
	if s.Steady {
		row.Verdict = "steady"
	}
	if s.Range.Valid && s.Slope.Valid {
		row.Verdict += fmt.Sprintf(" over the last %d: range %.2g %%, slope %.2g %% of their mean", s.Window, 100*s.Range.V, 100*s.Slope.V)
	}
	return row
}

func amount(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return units.FormatBytesApprox(float64(bytes))
}
