package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/iosweep/iosweep/report"
)

// data is a panel's lines as a gonum plotter.
type data struct {
	panel *report.Panel
	n     int
}

// Plot draws the grid, the limit, lines, intervals, marks and labels, in this
// order.
func (d *data) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	for _, t := range d.panel.Y.Ticks {
		if t.Label != "" {
			c.StrokeLine2(thin(grid()), c.Min.X, y(t.At), c.Max.X, y(t.At))
		}
	}
	if d.panel.Empty != "" {
		d.empty(c)
		return
	}
	enter(c, `class="front" data-panel="%d" data-box="%.2f %.2f %.2f %.2f"`, d.n, c.Min.X.Points(), c.Min.Y.Points(), c.Max.X.Points(), c.Max.Y.Points())
	marks := d.limits(c, x, y)
	front := stair(d.panel.Front)
	stroke(c, &front, x, y)
	for i := range d.panel.Lines {
		d.enter(c, d.panel.Lines[i].Style)
		stroke(c, &d.panel.Lines[i], x, y)
	}
	lines := along(&front, x, y)
	for _, l := range d.panel.Lines {
		for i := range l.Points {
			d.enter(c, styleOf(&l.Points[i]))
			marks = append(marks, d.point(c, &l.Points[i], x, y)...)
		}
		lines = append(lines, along(&l, x, y)...)
	}
	enter(c, `class="labels" data-panel="%d"`, d.n)
	d.labels(c, x, y, marks, lines)
	enter(c, `class="axes" data-panel="%d"`, d.n)
}

// enter goes on in the layer of a setting.
func (d *data) enter(c draw.Canvas, style int) {
	enter(c, `class="series" data-panel="%d" data-s="%d"`, d.n, style)
}

// styleOf is the style under which a page's script finds a mark.
func styleOf(p *report.Point) int {
	if p.Hollow {
		return report.Unjoined
	}
	return p.Style
}

type transform = func(float64) vg.Length

func (d *data) empty(c draw.Canvas) {
	sty := style(11, muted(), false)
	sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
	c.FillText(sty, c.Center(), clip(sty, "nothing to draw: "+d.panel.Empty, c.Max.X-c.Min.X))
}

// limits draws the constraints as dashed lines across the panel and up it, and the
// break in the y axis. It returns the room that their words take.
func (d *data) limits(c draw.Canvas, x, y transform) (taken []vg.Rectangle) {
	dashed := draw.LineStyle{Color: muted(), Width: vg.Points(1.1), Dashes: []vg.Length{4, 3}}
	if l := d.panel.Limit; l != nil {
		taken = append(taken, across(c, l, y(l.At), dashed))
	}
	if l := d.panel.Floor; l != nil {
		taken = append(taken, upward(c, l, x(l.At), dashed))
	}
	if d.panel.Break > 0 {
		taken = append(taken, broken(c, y(d.panel.Break)))
	}
	return taken
}

// broken draws where the y axis ends: what stands above is not to scale.
func broken(c draw.Canvas, at vg.Length) vg.Rectangle {
	sty := style(8.5, muted(), false)
	dotted := draw.LineStyle{Color: muted(), Width: vg.Points(0.9), Dashes: []vg.Length{1, 3}}
	c.StrokeLine2(dotted, c.Min.X, at, c.Max.X, at)
	for _, gap := range []vg.Length{-2, 2} {
		c.StrokeLine2(thin(muted()), c.Min.X-4, at+gap-2, c.Min.X+4, at+gap+2)
	}
	const words = "not to scale above"
	from := vg.Point{X: c.Max.X - sty.Width(words) - 4, Y: at + 3}
	c.FillText(sty, from, words)
	return labelBox(from, sty.Width(words))
}

// across draws a limit on y, or tells at the edge of one that lies far off.
func across(c draw.Canvas, l *report.Limit, at vg.Length, dashed draw.LineStyle) vg.Rectangle {
	sty := style(8.5, muted(), false)
	words := "limit: " + l.Label
	switch l.Off {
	case -1:
		at, words = c.Min.Y, words+", below this chart"
	case 1:
		at, words = c.Max.Y-14, words+", above this chart"
	default:
		c.StrokeLine2(dashed, c.Min.X, at, c.Max.X, at)
	}
	words = clip(sty, words, c.Max.X-c.Min.X)
	c.FillText(sty, vg.Point{X: c.Min.X + 4, Y: at + 3}, words)
	return labelBox(vg.Point{X: c.Min.X + 4, Y: at + 3}, sty.Width(words))
}

// upward draws a limit on x, or tells at the side of one that lies far off.
func upward(c draw.Canvas, l *report.Limit, at vg.Length, dashed draw.LineStyle) vg.Rectangle {
	sty := style(8.5, muted(), false)
	words := "limit: " + l.Label
	switch l.Off {
	case -1:
		at, words = c.Min.X, words+", left of this chart"
	case 1:
		at, words = c.Max.X, words+", right of this chart"
	default:
		c.StrokeLine2(dashed, at, c.Min.Y, at, c.Max.Y)
	}
	words = clip(sty, words, c.Max.Y-c.Min.Y-4)
	width := sty.Width(words)
	sty.Rotation, sty.YAlign = math.Pi/2, text.YBottom
	left := at - 3
	if left < c.Min.X+12 {
		left = at + 12 // there is no room between the axis and the line
	}
	bottom := max(c.Min.Y, c.Max.Y-width-4)
	c.FillText(sty, vg.Point{X: left, Y: bottom}, words)
	return vg.Rectangle{Min: vg.Point{X: left - 9, Y: bottom}, Max: vg.Point{X: left + 4, Y: c.Max.Y}}
}

