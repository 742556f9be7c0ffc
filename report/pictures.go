package report

import (
	"fmt"
	"math"
	"strings"
)

// pictures makes the pictures of a place; none where nothing can be drawn at
// all is still one picture that says so.
func (p *place) pictures(anchor string, tables []Table, subjects []subject) ([]Picture, *Chart) {
	if len(subjects) == 0 {
		return []Picture{p.frame(anchor, "", "Nothing was measured", emptyPanel("no trial was measured"))}, nil
	}
	a := p.chooseAxes(subjects)
	x, y := tableOf(tables, a.x), tableOf(tables, a.y)
	switch {
	case !a.named && a.x == a.y && y.timesRequests():
		a.yq = ofRequest
	case !a.named, !y.knows(a.y.metric(a.yq)):
		a.fallBack(y)
	}
	out := []Picture{p.tradeOff(anchor, a, x, y)}
	if len(p.workload.Varies) == 1 && len(p.settings) > 1 {
		out = append(out, p.byValue(anchor, a, x, y))
	}
	return out, a.chart(tables, out[0])
}

// bestKnown is the first of the quantities that every row with figures has:
// trials of a few operations each have no p99.
func (t Table) bestKnown(quantities ...string) string {
	s := subject{t.Job, t.Kind}
	for _, q := range quantities {
		has, lacks := false, false
		for _, r := range t.Rows {
			known := r.cell.bounded(s.metric(q)).Valid()
			has = has || known
			lacks = lacks || !known && r.cell.bounded(s.metric("max")).Valid()
		}
		if has && !lacks {
			return q
		}
	}
	return quantities[0]
}

func tableOf(tables []Table, s subject) Table {
	for _, t := range tables {
		if t.Job == s.job && t.Kind == s.kind {
			return t
		}
	}
	return Table{}
}

func emptyPanel(why string) Panel {
	return Panel{Empty: why, X: Axis{Label: "throughput", Max: 1}, Y: Axis{Label: "latency", Max: 1}}
}

// frame gives a picture its name and titles.
func (p *place) frame(anchor, suffix, title string, panels ...Panel) Picture {
	return Picture{
		Name: anchor + suffix, Title: title, Subtitle: p.subtitle(), Panels: panels,
		LegendTitle: p.key,
	}
}

// deviceText names the device and what the figures are of, where that is not the
// device as it is.
func (p *place) deviceText() string {
	name := deviceName(p.run.Run.Device, p.run.Run.Simulated)
	if o := origin(p.run.Run); o != "" && !p.run.Run.Simulated {
		return o + " · " + name
	}
	return name
}

// subtitle names the device and says what the marks are.
func (p *place) subtitle() string {
	least, most := math.MaxInt, 0
	for _, c := range p.cells {
		if n := len(c.counted); n > 0 {
			least, most = min(least, n), max(most, n)
		}
	}
	name := p.deviceText()
	switch most {
	case 0:
		return name + " · no valid trial"
	case 1:
		return name + " · one trial for each mark"
	}
	return name + " · marks: medians, bars: " + intervalOver(least, most)
}

// tradeOff is the main picture: throughput against latency, a line for each
// setting over its load points or, with one load point, a mark for each value.
func (p *place) tradeOff(anchor string, a axes, x, y Table) Picture {
	one := len(p.loads) < 2
	lines, notes := joinRows(a, x, y, one)
	title := fmt.Sprintf("%s: %s against %s", p.workload.Name, a.x.words(a.xq, x.Clock), a.y.words(a.yq, y.Clock))
	pic := p.frame(anchor, "", title)
	pic.Legend = legendOf(p.settings, !one)
	refs := p.pairs(a)
	if len(refs) > 0 {
		lines = append(lines, Line{Style: Unjoined, Points: refs})
		pic.Legend = append(pic.Legend, publishedEntry())
	}
	panel, masked := fit(a, y.Clock, lines)
	pic.Panels = []Panel{panel}
	pic.Notes = append(notes, masked...)
	pic.addFront(a)
	pic.Desc = describe(title, lines)
	return pic
}

// words is "throughput of scrub reads" or "p99 response time of reader reads".
func (s subject) words(q, clock string) string {
	time, _ := cutClock(clock)
	if text, ok := s.wordsOfRequest(q); ok {
		return text
	}
	switch {
	case q == "throughput":
		return "throughput of " + s.plural()
	case q == "ops":
		return "operations per second of " + s.plural()
	}
	return q + " " + time + " of " + s.plural()
}

// cutClock parts a table's clock: the name of the time, and from where it is
// counted.
func cutClock(clock string) (time, from string) {
	time, from, _ = strings.Cut(clock, ", ")
	if time == "" {
		time = "latency"
	}
	return time, from
}

// plural is the subject's name as a number of operations.
func (s subject) plural() string {
	switch {
	case s.kind == "":
		return s.job
	case s.kind == "flush":
		return s.name() + "es"
	case s.job == s.kind+"s":
		return s.job
	}
	return s.name() + "s"
}

