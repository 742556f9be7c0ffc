package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

// empty is a run of which every trial failed.
func empty() *results.RunData {
	return reporttest.Curves(2, 1, func(int, int) bool { return true })
}

// zero is a run in which one setting's latencies are all zero, so that they
// cannot stand on the logarithmic axis that the others need.
func zero() *results.RunData {
	r := reporttest.Curves(6, 1, nil)
	for i := range r.Trials {
		if t := &r.Trials[i]; t.Load.Depth == 1 && t.Variant == "curve-0" {
			h := hist.New()
			for range 500 {
				h.Record(0)
			}
			t.Jobs[0].Kinds[0].Service = h
		}
	}
	return r
}

// published is a run beside figures that were published elsewhere.
func published() *results.RunData {
	r := reporttest.Quick()
	for _, ref := range []struct {
		value string
		x, y  float64
	}{{"128", 0.18e9, 0.065}, {"64", 0.12e9, 0.043}} {
		r.Run.References = append(r.Run.References,
			results.Reference{Label: "commit", Workload: "scrub", Value: ref.value, Metric: "scrub.throughput", Figure: ref.x},
			results.Reference{Label: "commit", Workload: "scrub", Value: ref.value, Metric: "reader.mean", Figure: ref.y})
	}
	r.Run.References = append(r.Run.References, results.Reference{Label: "commit", Workload: "scrub", Value: "1024", Metric: "scrub.throughput", Figure: 2.6e9, Qualifier: "lower bound"})
	return r
}

func TestPicturesMatchGoldens(t *testing.T) {
	for _, c := range []struct {
		name     string
		run      *results.RunData
		workload int
	}{
		{"zero-points", empty(), 0},
		{"one-point", reporttest.Curves(1, 1, func(_, d int) bool { return d != 8 }), 0},
		{"gap", reporttest.Curves(2, 3, func(s, d int) bool { return s == 0 && d == 4 }), 0},
		{"one-setting", reporttest.Curves(1, 7, nil), 0},
		{"twelve-settings", reporttest.Curves(12, 3, nil), 0},
		{"starved-log-axis", reporttest.Quick(), 1},
		{"published", published(), 1},
		{"zero-latency", zero(), 0},
		{"hostile", reporttest.Hostile(), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &reporttest.Build(t, c.run).Workloads[c.workload]
			for i := range w.Pictures {
				p := &w.Pictures[i]
				svg, err := SVG(p)
				if err != nil {
					t.Fatal(err)
				}
				name := c.name + []string{"", "-by-value"}[i]
				wellFormed(t, svg)
				reporttest.Golden(t, name+".svg", svg)
				keep(t, name, p)
			}
		})
	}
}

// keep leaves the PNG in $PLOTS for somebody to look at.
func keep(t *testing.T, name string, p *report.Picture) {
	data, err := PNG(p)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); w < 1500 {
		t.Errorf("the PNG is %d pixels wide, too few for print", w)
	}
	if dir := os.Getenv("PLOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the SVG is not well-formed: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "script" || e.Name.Local == "image") {
			t.Errorf("the SVG has a %s element", e.Name.Local)
		}
	}
}

func TestInlineFollowsThePage(t *testing.T) {
	p := &reporttest.Build(t, reporttest.Quick()).Workloads[0].Pictures[0]
	svg, err := Inline(p)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(svg, "<svg viewBox=") {
		t.Errorf("the size is not left to the page: %.80s", svg)
	}
	for _, c := range []string{"#1F2328", "#59636E", "#FFFFFF", "#0072B2"} {
		if strings.Contains(svg, c) {
			t.Errorf("the fixed colour %s is left", c)
		}
	}
	for _, v := range []string{"var(--ink)", "var(--muted)", "var(--grid)", "var(--paper)", "<title ", "<desc "} {
		if !strings.Contains(svg, v) {
			t.Errorf("no %s", v)
		}
	}
	if !strings.Contains(svg, p.Panels[0].Lines[0].Points[0].Text) {
		t.Error("the description does not give the figures")
	}
}

func TestStylesDiffer(t *testing.T) {
	seen := map[string]int{}
	for i := range 56 {
		look := fmt.Sprint(colorOf(i), shape(i, vg.Point{}))
		if j, ok := seen[look]; ok {
			t.Fatalf("styles %d and %d look the same", j, i)
		}
		seen[look] = i
	}
}
