// Package markdown lays a report out as GitHub's Markdown, with plots as files
// beside it.
package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/iosweep/iosweep/report"
)

// PlotDir is where the text looks for <picture>.svg, relative to itself.
const PlotDir = "plots"

// Write writes the whole report. It returns the writer's error.
func Write(w io.Writer, m *report.Model) error {
	d := &doc{}
	d.head(m)
	for i := range m.Workloads {
		w := &m.Workloads[i]
		pictures := w.Pictures
		if i == 0 && len(pictures) > 0 {
			pictures = pictures[1:] // the first stands under the answer
		}
		d.workload(w, pictures)
	}
	d.pictures("Latency distributions", m, func(w *report.Workload) []report.Picture { return w.Distributions })
	d.pictures("Over time", m, func(w *report.Workload) []report.Picture { return w.Progress })
	d.effects(m)
	d.findings(m)
	d.facts("Machine and device", m.Machine)
	d.facts("Method", m.Method)
	d.data()
	d.profiles(m)
	d.again(m)
	d.cite(m)
	_, err := io.WriteString(w, d.b.String())
	return err
}

// doc collects the text.
type doc struct{ b strings.Builder }

func (d *doc) f(format string, a ...any) { fmt.Fprintf(&d.b, format, a...) }

// head is the answer, the first picture and the verdicts.
func (d *doc) head(m *report.Model) {
	d.f("# %s\n\n%s\n\n", esc(m.Title), esc(m.Subtitle))
	if m.Origin != "" {
		d.f("> **%s**\n\n", esc(m.Origin))
	}
	for _, s := range m.Answer {
		d.f("%s\n", esc(s))
	}
	d.f("\n")
	for _, n := range m.Notes {
		d.f("> **Note.** %s\n>\n", esc(n))
	}
	if len(m.Notes) > 0 {
		d.f("\n")
	}
	if len(m.Workloads) > 0 && len(m.Workloads[0].Pictures) > 0 {
		d.picture(&m.Workloads[0].Pictures[0])
	}
	if len(m.Verdicts) == 0 {
		return
	}
	d.f("## Verdicts\n\n")
	rows := [][]string{{"tunable", "workload", "load", "outcome", "value", "goal"}}
	for _, v := range m.Verdicts {
		rows = append(rows, []string{v.Tunable, v.Workload, v.Load, v.Outcome, v.Best, v.Goal})
	}
	d.table(dropEmpty(rows, 2))
}

func (d *doc) picture(p *report.Picture) {
	d.f("![%s](%s/%s.svg)\n\n", esc(p.Desc), PlotDir, p.Name)
	for _, n := range p.Notes {
		d.f("*%s*\n\n", esc(n))
	}
}

// pictures is the section of one kind of pictures of all workloads.
func (d *doc) pictures(heading string, m *report.Model, of func(*report.Workload) []report.Picture) {
	for i := range m.Workloads {
		pictures := of(&m.Workloads[i])
		for k := range pictures {
			if heading != "" {
				d.f("## %s\n\n", heading)
				heading = ""
			}
			d.picture(&pictures[k])
		}
	}
}

func (d *doc) workload(w *report.Workload, pictures []report.Picture) {
	name := w.Name
	if w.Run != "" {
		name += " (run " + w.Run + ")"
	}
	d.f("## Workload %s\n\n", esc(name))
	if w.Summary != "" {
		d.f("%s\n\n", esc(w.Summary))
	}
	for i := range pictures {
		d.picture(&pictures[i])
	}
	for i := range w.Tables {
		d.figures(w, &w.Tables[i])
	}
	d.preparation(w.Preparation)
	d.references(w.References)
}

func (d *doc) figures(w *report.Workload, t *report.Table) {
	d.f("### %s\n\n", esc(w.Name+": "+t.Title))
	d.f("Latency is the %s. In brackets: %s.%s\n\n", esc(t.Clock), esc(t.Interval), esc(originText(t)))
	name := "setting"
	if w.Key != "" {
		name = w.Key
	}
	rows := [][]string{append(append([]string{name, "load"}, report.Quantities()...), "trials")}
	for _, r := range t.Rows {
		row := []string{r.Setting.Short, r.Load}
		for _, f := range r.Figures {
			text := f.Text
			if f.Spread != "" {
				text += " [" + f.Spread + "]"
			}
			row = append(row, text)
		}
		rows = append(rows, append(row, r.Trials))
	}
	d.table(dropEmpty(rows, 1))
	for _, r := range t.Rows {
		if r.Note != "" {
			d.f("- %s\n", esc(strings.Trim(r.Setting.Label+", "+r.Load, ", ")+": "+r.Note))
		}
	}
	d.f("\n")
}