// joinRows pairs the rows of the two tables, which have the same order.
func joinRows(a axes, x, y Table, one bool) (lines []Line, notes []string) {
	joined := Line{Style: Plain}
	var told []remark
	for i := range y.Rows {
		pt, note, ok := pointOf(a, x.Rows[i], y.Rows[i], one)
		if note != "" {
			told = remarked(told, y.Rows[i], note)
		}
		style := y.Rows[i].Setting.Style
		if !one && (len(lines) == 0 || y.Rows[i-1].Setting.Style != style) {
			lines = append(lines, Line{Style: style})
		}
		line := &joined
		if !one {
			line = &lines[len(lines)-1]
		}
		switch {
		case ok:
			line.Points = append(line.Points, pt)
		case len(line.Points) > 0:
			line.Points = append(line.Points, Point{Gap: true})
		}
	}
	if one {
		lines = append(lines, joined)
	}
	for i := range lines {
		lines[i].Points = closeGaps(lines[i].Points)
	}
	for _, r := range told {
		notes = append(notes, r.text(y.Rows))
	}
	return lines, notes
}

// remark is what is said of one setting's marks at some load points.
type remark struct {
	setting, note string
	loads         []string
}

// remarked adds a row's note, beside the other load points of which the same is
// said.
func remarked(all []remark, row Row, note string) []remark {
	for i := range all {
		if all[i].setting == row.Setting.Label && all[i].note == note {
			all[i].loads = append(all[i].loads, row.Load)
			return all
		}
	}
	return append(all, remark{row.Setting.Label, note, []string{row.Load}})
}

// text is the note as a sentence. It quotes the setting, which may be called
// "none", and names the load points unless it is said of all that the setting has.
func (r remark) text(rows []Row) string {
	has := 0
	for i := range rows {
		if rows[i].Setting.Label == r.setting {
			has++
		}
	}
	text := `"` + r.setting + `"`
	if len(r.loads) < has {
		text += " at " + strings.Join(r.loads, ", ")
	}
	return text + r.note
}

// closeGaps turns the empty places in a run of points into a mark on the point
// that follows. No line leads to a lower bound: nobody knows where it would go.
func closeGaps(points []Point) []Point {
	var out []Point
	gap := false
	for _, p := range points {
		if p.Gap {
			gap = true
			continue
		}
		p.Gap, gap = gap || p.AtLeast, p.AtLeast
		out = append(out, p)
	}
	return out
}

// pointOf makes the mark of one row, or a note that says why there is
// none, to follow the setting's name.
func pointOf(a axes, x, y Row, one bool) (pt Point, note string, ok bool) {
	label := y.Setting.Short
	if !one {
		label = y.Load
	}
	fx, fy := x.cell.bounded(a.x.metric(a.xq)), y.cell.bounded(a.y.metric(a.yq))
	if a.yq == "max" {
		fy = y.Figures[len(y.Figures)-1]
	}
	pt = Point{X: fx.span(), Y: fy.span(), Style: y.Setting.Style, Label: label, AtLeast: fy.AtLeast, AtMost: fy.AtMost, AtMostX: fx.AtMost}
	pt.Text = strings.Trim(strings.Join([]string{y.Setting.Label, y.Load}, ", "), ", ") + ": " + fx.Text + ", " + fy.Text
	pt.Detail = detail(y, a.x.words(a.xq, "")+": "+fx.withSpread(), a.yq+" of "+a.y.plural()+": "+fy.withSpread())
	switch {
	case fx.Valid() && fy.Valid():
		if pt.AtLeast {
			pt.Label += ": at least " + strings.TrimPrefix(fy.Text, "≥ ")
			note = ": " + y.Note
		}
		if (pt.AtMost || pt.AtMostX) && !pt.AtLeast {
			pt.Label += ": at most"
			note = ": in some trials too few operations completed for a rate; it is at most what is drawn"
		}
		if n := len(y.cell.counted); note == "" && min(fx.N, fy.N) < n {
			note = fmt.Sprintf(" is drawn from %d of its %d trials: the others do not have the figures", min(fx.N, fy.N), n)
		}
		return pt, note, true
	case y.Note != "":
		return pt, " is not drawn: " + y.Note, false
	case !fy.Valid():
		return pt, " is not drawn: " + fy.Missing, false
	}
	return pt, " is not drawn: " + fx.Missing, false
}

// detail is all that is known of a mark, in lines: the setting, its figures, the
// trials, and the proof of effect.
func detail(r Row, figures ...string) string {
	lines := append([]string{strings.Trim(r.Setting.Label+", "+r.Load, ", ")}, figures...)
	lines = append(lines, "trials: "+r.Trials)
	if r.Setting.Effect != "" {
		lines = append(lines, "effect: "+r.Setting.Effect)
	}
	return strings.Join(lines, "\n")
}

func (f Figure) span() Span { return Span{f.Low, f.Median, f.High} }

// countedFrom ends an axis label: from where the latency is counted.
func countedFrom(clock string) string {
	if _, from, ok := strings.Cut(clock, ", "); ok {
		return ", " + from
	}
	return ""
}
