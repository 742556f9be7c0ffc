package bundle

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	paths, err := Write(dir, reporttest.Build(t, reporttest.Quick()))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(paths[0]) != "report.html" || len(paths) != 3+2*10 {
		t.Errorf("files %v", paths)
	}
	for _, p := range paths {
		if s, err := os.Stat(p); err != nil || s.Size() == 0 {
			t.Errorf("%s: %v", p, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "](")[1:] {
		name, _, _ := strings.Cut(part, ")")
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("report.md shows a file that there is not: %v", err)
		}
	}
	if _, err := Write(dir, reporttest.Build(t, reporttest.Quick())); err != nil {
		t.Errorf("write the report a second time: %v", err)
	}
}

func TestWriteWhereItCannot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(file, reporttest.Build(t, reporttest.Quick())); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one that names %s", err, file)
	}
}

func rows(t *testing.T, run *results.RunData) [][]string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteTrials(&b, reporttest.Build(t, run)); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTrialsHaveOneRowForEachJobAndKind(t *testing.T) {
	all := rows(t, reporttest.Quick())
	if want := 1 + 3*(4+2*4+3); len(all) != want {
		t.Errorf("%d rows, want %d", len(all), want)
	}
	column := map[string]int{}
	for i, name := range all[0] {
		column[name] = i
	}
	starved := 0
	for _, r := range all[1:] {
		if r[column["job"]] == "reader" && r[column["kind"]] == "" {
			starved++
			if r[column["mean_s"]] != "" || r[column["oldest_pending_s"]] != "0.98" {
				t.Errorf("a starved trial's row is %v", r)
			}
			continue
		}
		for _, name := range []string{"bytes_per_s", "ops_per_s", "mean_s", "p50_s", "max_s"} {
			if v, err := strconv.ParseFloat(r[column[name]], 64); err != nil || v <= 0 {
				t.Errorf("%s is %q: %v", name, r[column[name]], err)
			}
		}
	}
	if starved != 3 {
		t.Errorf("%d starved rows, want 3", starved)
	}
}

func TestTrialsRunNothingInASpreadsheet(t *testing.T) {
	for _, r := range rows(t, reporttest.Hostile())[1:] {
		for _, c := range r {
			if strings.HasPrefix(c, "=") {
				t.Errorf("cell %s is a formula", c)
			}
		}
	}
}

func TestFailedTrialsHaveARow(t *testing.T) {
	all := rows(t, reporttest.Curves(1, 1, func(_, d int) bool { return d == 8 }))
	failed := 0
	for _, r := range all[1:] {
		if r[8] == "failed" {
			failed++
			if !strings.Contains(strings.Join(r, ","), "io_error") {
				t.Errorf("the row does not say why: %v", r)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d failed rows, want 1", failed)
	}
}

// TestForeignFolderIsLeftAlone holds that a report replaces a report and
// nothing else.
func TestForeignFolderIsLeftAlone(t *testing.T) {
	m := reporttest.Build(t, reporttest.Quick())
	dir := t.TempDir()
	for range 2 {
		if _, err := Write(dir, m); err != nil {
			t.Fatal(err)
		}
	}
	foreign := t.TempDir()
	mine := filepath.Join(foreign, "report.md")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(foreign, m); !errors.Is(err, ErrForeign) {
		t.Errorf("a foreign folder: %v, want %v", err, ErrForeign)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("its file is now %q, %v", text, err)
	}
}
