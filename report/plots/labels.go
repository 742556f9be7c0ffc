package plots

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/iosweep/iosweep/report"
)

// mostLabels is how many marks may have a label each before they are clutter.
const mostLabels = 24

// label is what is written beside a mark, or beside several that stand as one.
type label struct {
	at    []vg.Point // the marks, the first beside which it is written
	texts []string
}

// nearby is how close marks are that a reader sees as one.
const nearby = 1.6 * radius

// gathered are the labels of a panel, one for marks that stand as one.
func gathered(lines []report.Line, x, y transform) (all []label) {
	for _, l := range lines {
		for _, p := range l.Points {
			if p.Label == "" {
				continue
			}
			at := vg.Point{X: x(p.X.Mid), Y: y(p.Y.Mid)}
			i := slices.IndexFunc(all, func(have label) bool { return !p.Beyond && have.near(at) })
			if i < 0 {
				all, i = append(all, label{}), len(all)
			}
			all[i].at = append(all[i].at, at)
			if !slices.Contains(all[i].texts, p.Label) {
				all[i].texts = append(all[i].texts, p.Label)
			}
		}
	}
	return all
}

func (l label) near(at vg.Point) bool {
	return slices.ContainsFunc(l.at, func(p vg.Point) bool {
		return max(p.X-at.X, at.X-p.X, p.Y-at.Y, at.Y-p.Y) < nearby
	})
}

// labels writes each label beside its mark, on the first side that is free of
// everything or, failing that, of marks and other labels; else further off with a
// line that leads there; else not at all.
func (d *data) labels(c draw.Canvas, x, y transform, marks, lines []vg.Rectangle) {
	sty := style(8.5, ink(), false)
	all := gathered(d.panel.Lines, x, y)
	if len(all) > mostLabels {
		return
	}
	for _, l := range all {
		text := clip(sty, strings.Join(l.texts, ", "), 150)
		width := sty.Width(text)
		at, ok := place(c, l.sides(c, width, radius+3), width, marks, lines)
		if !ok {
			if at, ok = place(c, l.sides(c, width, 6*radius), width, marks, lines); !ok {
				continue
			}
			lead(c, l.at[0], at, width)
		}
		c.FillText(sty, at, text)
		marks = append(marks, labelBox(at, width))
	}
}

// lead draws a line from a mark to the nearer end of its label.
func lead(c draw.Canvas, mark, text vg.Point, width vg.Length) {
	end := vg.Point{X: text.X - 1, Y: text.Y + 4}
	if text.X+width < mark.X {
		end.X = text.X + width + 1
	}
	from := (radius + 2) / vg.Length(math.Hypot(float64(end.X-mark.X), float64(end.Y-mark.Y)))
	c.StrokeLine2(draw.LineStyle{Color: muted(), Width: vg.Points(0.5)}, mark.X+from*(end.X-mark.X), mark.Y+from*(end.Y-mark.Y), end.X, end.Y)
}

func labelBox(at vg.Point, width vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: at, Max: vg.Point{X: at.X + width, Y: at.Y + 8.5}}
}

func place(c draw.Canvas, spots []vg.Point, width vg.Length, marks, lines []vg.Rectangle) (vg.Point, bool) {
	for _, avoid := range [][]vg.Rectangle{lines, nil} {
		for _, at := range spots {
			box := labelBox(at, width)
			if free(c, box, marks) && free(c, box, avoid) {
				return at, true
			}
		}
	}
	return vg.Point{}, false
}

// sides are where a label may begin, so far off its marks: right, left, above,
// below, the corners. Beside several marks it stands at their middle, or where it
// is not cut off at the right.
func (l label) sides(c draw.Canvas, width, off vg.Length) []vg.Point {
	low, high := l.at[0], l.at[0]
	for _, p := range l.at {
		low = vg.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
		high = vg.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
	}
	left, right, above, below := low.X-off-width, high.X+off, high.Y+off+1, low.Y-off-10
	x, y := min((low.X+high.X-width)/2, c.Max.X-width), (low.Y+high.Y)/2-4
	return []vg.Point{{X: right, Y: y}, {X: left, Y: y}, {X: x, Y: above}, {X: x, Y: below}, {X: right, Y: above}, {X: left, Y: above}, {X: right, Y: below}, {X: left, Y: below}}
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
