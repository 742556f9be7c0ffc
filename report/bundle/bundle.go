// Package bundle writes a report into a folder: report.md, report.html,
// trials.csv and the plots.
package bundle

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/html"
	"github.com/iosweep/iosweep/report/markdown"
	"github.com/iosweep/iosweep/report/plots"
)

// Write writes the report into dir, which it makes, and returns the paths of
// the files: report.html first. Files of those names are replaced, other files
// left alone. An error names the file.
func Write(dir string, m *report.Model) ([]string, error) {
	if err := os.MkdirAll(filepath.Join(dir, markdown.PlotDir), 0o755); err != nil {
		return nil, fmt.Errorf("make report folder: %w", err)
	}
	var paths []string
	for _, f := range []struct {
		name  string
		write func(io.Writer, *report.Model) error
	}{{"report.html", html.Write}, {"report.md", markdown.Write}, {"trials.csv", WriteTrials}} {
		var b bytes.Buffer
		if err := f.write(&b, m); err != nil {
			return paths, fmt.Errorf("write %s: %w", f.name, err)
		}
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return paths, fmt.Errorf("write report: %w", err)
		}
		paths = append(paths, path)
	}
	files, err := plots.Render(m)
	if err != nil {
		return paths, fmt.Errorf("draw plots: %w", err)
	}
	for _, f := range files {
		path := filepath.Join(dir, markdown.PlotDir, f.Name)
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return paths, fmt.Errorf("write plot: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
