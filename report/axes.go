package report

import "math"

// axisOver makes an axis for values of a quantity. It is logarithmic where log
// is asked and all values are above zero.
func axisOver(quantity, label string, values []float64, log bool) Axis {
	low, high := bounds(values)
	if log && low > 0 {
		return logAxis(quantity, label, low, high)
	}
	return linearAxis(quantity, label, low, high)
}

// bounds returns the least and the greatest of the values, 0 and 1 without any.
func bounds(values []float64) (low, high float64) {
	if len(values) == 0 {
		return 0, 1
	}
	low, high = values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// linearAxis begins at zero unless the values are all close together far from
// it, and puts its ticks at round numbers of the unit.
func linearAxis(quantity, label string, low, high float64) Axis {
	u := unitFor(quantity, high)
	if low > 0.7*high && high > low {
		pad := max((high-low)*0.25, high*0.02)
		low, high = low-pad, high+pad
	} else {
		low, high = min(low, 0), high*1.06
	}
	if high <= low {
		high = low + u.size
	}
	step := roundStep((high-low)/u.size/5) * u.size
	a := Axis{Label: label + " (" + u.name + ")", Min: low, Max: high}
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-9); i++ {
		at := i*step + 0 // no negative zero
		a.Ticks = append(a.Ticks, Tick{at, plain(math.Round(at/u.size*1e6) / 1e6)})
	}
	return a
}

// roundStep is the nearest of 1, 2, 2.5 and 5 times a power of ten above v.
func roundStep(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if v <= m*p*(1+1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// logAxis goes from one 1-2-5 step below the values to one above. Its labels
// carry their own units: 100 us, 1 ms, 10 ms.
func logAxis(quantity, label string, low, high float64) Axis {
	a := Axis{Label: label, Min: stepBelow(low * 0.9), Max: stepAbove(high * 1.1), Log: true}
	every := math.Log10(a.Max/a.Min) < 2.5
	for e := math.Floor(math.Log10(a.Min) - 1e-9); e <= math.Log10(a.Max)+1e-9; e++ {
		for m := 1.0; m < 10; m++ {
			at := m * math.Pow(10, e)
			if at < a.Min*(1-1e-9) || at > a.Max*(1+1e-9) {
				continue
			}
			t := Tick{At: at}
			if m == 1 || every && (m == 2 || m == 5) {
				t.Label = tickText(quantity, at)
			}
			a.Ticks = append(a.Ticks, t)
		}
	}
	return a
}

// tickText is show without the digits that a round number does not need.
func tickText(quantity string, v float64) string {
	u := unitFor(quantity, v)
	return plain(math.Round(v/u.size*1e6)/1e6) + " " + u.name
}

func stepBelow(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	best := p
	for _, m := range []float64{2, 5} {
		if m*p <= v*(1+1e-9) {
			best = m * p
		}
	}
	return best
}

func stepAbove(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= v*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// spansDecade says that a logarithmic axis serves: the values above zero differ
// by more than a factor of ten.
func spansDecade(values []float64) bool {
	low, high := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	return high > 10*low
}
