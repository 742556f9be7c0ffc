package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/bundle"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// written is the folder of a report.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := bundle.Write(dir, reporttest.Build(t, reporttest.Quick())); err != nil {
		t.Fatal(err)
	}
	return dir
}

// forge replaces a text in a file.
func forge(t *testing.T, file, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte(old), []byte(new), 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReportIsWhatItsTrialsSay(t *testing.T) {
	dir := written(t)
	r, err := Report(dir, reporttest.Build(t, reporttest.Quick()))
	if err != nil || len(r.Differences) > 0 {
		t.Fatalf("differences %v, error %v", r.Differences, err)
	}
	if r.Figures < 300 || r.Files != 23 {
		t.Errorf("%d figures and %d files were compared", r.Figures, r.Files)
	}
}

func TestForgedReportIsFound(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, where string }{
		{"a figure", "report.html", `"t":"34.6 GB/s [30.0–39.9]"`, `"t":"94.6 GB/s [30.0–39.9]"`, "deletes delete.delete, 8192 : throughput text"},
		{"a cell", "report.html", "<td data-v=\"", "<td data-v=\"9", "report.html:"},
		{"a sentence", "report.md", "undecided: 262144", "decided: 262144", "report.md:"},
		{"a row", "trials.csv", "valid", "failed", "trials.csv:2"},
		{"a picture", "plots/w1-deletes.svg", "<path", "<path ", "plots/w1-deletes.svg:"},
	} {
		dir := written(t)
		forge(t, filepath.Join(dir, c.file), c.old, c.new)
		r, err := Report(dir, reporttest.Build(t, reporttest.Quick()))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if len(r.Differences) == 0 || !strings.Contains(r.Differences[0].Where, c.where) {
			t.Errorf("%s: differences %v, want one at %s", c.name, r.Differences, c.where)
		}
	}
}

func TestTrialsAgreeWithThemselves(t *testing.T) {
	run := reporttest.Quick()
	if r := Trials(run); len(r.Differences) > 0 || r.Figures == 0 {
		t.Fatalf("%d figures, differences %v", r.Figures, r.Differences)
	}
	run.Trials[0].Jobs[0].Kinds[0].BytesPerSecond = results.Some(1e12)
	run.Trials[1].Jobs[0].Kinds[0].Service.Record(5)
	r := Trials(run)
	if len(r.Differences) != 2 || r.Differences[0].Where != "trial 0.0 delete.delete bytes_per_s" || r.Differences[1].Where != "trial 1.0 delete.delete latencies" {
		t.Errorf("differences %v, want a rate and a number of latencies", r.Differences)
	}
}

func TestOtherPagesAreNoReports(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, bundle.Page)
	for text, want := range map[string]string{"<html></html>": "carries no figures", `<script type="application/json" id="figures">{"runs":3}</script>`: "cannot unmarshal"} {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(page); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), page) {
			t.Errorf("error %v, want one that names the page and says %q", err, want)
		}
	}
}
