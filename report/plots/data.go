package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/iosweep/iosweep/report"
)

// data is a panel's lines as a gonum plotter.
type data struct{ panel *report.Panel }

// Plot draws the grid, the limit, lines, intervals, marks and labels, in this
// order.
func (d *data) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	for _, t := range d.panel.Y.Ticks {
		if t.Label != "" {
			c.StrokeLine2(thin(grid), c.Min.X, y(t.At), c.Max.X, y(t.At))
		}
	}
	if d.panel.Empty != "" {
		d.empty(c)
		return
	}
	d.limit(c, y)
	for i := range d.panel.Lines {
		stroke(c, &d.panel.Lines[i], x, y)
	}
	var taken []vg.Rectangle
	for _, l := range d.panel.Lines {
		for _, p := range l.Points {
			taken = append(taken, point(c, p, x, y))
		}
	}
	d.labels(c, x, y, taken)
}

type transform = func(float64) vg.Length

func (d *data) empty(c draw.Canvas) {
	sty := style(11, muted, false)
	sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
	c.FillText(sty, c.Center(), clip(sty, "nothing to draw: "+d.panel.Empty, c.Max.X-c.Min.X))
}

// limit draws a constraint as a dashed line across the panel.
func (d *data) limit(c draw.Canvas, y transform) {
	l := d.panel.Limit
	if l == nil {
		return
	}
	at := y(l.Y)
	c.StrokeLine2(draw.LineStyle{Color: muted, Width: vg.Points(1.1), Dashes: []vg.Length{4, 3}}, c.Min.X, at, c.Max.X, at)
	sty := style(8.5, muted, false)
	label := clip(sty, "limit: "+l.Label, c.Max.X-c.Min.X)
	c.FillText(sty, vg.Point{X: c.Min.X + 4, Y: at + 3}, label)
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

// point draws one mark with its intervals and returns the room it takes.
func point(c draw.Canvas, p report.Point, x, y transform) vg.Rectangle {
	at := vg.Point{X: x(p.X.Mid), Y: y(p.Y.Mid)}
	bar := thin(colorOf(p.Style))
	if p.Hollow {
		p.Style = report.Plain
	}
	const cap = vg.Length(3)
	if p.X.High > p.X.Low {
		l, r := x(p.X.Low), x(p.X.High)
		c.StrokeLine2(bar, l, at.Y, r, at.Y)
		c.StrokeLine2(bar, l, at.Y-cap, l, at.Y+cap)
		c.StrokeLine2(bar, r, at.Y-cap, r, at.Y+cap)
	}
	if p.Y.High > p.Y.Low && !p.AtLeast {
		b, t := y(p.Y.Low), y(p.Y.High)
		c.StrokeLine2(bar, at.X, b, at.X, t)
		c.StrokeLine2(bar, at.X-cap, b, at.X+cap, b)
		c.StrokeLine2(bar, at.X-cap, t, at.X+cap, t)
	}
	if p.AtLeast {
		arrow(c, bar, at)
	}
	mark(&c, p.Style, at, p.Hollow)
	return around(at, radius+2, radius+2)
}

// arrow points up from a mark that is only a lower bound.
func arrow(c draw.Canvas, l draw.LineStyle, at vg.Point) {
	l.Width = vg.Points(1.4)
	top := at.Y + 17
	c.StrokeLine2(l, at.X, at.Y, at.X, top)
	c.StrokeLine2(l, at.X-3.5, top-5, at.X, top)
	c.StrokeLine2(l, at.X+3.5, top-5, at.X, top)
}

func around(at vg.Point, w, h vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: at.X - w, Y: at.Y - h}, Max: vg.Point{X: at.X + w, Y: at.Y + h}}
}

// mostLabels is how many marks may have a label each before they are clutter.
const mostLabels = 24

// labels writes each mark's label beside it, on the first side that is free.
func (d *data) labels(c draw.Canvas, x, y transform, taken []vg.Rectangle) {
	sty := style(8.5, ink, false)
	if len(taken) > mostLabels {
		return
	}
	for _, l := range d.panel.Lines {
		for _, p := range l.Points {
			if p.Label == "" {
				continue
			}
			text := clip(sty, p.Label, 110)
			for _, at := range sides(vg.Point{X: x(p.X.Mid), Y: y(p.Y.Mid)}, sty.Width(text)) {
				box := vg.Rectangle{Min: at, Max: vg.Point{X: at.X + sty.Width(text), Y: at.Y + 8.5}}
				if free(c, box, taken) {
					c.FillText(sty, at, text)
					taken = append(taken, box)
					break
				}
			}
		}
	}
}

// sides are where a label may begin: right, left, above, below of a mark.
func sides(at vg.Point, width vg.Length) []vg.Point {
	const off = radius + 3
	return []vg.Point{
		{X: at.X + off, Y: at.Y + 2}, {X: at.X - off - width, Y: at.Y + 2},
		{X: at.X + off, Y: at.Y - 11}, {X: at.X - off - width, Y: at.Y - 11},
		{X: at.X - width/2, Y: at.Y + off + 2}, {X: at.X - width/2, Y: at.Y - off - 10},
	}
}

func free(c draw.Canvas, box vg.Rectangle, taken []vg.Rectangle) bool {
	if box.Min.X < c.Min.X || box.Max.X > c.Max.X || box.Min.Y < c.Min.Y || box.Max.Y > c.Max.Y {
		return false
	}
	for _, t := range taken {
		if box.Min.X < t.Max.X && t.Min.X < box.Max.X && box.Min.Y < t.Max.Y && t.Min.Y < box.Max.Y {
			return false
		}
	}
	return true
}
