package compared_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/compared"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
)

func table(t *testing.T) *comparison.Table {
	t.Helper()
	data := reporttest.Quick()
	table, err := comparison.Variants(data, data.Run.Tunables[0].Name, "", comparison.Options{Margin: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// within is Text for a terminal of so many columns.
func within(width int) func(io.Writer, *comparison.Table) error {
	return func(w io.Writer, t *comparison.Table) error { return compared.Text(w, t, width) }
}

func TestGoldens(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *comparison.Table) error{
		"table.txt": within(0), "table-80.txt": within(80), "table-40.txt": within(40), "table.md": compared.Markdown, "table.csv": compared.CSV,
		"table.json": func(w io.Writer, t *comparison.Table) error { return compared.JSON(w, t, comparison.Pass) },
	} {
		var b bytes.Buffer
		if err := write(&b, table(t)); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, name, b.Bytes())
	}
}

// TestBoundsAreTold keeps the sign of what is a bound.
func TestBoundsAreTold(t *testing.T) {
	c := table(t)
	c.Rows[0].NewBounds, c.Rows[1].NewBounds, c.Rows[1].Unit = 1, 1, results.Seconds
	var text bytes.Buffer
	if err := compared.Text(&text, c, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "\u2264 34.6 GB/s") || !strings.Contains(text.String(), "\u2265 ") {
		t.Errorf("bounds are not told:\n%s", &text)
	}
}

// Names come from profiles and devices: they must not break out of any form.
func TestHostileNames(t *testing.T) {
	hostile := table(t)
	hostile.Notes = []string{"bell \a and <b>|`"}
	for i := range hostile.Rows {
		hostile.Rows[i].Workload = "a|b<script>\n\x1b[31m,\"x"
	}
	var text, markdown, sheet, object bytes.Buffer
	for _, err := range []error{compared.Text(&text, hostile, 0), compared.Markdown(&markdown, hostile), compared.CSV(&sheet, hostile), compared.JSON(&object, hostile, "")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(text.String(), "\a\x1b") {
		t.Error("control characters reach the terminal")
	}
	if strings.Contains(markdown.String(), "<script>") || strings.Contains(markdown.String(), "a|b") {
		t.Errorf("markup gets through:\n%s", &markdown)
	}
	lines, err := csv.NewReader(&sheet).ReadAll()
	if err != nil || len(lines) != 1+len(hostile.Rows) {
		t.Errorf("%d lines of CSV, %v", len(lines), err)
	}
	if !json.Valid(object.Bytes()) {
		t.Error("the JSON is not valid")
	}
}
