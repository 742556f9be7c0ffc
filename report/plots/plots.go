// Package plots draws a report's pictures with gonum/plot, as SVG and as PNG.
//
// The layout is its own: title and subtitle above, the legend right of the
// panels and never over the data. Colours are Okabe and Ito's, which readers
// with any common colour blindness can tell apart; shapes and dashes differ
// too, so that no picture depends on colour.
package plots

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"image/png"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/iosweep/iosweep/report"
)

// File is a file to be written.
type File struct {
	Name string
	Data []byte
}

// dpi makes a PNG sharp on a dense screen and in print at a column's width, and
// slideDPI a slide of at least 1920 pixels.
const dpi, slideDPI = 200, 267

// Render draws every picture of a model as <name>.svg, and for slides and mail as
// <name>.png, on all processors. An error names the file.
func Render(m *report.Model) ([]File, error) {
	var pictures []*report.Picture
	for i := range m.Workloads {
		pictures = append(pictures, m.Workloads[i].All()...)
	}
	files, errs := make([]File, 2*len(pictures)), make([]error, 2*len(pictures))
	var next atomic.Int64
	var drawing sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		drawing.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				files[i], errs[i] = render(pictures[i/2], i%2)
			}
		})
	}
	drawing.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return files, nil
}

// render draws a picture as one of its two files.
func render(p *report.Picture, which int) (File, error) {
	kind, draw := ".svg", SVG
	if which == 1 {
		kind, draw = ".png", PNG
	}
	data, err := draw(p)
	if err != nil {
		return File{}, fmt.Errorf("draw %s%s: %w", p.Name, kind, err)
	}
	return File{p.Name + kind, data}, nil
}

// size is a picture's size: wider with two panels. A slide is smaller, and its
// letters so larger when it fills the screen.
func size(p *report.Picture) (w, h vg.Length) {
	if p.Theme == report.Slide {
		w = 7.2 * vg.Inch
		if len(p.Panels) > 1 {
			w = 9 * vg.Inch
		}
		return w, w * 9 / 16
	}
	if len(p.Panels) > 1 {
		return 10.4 * vg.Inch, 4.5 * vg.Inch
	}
	return 8.6 * vg.Inch, 4.9 * vg.Inch
}

// SVG draws a picture as a document of its own, with a title and a description
// for readers who cannot see it.
func SVG(p *report.Picture) ([]byte, error) {
	w, h := size(p)
	c := vgsvg.New(w, h)
	drawPicture(draw.New(c), p)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return accessible(b.Bytes(), p), nil
}

// PNG draws a picture finely enough for its theme.
func PNG(p *report.Picture) ([]byte, error) {
	w, h := size(p)
	fine := dpi
	if p.Theme == report.Slide {
		fine = slideDPI
	}
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(fine), vgimg.UseBackgroundColor(color.White))
	drawPicture(draw.New(c), p)
	var b bytes.Buffer
	// The last tenth of its size would take most of a report's time.
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, c.Image()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// accessible gives a drawn document a role, a title and a description, and
// fonts to fall back on: Liberation Sans has Arial's widths.
func accessible(svg []byte, p *report.Picture) []byte {
	start := bytes.Index(svg, []byte("<svg"))
	if start < 0 {
		return svg
	}
	end := start + bytes.IndexByte(svg[start:], '>') + 1
	head := fmt.Sprintf(` role="img" aria-labelledby="%[1]s-title %[1]s-desc">`+"\n"+`<title id="%[1]s-title">%[2]s</title>`+"\n"+`<desc id="%[1]s-desc">%[3]s</desc>`,
		html.EscapeString(p.Name), html.EscapeString(p.Title), html.EscapeString(p.Desc))
	out := append([]byte{}, svg[:end-1]...)
	out = append(out, head...)
	out = append(out, svg[end:]...)
	return bytes.ReplaceAll(out, []byte("font-family:Liberation Sans;font-variant:normal;"),
		[]byte("font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif;"))
}

// Inline returns a picture's SVG to be set into a page, in layers: g.entry and
// g.series have the setting's style as data-s, g.axes and g.labels are a panel's,
// and circle.hit stands over each mark with its words. It has no XML head, has
// its size left to the page, and its ink and paper taken from the page's
// --ink, --muted, --grid and --paper so that it follows light and dark, as are
// the two colours that would drown in the dark: --blue and --join.
func Inline(p *report.Picture) (string, error) {
	page := *p
	page.Theme = report.Paper
	w, h := size(&page)
	l := newLayers(w, h)
	drawPicture(draw.New(l), &page)
	svg, err := l.document()
	if err != nil {
		return "", err
	}
	svg = accessible(svg, p)
	svg = svg[bytes.Index(svg, []byte("<svg")):]
	fixed := regexp.MustCompile(`^<svg width="[^"]*" height="[^"]*"`)
	svg = fixed.ReplaceAll(svg, []byte("<svg"))
	for _, c := range []struct{ from, to string }{
		{hex(ink()), "var(--ink)"}, {hex(muted()), "var(--muted)"}, {hex(grid()), "var(--grid)"}, {hex(paper()), "var(--paper)"},
		{hex(colorOf(0)), "var(--blue)"}, {hex(join()), "var(--join)"},
	} {
		svg = bytes.ReplaceAll(svg, []byte(":"+c.from), []byte(":"+c.to))
	}
	return string(svg), nil
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
