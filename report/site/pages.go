package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/html"
)

//go:embed index.html tunable.html
var templates embed.FS

// group is some entries under a heading.
type group struct {
	Heading, Link string
	Entries       []*entry
}

// index is what the first page shows.
type index struct {
	Entries            []*entry
	Devices, Tunables  []group
	Runs, TunableCount int
}

// comparison is a tunable's page: a table for each workload of that name, a row
// for each run.
type comparison struct {
	Tunable   string
	Workloads []table
}

type table struct {
	Name, Goal string
	// X and Y say what a cell shows, which the cells of other quantities say
	// themselves.
	X, Y   string
	Values []string
	Rows   []row
}

type row struct {
	*entry
	Anchor, Outcome, Best, Load string
	// Cells are throughput and latency by value; empty where not measured.
	Cells []cell
}

type cell struct {
	X, Y string
	// V is X in its base unit, by which the page sorts.
	V    string
	Best bool
}

func writePages(dir string, entries []*entry) error {
	byTunable, byDevice := map[string][]*entry{}, map[string][]*entry{}
	for _, e := range entries {
		byDevice[e.Device] = append(byDevice[e.Device], e)
		for _, t := range e.Tunables {
			byTunable[t] = append(byTunable[t], e)
		}
	}
	ix := index{Entries: entries, Runs: len(entries), TunableCount: len(byTunable)}
	for _, d := range slices.Sorted(maps.Keys(byDevice)) {
		ix.Devices = append(ix.Devices, group{Heading: d, Entries: byDevice[d]})
	}
	for _, t := range slices.Sorted(maps.Keys(byTunable)) {
		page := "tunables/" + address(t) + ".html"
		ix.Tunables = append(ix.Tunables, group{Heading: t, Link: page, Entries: byTunable[t]})
		if err := render(filepath.Join(dir, filepath.FromSlash(page)), "tunable.html", compare(t, byTunable[t])); err != nil {
			return err
		}
	}
	return render(filepath.Join(dir, "index.html"), "index.html", ix)
}

func render(path, name string, data any) error {
	script, err := html.Tables()
	if err != nil {
		return err
	}
	page, err := template.New(name).Funcs(template.FuncMap{
		"style":      func() (template.CSS, error) { s, err := html.Style(); return template.CSS(s), err },
		"script":     func() template.JS { return template.JS(script) },
		"scriptHash": func() string { return html.Hash(script) },
		"join":       strings.Join,
	}).ParseFS(templates, name)
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// compare sets the runs that vary a tunable side by side, by workload.
func compare(tunable string, entries []*entry) comparison {
	c := comparison{Tunable: tunable}
	at := map[string]int{}
	for _, e := range entries {
		for i := range e.Model.Workloads {
			w := &e.Model.Workloads[i]
			if len(w.Tunables) != 1 || w.Tunables[0] != tunable || w.Chart == nil {
				continue
			}
			k, ok := at[w.Name]
			if !ok {
				k = len(c.Workloads)
				at[w.Name] = k
				c.Workloads = append(c.Workloads, table{Name: w.Name})
			}
			c.Workloads[k].add(e, w)
		}
	}
	for i := range c.Workloads {
		c.Workloads[i].fill()
	}
	return c
}

// add adds a run's workload, and its values to the table's columns.
func (t *table) add(e *entry, w *report.Workload) {
	r := row{entry: e, Anchor: w.Anchor}
	for _, v := range e.Model.Verdicts {
		if v.Workload == w.Name {
			r.Outcome, r.Best, t.Goal = v.Outcome, v.Best, v.Goal
		}
	}
	for _, s := range w.Settings {
		if !slices.Contains(t.Values, s.Short) {
			t.Values = append(t.Values, s.Short)
		}
	}
	if len(t.Rows) == 0 {
		t.X, t.Y = w.Chart.XQuantity, w.Chart.YQuantity
	}
	t.Rows = append(t.Rows, r)
}

// fill makes every row's cells, once the columns are known. Of several load
// points the last, the heaviest, is shown.
func (t *table) fill() {
	for i := range t.Rows {
		r := &t.Rows[i]
		w := r.workload()
		r.Cells = make([]cell, len(t.Values))
		x, y := &w.Tables[w.Chart.X], &w.Tables[w.Chart.Y]
		for k := range y.Rows {
			s := y.Rows[k].Setting.Short
			r.Load = y.Rows[k].Load
			r.Cells[slices.Index(t.Values, s)] = cell{
				X: text(x.Rows[k], w.Chart.XQuantity, t.X), Y: text(y.Rows[k], w.Chart.YQuantity, t.Y), V: number(x.Rows[k], w.Chart.XQuantity),
				Best: r.Outcome == report.Decided && r.Best == y.Rows[k].Setting.Label,
			}
		}
	}
}

func (r *row) workload() *report.Workload {
	i := slices.IndexFunc(r.Model.Workloads, func(w report.Workload) bool { return w.Anchor == r.Anchor })
	return &r.Model.Workloads[i]
}

// text is a row's figure of a quantity, with its name where that is not the usual
// one; empty where it has none.
func text(r report.Row, quantity, usual string) string {
	i := slices.Index(report.Quantities(), quantity)
	if i < 0 || !r.Figures[i].Valid() {
		return ""
	}
	if quantity == usual {
		return r.Figures[i].Text
	}
	return quantity + " " + r.Figures[i].Text
}

// number is the same figure in its base unit.
func number(r report.Row, quantity string) string {
	i := slices.Index(report.Quantities(), quantity)
	if i < 0 || !r.Figures[i].Valid() {
		return ""
	}
	return strconv.FormatFloat(r.Figures[i].Median, 'g', -1, 64)
}
