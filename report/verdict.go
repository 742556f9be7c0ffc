package report

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// verdicts judges every objective of a place, apart at each load point, and
// returns what goes into the answer: the sentences, or where there are several
// load points one sentence about them all.
func (p *place) verdicts() (all []Verdict, answer []string, err error) {
	if len(p.loads) == 0 {
		v := p.newVerdict("none judged")
		v.Sentence = fmt.Sprintf("%s: %s was not measured: no verdict.", v.Tunable, p.workload.Name)
		return []Verdict{v}, []string{v.Sentence}, nil
	}
	for _, o := range p.run.Run.Objectives {
		if o.Workload != p.workload.Name {
			continue
		}
		judged, err := stats.Judge(p.judged(), o, stats.Options{Margin: marginOf(p.run.Run)})
		if err != nil {
			return nil, nil, err
		}
		var here []Verdict
		for i := range judged {
			here = append(here, p.verdict(&judged[i], len(judged) > 1))
		}
		all = append(all, here...)
		answer = append(answer, overLoads(here))
	}
	if len(all) == 0 {
		v := p.newVerdict("none named")
		v.Sentence = fmt.Sprintf("%s: the profile names no objective for %s, so there is no verdict: see its table.", v.Tunable, p.workload.Name)
		all, answer = []Verdict{v}, []string{v.Sentence}
	}
	return all, answer, nil
}

// defaultMargin is the share by which values may differ and be called alike,
// unless the run was measured to another.
const defaultMargin = 0.01

// marginOf is the relative difference that does not matter in a run.
func marginOf(run *results.Run) float64 {
	if run.Repeat != nil && run.Repeat.Margin > 0 {
		return run.Repeat.Margin
	}
	return defaultMargin
}

// alikeText says what the verdicts of a run call alike.
func alikeText(run *results.Run) string {
	return fmt.Sprintf("values are alike where the interval of their ratio lies within %.3g %%; of those alike with the best the one in force before is named, else the first", 100*marginOf(run))
}

// judged is the place's trials as a run of their own in which variants that
// read back alike are one.
func (p *place) judged() *results.RunData {
	data := &results.RunData{Run: p.run.Run}
	for _, s := range p.settings {
		for _, load := range p.loads {
			if c := p.cells[cellKey{s.key, load.String()}]; c != nil {
				for _, t := range c.last {
					one := *t
					one.Variant = s.variants[0]
					data.Trials = append(data.Trials, one)
				}
			}
		}
	}
	return data
}

func (p *place) newVerdict(goal string) Verdict {
	v := Verdict{Tunable: strings.Join(p.workload.Varies, " and "), Workload: p.workload.Name, Goal: goal, Outcome: Empty}
	if v.Tunable == "" {
		v.Tunable = p.workload.Name
	}
	return v
}

// verdict words one judgement.
func (p *place) verdict(j *stats.Judgement, several bool) Verdict {
	v := p.newVerdict(goalText(j.Objective))
	if several {
		v.Load = loadText(j.Load)
	}
	s := sentence{v: &v, j: j, settings: p.byVariant(), defaults: p.defaults(), margin: marginOf(p.run.Run), named: map[string]bool{}}
	v.Sentence, v.Proven = s.text(), j.Decided
	return v
}

// byVariant finds a setting by the first of its variants.
func (p *place) byVariant() map[string]Setting {
	out := map[string]Setting{}
	for _, s := range p.settings {
		out[s.variants[0]] = s
	}
	return out
}

// goalText is "maximise scrub.throughput subject to reader.p99 <= 100 ms".
func goalText(o results.Objective) string {
	text := "meet"
	switch {
	case o.Maximise != "":
		text = "maximise " + o.Maximise + " subject to"
	case o.Minimise != "":
		text = "minimise " + o.Minimise + " subject to"
	}
	return strings.TrimSuffix(text+" "+limitsText(o), " subject to ")
}

// limitsText is "reader.p99 <= 100 ms and scrub.throughput >= 20 MB/s", or
// nothing where there are no limits.
func limitsText(o results.Objective) string {
	var limits []string
	for _, l := range o.Limits {
		limits = append(limits, l.Text)
	}
	return strings.Join(limits, " and ")
}

// defaults are the values in force before the run, by tunable.
func (p *place) defaults() map[string]string {
	out := map[string]string{}
	for _, t := range p.run.Run.Tunables {
		out[t.Name] = t.Default
	}
	return out
}

// overLoads is the one verdict's sentence, or one that sums up those of several
// load points: who leads where.
func overLoads(all []Verdict) string {
	if len(all) == 1 {
		return all[0].Sentence
	}
	where := map[string][]string{}
	var order []string
	decided := 0
	for _, v := range all {
		who := v.Best
		if who == "" {
			who = "no value"
		}
		if where[who] == nil {
			order = append(order, who)
		}
		where[who] = append(where[who], v.Load)
		if v.Outcome == Decided {
			decided++
		}
	}
	var parts []string
	for _, who := range order {
		at := strings.Join(where[who], ", ")
		if len(where[who]) == len(all) {
			at = fmt.Sprintf("all %d load points", len(all))
		}
		parts = append(parts, who+" leads at "+at)
	}
	return fmt.Sprintf("%s on %s (%s): %s; decided at %d of %d.", all[0].Tunable, all[0].Workload, all[0].Goal, strings.Join(parts, "; "), decided, len(all))
}
