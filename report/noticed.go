package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// noticed is one kind of finding with the settings and load points that had it.
type noticed struct {
	Finding
	settings, loads []string
}

func (n *noticed) at(setting, load string) {
	if !slices.Contains(n.settings, setting) {
		n.settings = append(n.settings, setting)
	}
	if load != "" && !slices.Contains(n.loads, load) {
		n.loads = append(n.loads, load)
	}
}

// findings gathers what was noticed in the trials of a place, each kind once,
// and adds settings that did not do what was asked.
func (p *place) findings(effects []Effect) []Finding {
	var all []*noticed
	p.each(func(s Setting, load results.Load, c *cell) {
		for _, t := range c.last {
			all = noteTrial(all, s.Label, loadText(load), t)
		}
	})
	for _, e := range effects {
		if e.State == NoEffect || e.State == Differs {
			one(&all, "no_effect: "+e.State, Finding{Code: "no_effect", Text: e.Seen}).at(e.Asked, "")
		}
	}
	var out []Finding
	for _, n := range all {
		n.Where = p.workload.Name + ": " + p.where(n)
		out = append(out, n.Finding)
	}
	return out
}

// one is the entry of a key, made of f where there is none yet. The text is that
// of the first: the numbers in it are that trial's or setting's.
func one(all *[]*noticed, key string, f Finding) *noticed {
	for _, n := range *all {
		if n.key == key {
			return n
		}
	}
	f.key = key
	n := &noticed{Finding: f}
	*all = append(*all, n)
	return n
}

// noteTrial adds a trial's findings to those of its workload.
func noteTrial(all []*noticed, setting, load string, t *results.Trial) []*noticed {
	list := t.Findings
	if len(list) == 0 && t.Status != results.Valid {
		list = []results.Finding{{Code: string(t.Status), Fatal: true, Text: "the trial is " + string(t.Status) + " and gives no reason"}}
	}
	for _, f := range list {
		n := one(&all, keyOf(f), Finding{Code: f.Code, Fatal: f.Fatal, Text: f.Text})
		n.Trials++
		n.at(setting, load)
	}
	return all
}

// keyOf is what findings of one kind have in common: the code, and of those
// about a setting the text, which says which.
func keyOf(f results.Finding) string {
	if f.Code == "no_effect_expected" || f.Code == "setting_clamped" {
		return f.Code + ": " + f.Text
	}
	return f.Code
}

// where lists the settings with their number, and the load points unless it was
// at all of them.
func (p *place) where(n *noticed) string {
	text := strings.Join(n.settings, ", ")
	switch k := len(n.settings); {
	case k > 1 && k == len(p.settings) && n.Trials > 0:
		text = fmt.Sprintf("all %d settings", k)
	case k > 1:
		text = fmt.Sprintf("%d settings: %s", k, text)
	}
	if len(n.loads) > 0 && len(n.loads) < len(p.loads) {
		text += " (" + strings.Join(n.loads, ", ") + ")"
	}
	return text
}
