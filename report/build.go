package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
)

// Options say how a report is built. The zero value is a report as usual.
type Options struct {
	// Title replaces the title that is made from the profiles' names.
	Title string
	// Theme is the layout of the pictures' files.
	Theme Theme
}

// Build works out a report of the trials that the query selects. A set without
// a run is an error, and so is a query that names a key that no trial has; runs
// without trials, and cells without valid ones, are reported as such.
func Build(set *results.Set, q query.Query, o Options) (*Model, error) {
	if set == nil || len(set.Runs) == 0 {
		return nil, errors.New("build report: no run is named: name at least one run folder")
	}
	places, err := gather(set, q)
	if err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	m := &Model{Title: o.Title, Notes: notes(set, q)}
	if m.Title == "" {
		m.Title = title(set)
	}
	m.Origin = origins(set)
	m.Title, m.Subtitle = marked(m.Title, m.Origin), subtitle(set)
	for i, p := range places {
		if err := m.add(p, i, len(set.Runs) > 1); err != nil {
			return nil, fmt.Errorf("build report: %w", err)
		}
	}
	for _, run := range set.Runs {
		m.addRun(run, len(set.Runs) > 1)
	}
	m.Theme = o.Theme
	for i := range m.Workloads {
		for _, p := range m.Workloads[i].All() {
			p.Theme = o.Theme
		}
	}
	m.Answer = slices.Concat(warnings(m), overview(m), m.Answer, remainder(m))
	return m, nil
}

// add works out one workload of one run.
func (m *Model) add(p *place, i int, several bool) error {
	w := Workload{
		Anchor: "w" + strconv.Itoa(i+1) + "-" + safeName(p.workload.Name), Name: p.workload.Name,
		Summary: summaryOf(p.workload), Tunables: p.workload.Varies, Key: p.key, Settings: p.settings,
	}
	if several {
		w.Run = p.run.Run.ID
	}
	w.Effects = p.effects()
	subjects := p.subjects()
	for _, s := range subjects {
		w.Tables = append(w.Tables, p.table(s))
	}
	if len(w.Tables) > 0 {
		verdicts, sentences, err := p.verdicts()
		if err != nil {
			return err
		}
		p.decided = slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Outcome == Decided })
		m.Verdicts = append(m.Verdicts, verdicts...)
		m.Answer = append(m.Answer, sentences...)
	}
	w.Pictures, w.Chart = p.pictures(w.Anchor, w.Tables, subjects)
	w.Distributions = p.distributions(w.Anchor, w.Tables)
	w.Progress = p.progress(w.Anchor, w.Tables)
	w.References = p.listed()
	w.Preparation = p.preparation()
	m.Notes = append(m.Notes, p.merged()...)
	m.Findings = append(m.Findings, p.findings(w.Effects)...)
	m.Trials = append(m.Trials, p.trialRows()...)
	m.Workloads = append(m.Workloads, w)
	return nil
}

// addRun adds what is known of a run as a whole.
func (m *Model) addRun(run *results.RunData, several bool) {
	if several {
		m.Machine = append(m.Machine, Fact{"run", run.Run.ID})
	}
	m.Machine = append(m.Machine, machine(run.Run)...)
	m.Method = append(m.Method, method(run)...)
	m.Runs = append(m.Runs, FiguresRun{ID: run.Run.ID, Sum: run.Sum, Trials: len(run.Trials)})
	m.Again = append(m.Again, again(run.Run))
	m.Cite = append(m.Cite, cite(run))
	text := Profile{Name: run.Run.Profile, Text: run.Run.ProfileText}
	for _, have := range m.Profiles {
		if have == text {
			return
		}
	}
	m.Profiles = append(m.Profiles, text)
}

func title(set *results.Set) string {
	var names []string
	seen := map[string]bool{}
	for _, r := range set.Runs {
		if !seen[r.Run.Profile] {
			seen[r.Run.Profile] = true
			names = append(names, r.Run.Profile)
		}
	}
	return "iosweep: " + strings.Join(names, ", ")
}

func subtitle(set *results.Set) string {
	r := set.Runs[0].Run
	text := deviceName(r.Device, r.Simulated)
	if !r.Started.IsZero() {
		text += " · " + strings.TrimSpace(r.Environment.OS+" "+r.Environment.Kernel) + " · " + r.Started.UTC().Format("2006-01-02")
	}
	if n := len(set.Runs); n > 1 {
		text += fmt.Sprintf(" · and %d more run(s)", n-1)
	}
	return text
}

// summaryOf describes a workload and its jobs in one line.
func summaryOf(w results.Workload) string {
	var jobs []string
	for _, j := range w.Jobs {
		if j.Summary != "" {
			jobs = append(jobs, j.Name+": "+j.Summary)
		}
	}
	text := strings.Join(jobs, "; ")
	switch {
	case w.Summary == "":
		return text
	case text == "" || strings.Contains(w.Summary, jobs[0]):
		return w.Summary
	}
	return w.Summary + " (" + text + ")"
}

// safeName keeps letters and digits of ASCII, so that a name can stand in a
// file name and an address.
func safeName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	return strings.Trim(clean[:min(len(clean), 48)], "-")
}

// warnings are what a reader must know before any verdict: that what was varied
// could not act.
func warnings(m *Model) []string {
	var out []string
	for _, f := range m.Findings {
		if text := "Beware: " + f.Text + "."; f.Code == "no_effect_expected" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// overview counts the verdicts where the answer has too many sentences to see it
// at a glance.
func overview(m *Model) []string {
	all := m.Verdicts
	if len(m.Answer) < 4 {
		return nil
	}
	n := map[string]int{}
	for _, v := range all {
		n[v.Outcome]++
	}
	text := fmt.Sprintf("Of %d verdicts %d are decided and %d undecided", len(all), n[Decided], n[Undecided])
	if rest := n[None] + n[Empty]; rest > 0 {
		text += fmt.Sprintf("; of %d there is no value to name", rest)
	}
	return []string{text + "."}
}

// remainder is what the answer says beside the verdicts.
func remainder(m *Model) []string {
	var out []string
	if len(m.Verdicts) == 0 {
		out = append(out, "Nothing was measured, so there is no answer.")
	}
	n, bad := 0, 0
	seen := map[string]bool{}
	for _, t := range m.Trials {
		key := t.Run + "/" + strconv.Itoa(t.Index) + "/" + strconv.Itoa(t.Attempt)
		if seen[key] {
			continue
		}
		seen[key] = true
		n++
		if t.Status != results.Valid {
			bad++
		}
	}
	if bad > 0 {
		out = append(out, fmt.Sprintf("%d of %d trials do not count; the findings say why.", bad, n))
	}
	return out
}
