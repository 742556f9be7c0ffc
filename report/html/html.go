// Package html lays a report out as one HTML file: no network, no script,
// pictures inside. Names and texts are escaped by html/template; only the
// pictures, which report/plots escapes, go in as they are.
package html

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/plots"
)

//go:embed page.html style.css
var files embed.FS

// Write writes the whole page. It returns what could not be drawn, or the
// writer's error.
func Write(w io.Writer, m *report.Model) error {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return fmt.Errorf("read style sheet: %w", err)
	}
	page, err := template.New("page.html").Funcs(template.FuncMap{
		"picture":    picture,
		"quantities": report.Quantities,
		"hasLoad":    hasLoad,
		"hasLoads":   hasLoads,
		"lead":       lead,
		"rest":       rest,
		"facts":      func(id, heading string, f []report.Fact) section { return section{id, heading, f} },
		"style":      func() template.CSS { return template.CSS(style) },
	}).ParseFS(files, "page.html")
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	return page.Execute(w, m)
}

// picture is the SVG of a picture.
func picture(p report.Picture) (template.HTML, error) {
	svg, err := plots.Inline(&p)
	return template.HTML(svg), err
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
func lead(m *report.Model) *report.Picture {
	if len(m.Workloads) == 0 || len(m.Workloads[0].Pictures) == 0 {
		return nil
	}
	return &m.Workloads[0].Pictures[0]
}

// rest are the pictures of a workload that do not stand under the answer.
func rest(m *report.Model, w report.Workload) []report.Picture {
	if len(w.Pictures) > 0 && lead(m) == &w.Pictures[0] {
		return w.Pictures[1:]
	}
	return w.Pictures
}

// section is a list of facts under a heading.
type section struct {
	ID, Heading string
	Facts       []report.Fact
}
