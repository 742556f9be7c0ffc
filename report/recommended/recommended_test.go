package recommended_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/recommended"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results/recommendation"
)

func answers(t *testing.T) []recommendation.Recommendation {
	t.Helper()
	all, err := recommendation.Of(reporttest.Set(reporttest.Quick()), recommendation.Options{Margin: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// within is Text for a terminal of so many columns.
func within(width int) func(io.Writer, []recommendation.Recommendation) error {
	return func(w io.Writer, all []recommendation.Recommendation) error { return recommended.Text(w, all, width) }
}

func TestGoldens(t *testing.T) {
	for name, write := range map[string]func(io.Writer, []recommendation.Recommendation) error{
		"answers.txt": within(0), "answers-60.txt": within(60), "answers.md": recommended.Markdown, "answers.json": recommended.JSON,
	} {
		var b bytes.Buffer
		if err := write(&b, answers(t)); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, name, b.Bytes())
	}
}

// TestBoundsAreTold keeps the sign of what is a bound.
func TestBoundsAreTold(t *testing.T) {
	all := answers(t)
	for i := range all {
		for name, g := range all[i].Devices[0].Regrets {
			g.Bound = true
			all[i].Devices[0].Regrets[name] = g
		}
	}
	all[1].Goal.Maximise, all[1].Goal.Minimise = "", "reader.mean"
	var text bytes.Buffer
	if err := recommended.Text(&text, all, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "\u2264 34.6 GB/s") || !strings.Contains(text.String(), "\u2265 ") {
		t.Errorf("bounds are not told:\n%s", &text)
	}
}

// Names come from devices and profiles: they must not break out of any form.
func TestHostileNames(t *testing.T) {
	all := answers(t)
	for i := range all {
		for k := range all[i].Devices {
			all[i].Devices[k].Model = "a|b<script>\x1b[31m\n`"
			all[i].Devices[k].Title = "a|b<script>\x1b[31m\n`"
			all[i].Devices[k].Dir = "x>)\n[evil](y"
		}
		all[i].Open = []string{"bell \a <b>"}
	}
	var text, page, object bytes.Buffer
	for _, err := range []error{recommended.Text(&text, all, 0), recommended.Markdown(&page, all), recommended.JSON(&object, all)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(text.String(), "\a\x1b") || strings.Contains(page.String(), "<script>") || strings.Contains(page.String(), "x>)") || !json.Valid(object.Bytes()) {
		t.Errorf("hostile names get through:\n%s\n%s", &text, &page)
	}
}
