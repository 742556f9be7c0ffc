package plots

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/iosweep/iosweep/report"
)

// margin is the space around a picture and between its parts.
const margin = vg.Length(10)

// drawPicture lays a picture out on the whole canvas.
func drawPicture(c draw.Canvas, p *report.Picture) {
	c.SetColor(paper())
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	title, sub := style(12.5, ink(), true), style(9, muted(), false)
	width := c.Max.X - c.Min.X
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y - 12}, clip(title, p.Title, width))
	c.FillText(sub, vg.Point{X: c.Min.X, Y: c.Max.Y - 27}, clip(sub, p.Subtitle, width))
	right := legend(c, p)
	body := draw.Crop(c, 0, -right, 0, -38)
	each := (body.Max.X - body.Min.X) / vg.Length(max(1, len(p.Panels)))
	for i := range p.Panels {
		at := body
		at.Min.X += each * vg.Length(i)
		at.Max.X = at.Min.X + each
		if i < len(p.Panels)-1 {
			at.Max.X -= margin
		}
		panel(at, &p.Panels[i], i)
	}
}

// legend draws the entries at the right edge and returns the width it took.
func legend(c draw.Canvas, p *report.Picture) vg.Length {
	entries := p.Legend
	if len(entries) == 0 {
		return 0
	}
	const thumb, line = vg.Length(30), vg.Length(16)
	sty, head := style(9.5, ink(), false), style(9.5, muted(), false)
	most := (c.Max.X - c.Min.X) * 0.26
	widest := min(most, head.Width(p.LegendTitle)) - thumb
	for _, e := range entries {
		widest = max(widest, min(most-thumb, sty.Width(e.Label)))
	}
	left, y := c.Max.X-widest, c.Max.Y-68
	c.FillText(head, vg.Point{X: left - thumb, Y: y + line}, clip(head, p.LegendTitle, widest+thumb))
	for _, e := range entries {
		enter(c, `class="entry" data-s="%d" data-x="%.2f" data-y="%.2f"`, entryStyle(e), (left - thumb/2 - 3).Points(), y.Points())
		if e.Joined {
			c.StrokeLine2(lineOf(e.Style), left-thumb, y, left-6, y)
		}
		at := e.Style
		if e.Hollow {
			at = report.Plain
		}
		if e.Style != report.Frontier {
			mark(&c, at, vg.Point{X: left - thumb/2 - 3, Y: y}, e.Hollow)
		}
		c.FillText(sty, vg.Point{X: left, Y: y - 3.5}, clip(sty, e.Label, widest+1))
		y -= line
	}
	enter(c, "")
	return widest + thumb + 2*margin
}

// entryStyle is a legend entry's style, as a page's script knows it.
func entryStyle(e report.Entry) int {
	if e.Hollow {
		return report.Unjoined
	}
	return e.Style
}

// clip shortens a text that does not fit.
func clip(sty text.Style, s string, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && sty.Width(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// panel draws the n-th pair of axes with its data.
func panel(c draw.Canvas, p *report.Panel, n int) {
	plt := plot.New()
	plt.BackgroundColor = paper()
	axis(&plt.X, &p.X)
	axis(&plt.Y, &p.Y)
	enter(c, `class="axes" data-panel="%d"`, n)
	c = upright(c, plt.Y.Label.TextStyle, p.Y.Label)
	turn(plt, p, c.Max.X-c.Min.X)
	plt.X.Label.Text = clip(plt.X.Label.TextStyle, p.X.Label, c.Max.X-c.Min.X-40)
	plt.Add(&data{p, n})
	plt.Draw(c)
	enter(c, "")
}

// upright writes the y axis's label and returns what is left of the canvas.
// Gonum would make room for it above a logarithmic axis. A label too long for
// one line breaks at its comma.
func upright(c draw.Canvas, sty text.Style, label string) draw.Canvas {
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, text.XCenter, text.YTop
	at := vg.Point{X: c.Min.X, Y: (c.Max.Y + c.Min.Y + 34) / 2}
	lines := []string{label}
	flat := sty
	flat.Rotation = 0
	if head, tail, ok := strings.Cut(label, ", "); ok && flat.Width(label) > c.Max.Y-c.Min.Y-34 {
		lines = []string{head + ",", tail}
	}
	for _, l := range lines {
		c.FillText(sty, at, clip(flat, l, c.Max.Y-c.Min.Y-34))
		at.X += 12
	}
	return draw.Crop(c, at.X-c.Min.X+6, 0, 0, 0)
}

// axis sets a gonum axis up as the report says.
func axis(a *plot.Axis, from *report.Axis) {
	a.Min, a.Max = from.Min, from.Max
	if from.Log {
		a.Scale = plot.LogScale{}
	}
	var ticks plot.ConstantTicks
	for _, t := range from.Ticks {
		ticks = append(ticks, plot.Tick{Value: t.At, Label: t.Label})
	}
	a.Tick.Marker = ticks
	align := a.Tick.Label
	a.Tick.Label = style(9, ink(), false)
	a.Tick.Label.XAlign, a.Tick.Label.YAlign = align.XAlign, align.YAlign
	align = a.Label.TextStyle
	a.Label.TextStyle = style(10, ink(), false)
	a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = align.XAlign, align.YAlign
	a.Label.Padding = vg.Points(4)
	a.LineStyle, a.Tick.LineStyle = thin(muted()), thin(muted())
	a.Tick.Length = vg.Points(4)
	a.Padding = 0
}

// turn slants the x axis's labels where they would run into one another.
func turn(plt *plot.Plot, p *report.Panel, width vg.Length) {
	sty := &plt.X.Tick.Label
	widest, n := vg.Length(0), 0
	ticks := plt.X.Tick.Marker.(plot.ConstantTicks)
	for i := range ticks {
		ticks[i].Label = clip(*sty, ticks[i].Label, 90)
		if w := sty.Width(ticks[i].Label); ticks[i].Label != "" {
			widest, n = max(widest, w), n+1
		}
	}
	if (widest+8)*vg.Length(n) > width-60 {
		sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/6, text.XRight, text.YTop
	}
}
