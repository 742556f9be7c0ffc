package reporttest

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
)

// Build works out the report of a run.
func Build(t *testing.T, run *results.RunData) *report.Model {
	t.Helper()
	m, err := report.Build(Set(run), query.Query{}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Write returns what a renderer writes of a run.
func Write(t *testing.T, run *results.RunData, render func(io.Writer, *report.Model) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b, Build(t, run)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// update is set by -update, which rewrites the goldens instead of comparing.
var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// Golden compares got with testdata/name, or with -update writes it there.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from the golden: look at it, then run the test with -update", path)
	}
}
