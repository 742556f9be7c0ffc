package plots

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/iosweep/iosweep/report"
)

// layers is an SVG canvas that keeps what belongs to one setting, one legend
// entry or one pair of axes in a group of its own, so that a page's script can
// find it. Drawing changes layers with enter; on any other canvas that does
// nothing.
type layers struct {
	vg.Canvas
	w, h vg.Length
	all  []*layer
	// hits are where marks can be pointed at, on top of everything.
	hits strings.Builder
}

// layer is the canvas of one group.
type layer struct {
	attrs  string
	canvas *vgsvg.Canvas
}

func newLayers(w, h vg.Length) *layers {
	l := &layers{w: w, h: h}
	l.enter("")
	return l
}

// Size implements vg.CanvasSizer.
func (l *layers) Size() (w, h vg.Length) { return l.w, l.h }

// enter goes on in the group with the attributes, which is made where it is new.
func (l *layers) enter(attrs string) {
	for _, have := range l.all {
		if have.attrs == attrs && attrs != "" {
			l.Canvas = have.canvas
			return
		}
	}
	next := &layer{attrs, vgsvg.New(l.w, l.h)}
	l.all = append(l.all, next)
	l.Canvas = next.canvas
}

// layersOf finds the layers below a canvas, or nil: cropping wraps them.
func layersOf(c draw.Canvas) *layers {
	for {
		switch inner := c.Canvas.(type) {
		case *layers:
			return inner
		case draw.Canvas:
			c = inner
		default:
			return nil
		}
	}
}

// enter goes on in a group of the canvas's SVG, if it is one in layers.
func enter(c draw.Canvas, format string, a ...any) {
	if l := layersOf(c); l != nil {
		l.enter(fmt.Sprintf(format, a...))
	}
}

// hit lets a mark of the n-th panel be pointed at.
func hit(c draw.Canvas, n int, p *report.Point, at vg.Point) {
	l := layersOf(c)
	if l == nil || p.Text == "" {
		return
	}
	text := p.Detail
	if text == "" {
		text = p.Text
	}
	fmt.Fprintf(&l.hits, `<circle class="hit" data-panel="%d" data-s="%d" cx="%.2f" cy="%.2f" r="9"><title>%s</title></circle>`+"\n", n, styleOf(p), at.X.Points(), at.Y.Points(), html.EscapeString(text))
}

// document is the whole SVG. Each layer's drawing is cut out of the document
// that its canvas writes: they differ in nothing else.
func (l *layers) document() ([]byte, error) {
	var out, tail []byte
	for i, one := range l.all {
		var b bytes.Buffer
		if _, err := one.canvas.WriteTo(&b); err != nil {
			return nil, err
		}
		head, body, end := cutDrawing(b.Bytes())
		if i == 0 {
			out, tail = append(out, head...), end
		}
		if one.attrs != "" {
			body = fmt.Appendf(nil, "<g %s>\n%s</g>\n", one.attrs, body)
		}
		out = append(out, body...)
	}
	out = append(out, l.hits.String()...)
	return append(out, tail...), nil
}

// cutDrawing parts a document of vgsvg at its outermost group.
func cutDrawing(svg []byte) (head, body, tail []byte) {
	from := bytes.Index(svg, []byte("<g transform"))
	from += bytes.IndexByte(svg[from:], '>') + 2
	to := bytes.LastIndex(svg, []byte("</g>"))
	return svg[:from], svg[from:to], svg[to:]
}
