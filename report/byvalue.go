package report

import (
	"fmt"
	"slices"
	"strings"
)

// byValue is each of the two metrics against the value of the one tunable that
// the workload varies. Values stand evenly spaced in the profile's order: they
// usually double, and 0 usually means no limit.
func (p *place) byValue(anchor string, a axes, x, y Table) Picture {
	tunable := p.workload.Varies[0]
	title := fmt.Sprintf("%s: %s and %s by %s", p.workload.Name, a.x.words(a.xq, x.Clock), a.y.words(a.yq, y.Clock), tunable)
	pic := p.frame(anchor, "-by-value", title)
	pic.Legend = legendOf(p.settings, false)
	p.addByValue(&pic, tunable, axes{x: a.x, y: a.x, xq: a.xq, yq: a.xq, limits: a.floors}, x)
	p.addByValue(&pic, tunable, axes{x: a.y, y: a.y, xq: a.yq, yq: a.yq, limits: a.limits}, y)
	for _, panel := range pic.Panels {
		pic.Desc += describe(title, panel.Lines)
	}
	return pic
}

// addByValue draws one metric, which is both of the axes, with its limits and what
// was published of it: a light line for each load point, which is named at the
// line's end.
func (p *place) addByValue(pic *Picture, tunable string, a axes, t Table) {
	style := p.joining()
	lines := make([]Line, max(1, len(p.loads)))
	for i, row := range t.Rows {
		line := &lines[i%len(lines)]
		line.Style = style
		line.Points = append(line.Points, valuePoint(a.y, a.yq, row))
	}
	for i := range lines {
		points := closeGaps(lines[i].Points)
		if n := len(points); n > 0 && len(lines) > 1 {
			points[n-1].Label = loadText(p.loads[i])
		}
		lines[i].Points = points
	}
	if known := p.published(a.y.metric(a.yq)); len(known.Points) > 0 {
		lines = append(lines, known)
		if e := publishedEntry(); !slices.Contains(pic.Legend, e) {
			pic.Legend = append(pic.Legend, e)
		}
	}
	panel, notes := fit(a, t.Clock, lines)
	panel.X = p.valueAxis(tunable)
	pic.Panels = append(pic.Panels, panel)
	pic.Notes = append(pic.Notes, notes...)
}

// joining is the style of what leads from value to value. Where the marks are one
// at each value, a line says that they differ: it is drawn where that is decided.
func (p *place) joining() int {
	if len(p.loads) < 2 && !p.decided {
		return Unjoined
	}
	return Plain
}

// valuePoint is a row's mark above its value, or a gap.
func valuePoint(s subject, q string, row Row) Point {
	f := row.cell.bounded(s.metric(q))
	if !f.Valid() {
		return Point{Gap: true}
	}
	label := ""
	if f.AtLeast || f.AtMost {
		label = f.Text
	}
	return Point{
		X: exactly(float64(row.Setting.Style)), Y: f.span(), Style: row.Setting.Style, AtLeast: f.AtLeast, AtMost: f.AtMost,
		Label: label, Text: strings.Trim(row.Setting.Label+", "+row.Load, ", ") + ": " + f.Text,
		Detail: detail(row, q+" of "+s.plural()+": "+f.withSpread()),
	}
}

// valueAxis has a tick for each setting.
func (p *place) valueAxis(tunable string) Axis {
	a := Axis{Label: tunable, Min: -0.5, Max: float64(len(p.settings)) - 0.5}
	for _, t := range p.run.Run.Tunables {
		if t.Name == tunable && t.Unit != "" {
			a.Label += " (" + t.Unit + ")"
		}
	}
	if len(p.loads) > 1 {
		a.Max += 0.2 * float64(len(p.settings)) // room for the load points' names
	}
	for i, s := range p.settings {
		a.Ticks = append(a.Ticks, Tick{float64(i), s.Short})
	}
	return a
}

// legendOf names every setting of a workload, drawn or not.
func legendOf(settings []Setting, joined bool) []Entry {
	var out []Entry
	for _, s := range settings {
		out = append(out, Entry{Label: s.Short, Style: s.Style, Joined: joined})
	}
	return out
}

// describe puts a picture into words.
func describe(title string, lines []Line) string {
	var parts []string
	for _, l := range lines {
		for _, p := range l.Points {
			parts = append(parts, p.Text)
		}
	}
	if len(parts) == 0 {
		return title + ": no marks. "
	}
	return title + ". " + strings.Join(parts, "; ") + ". "
}
