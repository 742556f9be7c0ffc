package report

import (
	"math"
	"testing"
)

func TestLimitOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		at     float64
		log    bool
		off    int
	}{
		{"among the values", []float64{50, 190}, 150, false, 0},
		{"a little below", []float64{160, 190}, 150, false, 0},
		{"far below", []float64{181, 186}, 150, false, -1},
		{"far above", []float64{1, 2}, 40, false, 1},
		{"a decade above three", []float64{1e-4, 1e-1}, 1, true, 0},
		{"four decades above a half", []float64{1e-4, 3e-4}, 1, true, 1},
		{"beside one value", []float64{5, 5}, 100, false, 0},
		{"without values", nil, 3, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, held := limitOn([]plottedLimit{{c.at, "x >= 1"}, {c.at * 2, "second"}}, c.values, c.log)
			if l.Off != c.off || l.At != c.at || l.Label != "x >= 1" {
				t.Errorf("%+v, want off %d", l, c.off)
			}
			want := len(c.values)
			if c.off == 0 {
				want++
			}
			if len(held) != want {
				t.Errorf("the axis holds %v", held)
			}
		})
	}
	if l, held := limitOn(nil, []float64{1}, false); l != nil || len(held) != 1 {
		t.Errorf("no limits: %+v, %v", l, held)
	}
}

func TestCrowded(t *testing.T) {
	for _, c := range []struct {
		quantity string
		values   []float64
		want     bool
	}{
		{"throughput", []float64{1, 2, 4, 8, 1000}, true},
		{"throughput", []float64{1, 200, 400, 800, 1000}, false},
		{"ops", []float64{0, 1, 2, 4, 1000}, false},
		{"p99", []float64{1, 2, 4, 8, 1000}, false},
		{"ops", nil, false},
	} {
		if got := crowded(c.quantity, c.values); got != c.want {
			t.Errorf("%s %v is crowded: %v", c.quantity, c.values, got)
		}
	}
}

// TestFarBoundsStandBeyondABreak keeps the axis to what was measured.
func TestFarBoundsStandBeyondABreak(t *testing.T) {
	reader := subject{"reader", "read"}
	panel := func(bound float64, others ...float64) Panel {
		lines := []Line{{Points: []Point{{X: exactly(9), Y: exactly(bound), AtLeast: true}}}}
		for i, v := range others {
			lines[0].Points = append(lines[0].Points, Point{X: exactly(float64(i + 1)), Y: exactly(v)})
		}
		p, _ := fit(axes{x: reader, y: reader, xq: "throughput", yq: "mean"}, "", lines)
		return p
	}
	for _, c := range []struct {
		name   string
		panel  Panel
		beyond bool
	}{
		{"far on a linear axis", panel(200, 0.02, 0.03), true},
		{"far on a logarithmic axis", panel(200, 0.02, 0.5), true},
		{"near", panel(1, 0.02, 0.5), false},
		{"alone", panel(200), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.panel.Lines[0].Points[0]
			if p.Beyond != c.beyond || (c.panel.Break > 0) != c.beyond {
				t.Fatalf("beyond %v, break at %g", p.Beyond, c.panel.Break)
			}
			if p.Y.Mid > c.panel.Y.Max || c.beyond && (p.Y.Mid <= c.panel.Break || c.panel.Break > 2) {
				t.Errorf("the mark stands at %g, the break at %g, the end at %g", p.Y.Mid, c.panel.Break, c.panel.Y.Max)
			}
			for _, tick := range c.panel.Y.Ticks {
				if c.beyond && tick.At > c.panel.Break*(1+1e-9) {
					t.Errorf("a tick at %g stands above the break", tick.At)
				}
			}
		})
	}
}

func TestShare(t *testing.T) {
	if got := (Axis{Min: 10, Max: 20}).share(1.2); got != 22 {
		t.Errorf("linear: %g", got)
	}
	if got := (Axis{Min: 1, Max: 100, Log: true}).share(1.5); math.Abs(got-1000) > 1e-9 {
		t.Errorf("logarithmic: %g", got)
	}
}