// originText says what a table's figures are of, where that is not a device as
// it is.
func originText(t *report.Table) string {
	if t.Origin == "" {
		return ""
	}
	return " These figures are of " + t.Origin + "."
}

// references lists what was published elsewhere.
// preparation tells what was done to the target before trials.
func (d *doc) preparation(all []report.Preparation) {
	if len(all) == 0 {
		return
	}
	d.f("### Preparation of the target\n\n")
	rows := [][]string{{"before trials of", "trials", "deleted", "filled", "took", "random overwriting", "state"}}
	for _, p := range all {
		rows = append(rows, []string{p.Before, fmt.Sprint(p.Trials), p.Purged, p.Filled, p.Took, p.Rounds, p.Verdict})
	}
	d.table(dropEmpty(dropEmpty(rows, 6), 5))
}

func (d *doc) references(all []report.Reference) {
	if len(all) == 0 {
		return
	}
	d.f("### Published figures, not measured here\n\n")
	rows := [][]string{{"source", "value", "metric", "figure", "measured on", "citation"}}
	for _, r := range all {
		rows = append(rows, []string{r.Label, r.Value, r.Metric, r.Figure, r.MeasuredOn, r.Citation})
	}
	d.table(rows)
}

// dropEmpty leaves out a column that has nothing below its heading.
func dropEmpty(rows [][]string, column int) [][]string {
	for _, r := range rows[1:] {
		if r[column] != "" {
			return rows
		}
	}
	for i, r := range rows {
		rows[i] = append(append([]string{}, r[:column]...), r[column+1:]...)
	}
	return rows
}

// table writes rows of which the first is the heading.
func (d *doc) table(rows [][]string) {
	for i, row := range rows {
		for _, c := range row {
			d.f("| %s ", esc(c))
		}
		d.f("|\n")
		if i == 0 {
			d.f("%s|\n", strings.Repeat("|---", len(row)))
		}
	}
	d.f("\n")
}

func (d *doc) effects(m *report.Model) {
	rows := [][]string{{"workload", "asked", "read back", "applied via", "seen", "verdict"}}
	for _, w := range m.Workloads {
		for _, e := range w.Effects {
			rows = append(rows, []string{w.Name, e.Asked, e.ReadBack, e.Via, e.Seen, e.State})
		}
	}
	if len(rows) > 1 {
		d.f("## Proof of effect\n\nWhat the device, or the layer in front of it, was seen to do under each setting.\n\n")
		d.table(rows)
	}
}

func (d *doc) findings(m *report.Model) {
	d.f("## Validity\n\n")
	if len(m.Findings) == 0 {
		d.f("None: no trial had anything to report.\n\n")
		return
	}
	rows := [][]string{{"finding", "where", "trials", "counts against", "what"}}
	for _, f := range m.Findings {
		against := "no"
		if f.Fatal {
			against = "yes"
		}
		rows = append(rows, []string{f.Code, f.Where, trials(f.Trials), against, f.Text})
	}
	d.table(rows)
}

func trials(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (d *doc) facts(heading string, facts []report.Fact) {
	d.f("## %s\n\n", heading)
	rows := [][]string{{"what", "value"}}
	for _, f := range facts {
		rows = append(rows, []string{f.Name, f.Value})
	}
	d.table(rows)
}

func (d *doc) data() {
	d.f("## Data\n\n`trials.csv` has one row for each trial, job and kind of operation, in base units " +
		"(seconds, bytes, operations per second); an empty field is a figure that does not exist.\n\n")
}

func (d *doc) profiles(m *report.Model) {
	d.f("## Profile\n\n")
	for _, p := range m.Profiles {
		fence := fenceFor(p.Text)
		d.f("%s\n\n%syaml\n%s\n%s\n\n", esc(p.Name), fence, strings.TrimRight(p.Text, "\n"), fence)
	}
}

func (d *doc) again(m *report.Model) {
	text := strings.Join(m.Again, "\n")
	fence := fenceFor(text)
	d.f("## Run it again\n\n%ssh\n%s\n%s\n", fence, text, fence)
}

func (d *doc) cite(m *report.Model) {
	d.f("\n## How to cite\n\n")
	for _, c := range m.Cite {
		d.f("%s\n\n", esc(c))
	}
}

// fenceFor is longer than any run of backticks in the text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// esc keeps names and texts from being taken as markup, and in one line.
func esc(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_[]|#~!", r):
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
