// Package bundle writes a report into a folder: report.md, report.html,
// trials.csv and the plots. What Files returns depends on the model alone, so a
// report can be checked by making it again.
package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/html"
	"github.com/iosweep/iosweep/report/markdown"
	"github.com/iosweep/iosweep/report/plots"
)

// Page is the name of the page among a report's files.
const Page = "report.html"

// File is one file of a report; its name is a slashed path below the folder.
type File struct {
	Name string
	Data []byte
}

// Files makes all of a report's files, the page first. An error names the file.
func Files(m *report.Model) ([]File, error) {
	var files []File
	for _, f := range []struct {
		name  string
		write func(io.Writer, *report.Model) error
	}{{Page, html.Write}, {"report.md", markdown.Write}, {"trials.csv", WriteTrials}} {
		var b bytes.Buffer
		if err := f.write(&b, m); err != nil {
			return nil, fmt.Errorf("write %s: %w", f.name, err)
		}
		files = append(files, File{f.name, b.Bytes()})
	}
	drawn, err := plots.Render(m)
	if err != nil {
		return nil, fmt.Errorf("draw plots: %w", err)
	}
	for _, f := range drawn {
		files = append(files, File{path.Join(markdown.PlotDir, f.Name), f.Data})
	}
	return files, nil
}

// ErrForeign means that a folder holds something else than a report.
var ErrForeign = errors.New("the folder is not empty and holds no report")

// checkFolder refuses a folder with somebody else's files in it: theirs might
// have the names of a report's.
func checkFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look into report folder: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, Page)); err != nil {
		return fmt.Errorf("write report to %s: %w: name a new or empty folder", dir, ErrForeign)
	}
	return nil
}

// Write writes the report into dir, which it makes, and returns the paths of
// the files: report.html first. In a folder that holds a report already its
// files are replaced; any other folder must be empty (ErrForeign). An error
// names the file.
func Write(dir string, m *report.Model) ([]string, error) {
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, markdown.PlotDir), 0o755); err != nil {
		return nil, fmt.Errorf("make report folder: %w", err)
	}
	files, err := Files(m)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return paths, fmt.Errorf("write report: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
