package plots

import (
	"regexp"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/reporttest"
)

// TestInlineIsLayered finds every setting's parts by its style, and draws what
// the file has: layers only group it.
func TestInlineIsLayered(t *testing.T) {
	w := &reporttest.Build(t, reporttest.Quick()).Workloads[1]
	p := &w.Pictures[0]
	svg, err := Inline(p)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, []byte(svg))
	for _, part := range []string{`class="entry" data-s="2"`, `class="series" data-panel="0" data-s="2"`, `class="hit" data-panel="0" data-s="2"`, `class="front" data-panel="0" data-box="`} {
		if n := strings.Count(svg, part); n != 1 {
			t.Errorf("%s is there %d times, want once", part, n)
		}
	}
	if !strings.Contains(svg, "trials: 3\neffect: as asked: ") {
		t.Error("a mark does not tell its trials and the proof of effect")
	}
	file, err := SVG(p)
	if err != nil {
		t.Fatal(err)
	}
	shapes := regexp.MustCompile(`<(path|text) `)
	if in, out := len(shapes.FindAllString(svg, -1)), len(shapes.FindAll(file, -1)); in != out {
		t.Errorf("%d shapes in layers, %d in the file", in, out)
	}
}
