// Package check recomputes what a run's trials and a report say, and tells which
// of it differs.
//
// A trial is checked against itself: its rates against its counts and window,
// its histograms against its counts. A report is checked by making it again
// from the runs: first figure by figure, as the page carries them, then file by
// file.
package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/bundle"
)

// Difference is one thing that is not what it should be.
type Difference struct {
	// Where names the trial, figure or file.
	Where string `json:"where"`
	// Stored is what it says, Computed what it should say.
	Stored   string `json:"stored"`
	Computed string `json:"computed"`
}

// Result is what was checked, and what of it differs.
type Result struct {
	// Figures and Files count what was compared.
	Figures     int          `json:"figures"`
	Files       int          `json:"files"`
	Differences []Difference `json:"differences"`
}

func (r *Result) differ(where, stored, computed string) {
	r.Differences = append(r.Differences, Difference{where, stored, computed})
}

// same compares two numbers to nine digits: the same arithmetic on another
// machine may round the last ones differently.
func (r *Result) same(where string, stored, computed float64) {
	r.Figures++
	if math.Abs(stored-computed) > 1e-9*max(math.Abs(stored), math.Abs(computed)) {
		r.differ(where, fmt.Sprint(stored), fmt.Sprint(computed))
	}
}

// errNoFigures says that a page is no report of iosweep's, or one too old to
// carry its figures.
var errNoFigures = errors.New("it carries no figures: it is no iosweep report, or one made before reports could be verified: make it again with 'iosweep report'")

// maxPage bounds a page that is read, in bytes.
const maxPage = 64 << 20

// Read returns the figures that a page carries.
func Read(page string) (report.Figures, error) {
	var f report.Figures
	info, err := os.Stat(page)
	if err != nil {
		return f, fmt.Errorf("read report: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxPage {
		return f, fmt.Errorf("read report %s: it is no file of at most %d bytes", page, maxPage)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return f, fmt.Errorf("read report: %w", err)
	}
	if err := parse(text, &f); err != nil {
		return f, fmt.Errorf("read report %s: %w", page, err)
	}
	return f, nil
}

func parse(text []byte, f *report.Figures) error {
	_, rest, ok := bytes.Cut(text, []byte(`<script type="application/json" id="figures">`))
	data, _, closed := bytes.Cut(rest, []byte("</script>"))
	if !ok || !closed {
		return errNoFigures
	}
	return json.Unmarshal(data, f)
}

// Report checks the report in a folder against the model that is built from the
// runs. Files that are not there are not missed, but for the page.
func Report(dir string, m *report.Model) (Result, error) {
	var r Result
	stored, err := Read(filepath.Join(dir, bundle.Page))
	if err != nil {
		return r, err
	}
	r.figures(stored, m.Figures())
	files, err := bundle.Files(m)
	if err != nil {
		return r, err
	}
	for _, f := range files {
		have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return r, fmt.Errorf("read report: %w", err)
		}
		r.Files++
		r.file(f.Name, have, f.Data)
	}
	return r, nil
}

// file tells at which line a file differs from what is made now.
func (r *Result) file(name string, have, want []byte) {
	if bytes.Equal(have, want) {
		return
	}
	a, b := bytes.Split(have, []byte("\n")), bytes.Split(want, []byte("\n"))
	i := 0
	for i < len(a) && i < len(b) && bytes.Equal(a[i], b[i]) {
		i++
	}
	r.differ(fmt.Sprintf("%s:%d", name, i+1), line(a, i), line(b, i))
}

// line is a line cut to what fits in a message.
func line(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "(the end)"
	}
	const most = 120
	if s := []rune(string(lines[i])); len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(lines[i])
}

// figures compares two reports' figures by their names.
func (r *Result) figures(stored, computed report.Figures) {
	have, want := flatten(stored), flatten(computed)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		n, ok := have[name]
		if !ok {
			r.differ(name, "(missing)", want[name].Text)
			continue
		}
		r.number(name, n, want[name])
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[name]; !ok {
			r.differ(name, have[name].Text, "(there is none)")
		}
	}
}

func (r *Result) number(name string, stored, computed report.Number) {
	r.same(name+" median", stored.Value, computed.Value)
	r.same(name+" low end", stored.Low, computed.Low)
	r.same(name+" high end", stored.High, computed.High)
	r.same(name+" trials", float64(stored.N), float64(computed.N))
	if stored.AtLeast != computed.AtLeast || stored.AtMost != computed.AtMost || stored.Text != computed.Text {
		r.differ(name+" text", stored.Text, computed.Text)
	}
}

// flatten names every figure: run, workload, job, kind, setting, load, quantity.
func flatten(f report.Figures) map[string]report.Number {
	out := map[string]report.Number{}
	for _, w := range f.Workloads {
		for _, t := range w.Tables {
			for _, row := range t.Rows {
				at := fmt.Sprintf("%s %s %s.%s, %s %s: ", w.Run, w.Name, t.Job, t.Kind, row.Setting, row.Load)
				for q, n := range row.Figures {
					out[at+q] = n
				}
				for q, n := range row.Service {
					out[at+"service."+q] = n
				}
			}
		}
	}
	return out
}
