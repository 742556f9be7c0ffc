package plots

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results/query"
)

// TestSlideFillsAScreen is 16 by 9 and 1920 pixels at least, in files only.
func TestSlideFillsAScreen(t *testing.T) {
	m, err := report.Build(reporttest.Set(reporttest.Quick()), query.Query{}, report.Options{Theme: report.Slide})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Workloads[1].Pictures {
		p := &m.Workloads[1].Pictures[i]
		data, err := PNG(p)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if img.Width < 1920 || img.Width*9/16-img.Height > 2 || img.Height-img.Width*9/16 > 2 {
			t.Errorf("%s is %d by %d pixels", p.Name, img.Width, img.Height)
		}
		svg, err := Inline(p)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(svg, `viewBox="0 0 518.4`) {
			t.Errorf("%s is a slide in the page too", p.Name)
		}
	}
}
