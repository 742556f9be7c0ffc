package plots

import (
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/iosweep/iosweep/report"
)

// The colours that are not a setting's: text, lesser text, grid, background,
// and the lines that only lead the eye.
func ink() color.RGBA   { return color.RGBA{0x1f, 0x23, 0x28, 0xff} }
func muted() color.RGBA { return color.RGBA{0x59, 0x63, 0x6e, 0xff} }
func grid() color.RGBA  { return color.RGBA{0xe2, 0xe6, 0xea, 0xff} }
func paper() color.RGBA { return color.RGBA{0xff, 0xff, 0xff, 0xff} }
func join() color.RGBA  { return color.RGBA{0xb4, 0xbb, 0xc3, 0xff} }

// colorOf returns a style's colour from Okabe and Ito's palette, without its
// yellow, which is too light on paper.
func colorOf(style int) color.RGBA {
	palette := [...]color.RGBA{
		{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
		{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, ink(),
	}
	if style < 0 {
		return muted()
	}
	return palette[style%len(palette)]
}

// lineOf returns the line that joins a style's marks.
func lineOf(style int) draw.LineStyle {
	switch style {
	case report.Plain:
		return draw.LineStyle{Color: join(), Width: vg.Points(1), Dashes: []vg.Length{3, 3}}
	case report.Frontier:
		return draw.LineStyle{Color: join(), Width: vg.Points(3)}
	}
	dashes := [...][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}
	return draw.LineStyle{Color: colorOf(style), Width: vg.Points(1.6), Dashes: dashes[style%len(dashes)]}
}

func thin(c color.Color) draw.LineStyle { return draw.LineStyle{Color: c, Width: vg.Points(0.9)} }

// style returns a text style in Liberation Sans.
func style(size float64, c color.Color, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: plot.DefaultTextHandler, XAlign: text.XLeft, YAlign: text.YBottom}
}

// radius is the size of a mark.
const radius = vg.Length(4.2)

// mark draws a style's shape at a point: full, or as an outline.
func mark(c *draw.Canvas, style int, at vg.Point, hollow bool) {
	col := colorOf(style)
	if hollow && style < 0 {
		style = 0
	}
	path := shape(style, at)
	if hollow {
		c.SetLineStyle(draw.LineStyle{Color: col, Width: vg.Points(1.4)})
		c.Stroke(path)
		return
	}
	c.SetColor(col)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: paper(), Width: vg.Points(0.7)})
	c.Stroke(path)
}

// shape returns a style's outline. There are eight shapes and seven colours, so
// that 56 settings differ.
func shape(style int, at vg.Point) vg.Path {
	switch max(style, 0) % 8 {
	case 1:
		return polygon(at, 4, math.Pi/4, 1.15)
	case 2:
		return polygon(at, 3, math.Pi/2, 1.25)
	case 3:
		return polygon(at, 4, 0, 1.25)
	case 4:
		return polygon(at, 3, -math.Pi/2, 1.25)
	case 5:
		return polygon(at, 5, math.Pi/2, 1.15)
	case 6:
		return cross(at, 0)
	case 7:
		return cross(at, math.Pi/4)
	}
	return polygon(at, 24, 0, 1)
}

// polygon is regular, its first corner at the given angle.
func polygon(at vg.Point, corners int, angle, scale float64) vg.Path {
	var p vg.Path
	for i := range corners {
		a := angle + 2*math.Pi*float64(i)/float64(corners)
		corner(&p, i, at, math.Cos(a)*scale, math.Sin(a)*scale)
	}
	p.Close()
	return p
}

// cross has four thick arms.
func cross(at vg.Point, angle float64) vg.Path {
	const arm, half = 1.2, 0.42
	corners := [...][2]float64{
		{arm, half}, {half, half}, {half, arm}, {-half, arm}, {-half, half}, {-arm, half},
		{-arm, -half}, {-half, -half}, {-half, -arm}, {half, -arm}, {half, -half}, {arm, -half},
	}
	var p vg.Path
	sin, cos := math.Sincos(angle)
	for i, k := range corners {
		corner(&p, i, at, k[0]*cos-k[1]*sin, k[0]*sin+k[1]*cos)
	}
	p.Close()
	return p
}

// corner adds the i-th corner to a path, in radii from its middle.
func corner(p *vg.Path, i int, at vg.Point, x, y float64) {
	pt := vg.Point{X: at.X + radius*vg.Length(x), Y: at.Y + radius*vg.Length(y)}
	if i == 0 {
		p.Move(pt)
		return
	}
	p.Line(pt)
}
