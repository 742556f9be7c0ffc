package plots

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/iosweep/iosweep/report"
)

// TestBoundsPointWhereTheFigureMayBe finds the arrow of each kind of bound and no
// interval along it.
func TestBoundsPointWhereTheFigureMayBe(t *testing.T) {
	for _, c := range []struct {
		name   string
		point  report.Point
		dx, dy float64 // the shaft, in the picture's points: up is positive
	}{
		{"at least", report.Point{AtLeast: true}, 0, 17},
		{"at most", report.Point{AtMost: true}, 0, -17},
		{"at most in x", report.Point{AtMostX: true}, -17, 0},
		{"no bound", report.Point{}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.point.X, c.point.Y = report.Span{Low: 4, Mid: 5, High: 6}, report.Span{Low: 4, Mid: 5, High: 6}
			c.point.Text = "a mark"
			axis := report.Axis{Min: 0, Max: 10}
			svg, err := Inline(&report.Picture{Name: "p", Panels: []report.Panel{{X: axis, Y: axis, Lines: []report.Line{{Style: report.Unjoined, Points: []report.Point{c.point}}}}}})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, m := range regexp.MustCompile(`d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)"[^>]*stroke-width:1\.4`).FindAllStringSubmatch(svg, -1) {
				var at [4]float64
				for i := range at {
					if at[i], err = strconv.ParseFloat(m[i+1], 64); err != nil {
						t.Fatal(err)
					}
				}
				if fmt.Sprintf("%.1f %.1f", at[2]-at[0], at[3]-at[1]) == fmt.Sprintf("%.1f %.1f", c.dx, c.dy) {
					found++
				}
			}
			if bound := c.dx != 0 || c.dy != 0; bound && found != 1 || !bound && found != 0 {
				t.Errorf("%d shafts by %g, %g in %s", found, c.dx, c.dy, svg)
			}
		})
	}
}
