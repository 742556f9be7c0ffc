// Package html lays a report out as one HTML file: no network, pictures inside,
// complete without its script. Names and texts are escaped by html/template;
// only the pictures, which report/plots escapes, go in as they are. The policy
// in the page's head lets no other script run than its own, by its hash.
package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/plots"
)

//go:embed page.html page.js tables.js style.css
var files embed.FS

// Write writes the whole page. It returns what could not be drawn, or the
// writer's error.
func Write(w io.Writer, m *report.Model) error {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return fmt.Errorf("read style sheet: %w", err)
	}
	script, err := scripts("page.js", "tables.js")
	if err != nil {
		return err
	}
	page, err := template.New("page.html").Funcs(template.FuncMap{
		"picture":    picture,
		"pictures":   picturesOf,
		"marks":      marks,
		"parts":      parts,
		"data":       data,
		"quantities": report.Quantities,
		"latencies":  report.Latencies,
		"hasLoad":    hasLoad,
		"hasLoads":   hasLoads,
		"lead":       lead,
		"rest":       rest,
		"facts":      func(id, heading string, f []report.Fact) section { return section{ID: id, Heading: heading, Facts: f} },
		"style":      func() template.CSS { return template.CSS(style) },
		"script":     func() template.JS { return template.JS(script) },
		"scriptHash": func() string { return Hash(script) },
	}).ParseFS(files, "page.html")
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	return page.Execute(w, m)
}

// data is every figure as JSON, which escapes what could end the element.
func data(m *report.Model) (template.JS, error) {
	text, err := json.Marshal(m.Figures())
	return template.JS(text), err
}

// picture is the SVG of a picture.
func picture(p *report.Picture) (template.HTML, error) {
	svg, err := plots.Inline(p)
	return template.HTML(svg), err
}

// figure is a picture in its place: of which workload it is, and whether the
// script can draw it anew for other latencies.
type figure struct {
	*report.Picture
	Anchor string
	// Chart is what the script can draw anew: the main picture, that by value, one
	// of lines, or nothing.
	Chart string
}

// Choices are the names of what a picture of lines can show.
func (f figure) Choices() (names []string) {
	for _, p := range f.Panels {
		if len(p.Choices) > len(names) {
			names = nil
			for _, c := range p.Choices {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// section is a part of the page.
type section struct {
	ID, Heading string
	Facts       []report.Fact
	Figures     []figure
}

// figures are some pictures of a workload.
func figures(w *report.Workload, pictures []report.Picture) (out []figure) {
	for i := range pictures {
		f := figure{Picture: &pictures[i], Anchor: w.Anchor}
		for k, chart := range []string{"main", "value"} {
			if w.Chart != nil && k < len(w.Pictures) && &pictures[i] == &w.Pictures[k] {
				f.Chart = chart
			}
		}
		out = append(out, f)
	}
	return out
}

// picturesOf is the section of one kind of pictures of all workloads: 1
// distributions, 2 over time.
func picturesOf(id, heading string, m *report.Model, kind int) section {
	s := section{ID: id, Heading: heading}
	for i := range m.Workloads {
		w := &m.Workloads[i]
		s.Figures = append(s.Figures, figures(w, [][]report.Picture{w.Pictures, w.Distributions, w.Progress}[kind])...)
	}
	for i := range s.Figures {
		s.Figures[i].Chart = "lines"
	}
	return s
}

// parts are the sections to which the head of the page leads.
func parts(m *report.Model) []section {
	all := []section{{ID: "answer", Heading: "Answer"}}
	if len(m.Verdicts) > 0 {
		all = append(all, section{ID: "verdicts", Heading: "Verdicts"})
	}
	for _, w := range m.Workloads {
		all = append(all, section{ID: w.Anchor, Heading: w.Name})
	}
	for kind, s := range []section{{}, {ID: "distributions", Heading: "Latency distributions"}, {ID: "progress", Heading: "Over time"}} {
		if kind > 0 && len(picturesOf("", "", m, kind).Figures) > 0 {
			all = append(all, s)
		}
	}
	return append(all,
		section{ID: "effects", Heading: "Proof of effect"}, section{ID: "findings", Heading: "Validity"},
		section{ID: "machine", Heading: "Machine and device"}, section{ID: "method", Heading: "Method"},
		section{ID: "profile", Heading: "Profile"}, section{ID: "again", Heading: "Run it again"}, section{ID: "cite", Heading: "How to cite"})
}

// marks are a picture's marks in words, for its table. Of a line without marks
// they are its ends.
func marks(p *report.Picture) (out []report.Fact) {
	for _, panel := range p.Panels {
		for _, l := range panel.Lines {
			for i, pt := range l.Points {
				if pt.Text == "" || pt.Bare && i > 0 && i < len(l.Points)-1 {
					continue
				}
				name, value, _ := strings.Cut(pt.Text, ": ")
				out = append(out, report.Fact{Name: name, Value: value})
			}
		}
	}
	return out
}

// hasLoad says whether a table needs a column for load points.
func hasLoad(t report.Table) bool {
	for _, r := range t.Rows {
		if r.Load != "" {
			return true
		}
	}
	return false
}

// hasLoads says the same of the verdicts.
func hasLoads(all []report.Verdict) bool {
	for _, v := range all {
		if v.Load != "" {
			return true
		}
	}
	return false
}

// lead is the picture that stands under the answer, if there is one.
func lead(m *report.Model) *figure {
	if len(m.Workloads) == 0 || len(m.Workloads[0].Pictures) == 0 {
		return nil
	}
	return &figures(&m.Workloads[0], m.Workloads[0].Pictures)[0]
}

// rest are the pictures of a workload that do not stand under the answer.
func rest(m *report.Model, w report.Workload) []figure {
	all := figures(&w, w.Pictures)
	if len(m.Workloads) > 0 && m.Workloads[0].Anchor == w.Anchor && len(all) > 0 {
		return all[1:]
	}
	return all
}

// scripts are some scripts as one.
func scripts(names ...string) (string, error) {
	var b strings.Builder
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("read script: %w", err)
		}
		b.Write(text)
	}
	return b.String(), nil
}

// Tables is the script that lets tables be sorted, filtered and copied, for pages
// beside a report. It tells of it in the element status.
func Tables() (string, error) { return scripts("tables.js") }

// Hash is how a page's policy names a script that may run.
func Hash(script string) string {
	hash := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// Style is the style sheet of every page, for pages beside a report.
func Style() (string, error) {
	style, err := files.ReadFile("style.css")
	return string(style), err
}