// stair is the Pareto front as a line: more throughput than a point's takes at
// least the next one's latency.
func stair(front []report.Point) report.Line {
	l := report.Line{Style: report.Frontier}
	for i, p := range front {
		if i > 0 {
			corner := report.Point{X: front[i-1].X, Y: p.Y}
			l.Points = append(l.Points, corner)
		}
		p.Gap = false // the line's gaps are not the front's
		l.Points = append(l.Points, p)
	}
	return l
}

// stroke joins a line's points, with a break at each gap.
func stroke(c draw.Canvas, l *report.Line, x, y transform) {
	if l.Style == report.Unjoined {
		return
	}
	var run []vg.Point
	for _, p := range l.Points {
		if p.Gap {
			strokeRun(c, l.Style, run)
			run = nil
		}
		run = append(run, vg.Point{X: x(p.X.Mid), Y: y(p.Y.Mid)})
	}
	strokeRun(c, l.Style, run)
}

func strokeRun(c draw.Canvas, style int, run []vg.Point) {
	if len(run) > 1 {
		c.StrokeLines(lineOf(style), c.ClipLinesXY(run)...)
	}
}

// point draws one mark with its intervals and returns the room they take.
func (d *data) point(c draw.Canvas, p *report.Point, x, y transform) []vg.Rectangle {
	if p.Bare {
		return nil
	}
	at := vg.Point{X: x(p.X.Mid), Y: y(p.Y.Mid)}
	hit(c, d.n, p, at)
	style := p.Style
	if p.Hollow {
		style = report.Plain
	}
	bar := thin(colorOf(style))
	const cap = vg.Length(3)
	room := []vg.Rectangle{around(at, radius+2, radius+2)}
	if p.X.High > p.X.Low && !p.AtMostX {
		l, r := x(p.X.Low), x(p.X.High)
		c.StrokeLine2(bar, l, at.Y, r, at.Y)
		c.StrokeLine2(bar, l, at.Y-cap, l, at.Y+cap)
		c.StrokeLine2(bar, r, at.Y-cap, r, at.Y+cap)
		room = append(room, vg.Rectangle{Min: vg.Point{X: l - cap, Y: at.Y - cap}, Max: vg.Point{X: r + cap, Y: at.Y + cap}})
	}
	if p.Y.High > p.Y.Low && !p.AtLeast && !p.AtMost {
		b, t := y(p.Y.Low), y(p.Y.High)
		c.StrokeLine2(bar, at.X, b, at.X, t)
		c.StrokeLine2(bar, at.X-cap, b, at.X+cap, b)
		c.StrokeLine2(bar, at.X-cap, t, at.X+cap, t)
		room = append(room, vg.Rectangle{Min: vg.Point{X: at.X - cap, Y: b}, Max: vg.Point{X: at.X + cap, Y: t}})
	}
	for _, a := range []struct {
		bound  bool
		dx, dy vg.Length
	}{{p.AtLeast, 0, 1}, {p.AtMost, 0, -1}, {p.AtMostX, -1, 0}} {
		if a.bound {
			arrow(c, bar, at, a.dx, a.dy)
			room = append(room, around(vg.Point{X: at.X + 10*a.dx, Y: at.Y + 10*a.dy}, 4+6*max(a.dx, -a.dx), 4+6*max(a.dy, -a.dy)))
		}
	}
	mark(&c, style, at, p.Hollow)
	return room
}

// along covers a line's joins with small boxes, so that labels keep off them.
func along(l *report.Line, x, y transform) []vg.Rectangle {
	var out []vg.Rectangle
	for i := 1; i < len(l.Points); i++ {
		p, q := l.Points[i-1], l.Points[i]
		if q.Gap || l.Style == report.Unjoined {
			continue
		}
		from, to := vg.Point{X: x(p.X.Mid), Y: y(p.Y.Mid)}, vg.Point{X: x(q.X.Mid), Y: y(q.Y.Mid)}
		const steps = 48
		for k := range steps {
			f := vg.Length(k) / steps
			at := vg.Point{X: from.X + (to.X-from.X)*f, Y: from.Y + (to.Y-from.Y)*f}
			out = append(out, around(at, 1, 1))
		}
	}
	return out
}

// arrow points from a mark that is only a bound to where the figure may be: up,
// down or left.
func arrow(c draw.Canvas, l draw.LineStyle, at vg.Point, dx, dy vg.Length) {
	l.Width = vg.Points(1.4)
	tip := vg.Point{X: at.X + 17*dx, Y: at.Y + 17*dy}
	c.StrokeLine2(l, at.X, at.Y, tip.X, tip.Y)
	for _, side := range []vg.Length{-3.5, 3.5} {
		c.StrokeLine2(l, tip.X-5*dx+side*dy, tip.Y-5*dy+side*dx, tip.X, tip.Y)
	}
}

func around(at vg.Point, w, h vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: at.X - w, Y: at.Y - h}, Max: vg.Point{X: at.X + w, Y: at.Y + h}}
}
