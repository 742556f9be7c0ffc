package report

import (
	"math"
	"slices"
)

// fit gives a panel its axes and limits. The axes hold all points but lower bounds
// far above everything else, which stand beyond a break: they would press the
// others together. Latencies of zero cannot stand on a logarithmic axis: they are
// left out and told.
func fit(a axes, clock string, lines []Line) (Panel, []string) {
	far := markFar(lines)
	xs, ys := coordinates(lines)
	log := !isRate(a.yq) && spansDecade(ys)
	var notes []string
	if log {
		if n := maskZeros(lines); n > 0 {
			notes = append(notes, several(n, "mark")+" at zero latency cannot be drawn on a logarithmic axis")
		}
		xs, ys = coordinates(lines)
	}
	p := Panel{Lines: lines}
	if len(xs) == 0 {
		p.Empty = "no setting has the figures"
	}
	p.Limit, ys = limitOn(a.limits, ys, log)
	p.Floor, xs = limitOn(a.floors, xs, false)
	p.X = axisOver(a.xq, a.x.words(a.xq, clock), xs, crowded(a.xq, xs))
	p.Y = axisOver(a.yq, a.y.words(a.yq, clock), ys, log || crowded(a.yq, ys) || !isRate(a.yq) && spansDecade(ys))
	if !isRate(a.yq) {
		p.Y.Label += countedFrom(clock)
	}
	if p.Empty != "" {
		p.X.Ticks, p.Y.Ticks = nil, nil
	} else if far > 0 {
		p.breakAxis()
		notes = append(notes, "Above the break in the axis marks are not to scale: their figures are lower bounds far above all others.")
	}
	return p, notes
}

// farAbove is how many times the greatest figure a lower bound must be for it to
// stand beyond a break.
const farAbove = 3

// markFar marks the lower bounds that lie far above all other marks, if there are
// others, and returns how many they are.
func markFar(lines []Line) (n int) {
	top := 0.0
	for _, l := range lines {
		for _, p := range l.Points {
			if !p.AtLeast {
				top = max(top, p.Y.High)
			}
		}
	}
	for _, l := range lines {
		for i := range l.Points {
			if p := &l.Points[i]; top > 0 && p.AtLeast && p.Y.Mid > farAbove*top {
				p.Beyond = true
				n++
			}
		}
	}
	return n
}

// breakAxis makes room above the y axis for the marks beyond it.
func (p *Panel) breakAxis() {
	p.Break = p.Y.Max
	at := p.Y.share(1.1)
	p.Y.Max = p.Y.share(1.2)
	for _, l := range p.Lines {
		for i := range l.Points {
			if l.Points[i].Beyond {
				l.Points[i].Y = exactly(at)
			}
		}
	}
}

// share is what stands at a share of the axis's length, which may be above one.
func (a Axis) share(f float64) float64 {
	if a.Log {
		return a.Min * math.Pow(a.Max/a.Min, f)
	}
	return a.Min + (a.Max-a.Min)*f
}

// limitOn is the first of the limits on an axis, and what the axis must hold. A
// limit so far off that the figures would have less than a fifth of the axis is
// told at the panel's edge.
func limitOn(limits []plottedLimit, values []float64, log bool) (*Limit, []float64) {
	if len(limits) == 0 {
		return nil, values
	}
	l := &Limit{At: limits[0].value, Label: limits[0].text}
	low, high := bounds(values)
	from, to := min(low, l.At), max(high, l.At)
	part := (high - low) / (to - from)
	if log {
		part = math.Log(high/low) / math.Log(to/from)
	}
	switch {
	case high <= low || part >= 0.2 || len(values) == 0:
		return l, append(values, l.At)
	case l.At < low:
		l.Off = -1
	default:
		l.Off = 1
	}
	return l, values
}

// crowded says that rates serve better on a logarithmic axis: on another, half of
// them would be pressed into its first tenth.
func crowded(quantity string, values []float64) bool {
	if !isRate(quantity) || len(values) == 0 {
		return false
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[0] > 0 && 10*sorted[len(sorted)/2] < sorted[len(sorted)-1]
}

// coordinates lists every coordinate that an axis must hold.
func coordinates(lines []Line) (xs, ys []float64) {
	for _, l := range lines {
		for _, p := range l.Points {
			xs = append(xs, p.X.Low, p.X.Mid, p.X.High)
			if p.Beyond {
				continue
			}
			ys = append(ys, p.Y.Low, p.Y.Mid, p.Y.High)
			if p.AtLeast {
				ys = append(ys, 1.5*p.Y.Mid) // its arrow needs room
			}
		}
	}
	return xs, ys
}

// maskZeros drops the points whose y is not above zero and returns their number.
// The low end of an interval is lifted to its middle where it is not.
func maskZeros(lines []Line) (n int) {
	for i := range lines {
		var kept []Point
		gap := false
		for _, p := range lines[i].Points {
			if p.Y.Mid <= 0 {
				n++
				gap = true
				continue
			}
			if p.Y.Low <= 0 {
				p.Y.Low = p.Y.Mid
			}
			p.Gap, gap = p.Gap || gap, false
			kept = append(kept, p)
		}
		lines[i].Points = kept
	}
	return n
}
