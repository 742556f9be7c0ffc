package stats

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// blocks gives each figure the next block.
func blocks(figures ...float64) []Value {
	values := make([]Value, len(figures))
	for i, f := range figures {
		values[i] = Value{strconv.Itoa(i), f}
	}
	return values
}

// loose gives the figures no block.
func loose(figures ...float64) []Value {
	values := make([]Value, len(figures))
	for i, f := range figures {
		values[i] = Value{"", f}
	}
	return values
}

func scaled(values []Value, by float64) []Value {
	out := make([]Value, len(values))
	for i, v := range values {
		out[i] = Value{v.Block, v.Figure * by}
	}
	return out
}

func TestCompare(t *testing.T) {
	drifting := blocks(100, 110, 125, 140, 160, 180)
	tests := map[string]struct {
		base, next []Value
		options    Options
		outcome    Outcome
		test       Test
		p          float64
		warning    string
	}{
		"better by block under drift": {drifting, scaled(drifting, 1.05), Options{HigherIsBetter: true}, Better, SignedRank, 0.03125, ""},
		"worse when lower is better":  {drifting, scaled(drifting, 1.05), Options{}, Worse, SignedRank, 0.03125, ""},
		"same within the margin":      {drifting, scaled(drifting, 1.01), Options{Margin: 0.03}, Same, SignedRank, 0.03125, ""},
		"identical":                   {drifting, drifting, Options{}, Same, SignedRank, 1, "6 of 6 blocks show no difference at all"},
		"too near to tell":            {drifting, blocks(101, 108, 126, 138, 162, 179), Options{}, Undecided, SignedRank, 0.84375, ""},
		"three blocks prove nothing":  {blocks(1, 2, 3), blocks(10, 20, 30), Options{}, Undecided, SignedRank, 0.25, "the interval has 75% confidence, not 95%: compare 6 blocks or more"},
		"four blocks as independent":  {blocks(1, 1.1, 1.2, 1.3), blocks(2, 2.1, 2.2, 2.3), Options{}, Worse, MannWhitney, 2.0 / 70, "4 of the 6 blocks that a comparison by block needs"},
		"no blocks":                   {loose(1, 1.1, 1.2, 1.3), loose(2, 2.1, 2.2, 2.3), Options{HigherIsBetter: true}, Better, MannWhitney, 2.0 / 70, ""},
		"blocks that do not match":    {blocks(1, 2, 3, 4, 5, 6, 7, 8), append(blocks(1, 2), loose(3, 4, 5, 6, 7, 8)...), Options{}, Undecided, MannWhitney, 1, "only 2 blocks have both"},
		"one block is missing":        {drifting, append(scaled(drifting, 1.05), Value{"x", 1}), Options{HigherIsBetter: true}, Better, SignedRank, 0.03125, "1 figures have no partner"},
		"a zero":                      {drifting, append(blocks(0), drifting[1:]...), Options{}, Undecided, SignedRank, 1, "a figure is not above zero"},
		"loose zeros":                 {loose(0, 0, 0, 0), loose(1, 1, 1, 1), Options{}, Worse, MannWhitney, 2.0 / 70, "a figure is not above zero"},
		"zeros by block":              {drifting, blocks(0, 0, 0, 0, 0, 0), Options{HigherIsBetter: true}, Worse, SignedRank, 0.03125, "a figure is not above zero"},
		"zeros throughout":            {blocks(0, 0, 0, 0, 0, 0), blocks(0, 0, 0, 0, 0, 0), Options{}, Undecided, SignedRank, 1, "a figure is not above zero"},
		"one trial":                   {blocks(1), blocks(2), Options{}, Undecided, SignedRank, 1, "the interval has 0% confidence"},
	}
	for name, test := range tests {
		c := Compare(test.base, test.next, test.options)
		if c.Outcome != test.outcome || c.Test != test.test || !near(c.P.V, test.p) || c.PAdjusted != c.P {
			t.Errorf("%s: %s by %s, p %v: want %s by %s, p %v\n%+v", name, c.Outcome, c.Test, c.P, test.outcome, test.test, test.p, c)
		}
		if told := strings.Join(c.Warnings, "\n"); !strings.Contains(told, test.warning) || test.warning == "" && told != "" {
			t.Errorf("%s: warnings %q, want %q", name, told, test.warning)
		}
	}
}

func TestCompareNothing(t *testing.T) {
	c := Compare(nil, blocks(1, 2), Options{})
	if c.Outcome != Undecided || c.P.Valid || c.Ratio.Valid || c.Test != "" || len(c.Warnings) == 0 {
		t.Errorf("%+v", c)
	}
}

func TestRatio(t *testing.T) {
	c := Compare(blocks(100, 200, 300, 400, 500, 600), blocks(110, 220, 330, 440, 550, 660), Options{})
	for _, f := range []results.Float{c.Ratio, c.Lo, c.Hi, c.MedianRatio} {
		if !near(f.V, 1.1) {
			t.Errorf("ratio %v of %+v, want 1.1", f, c)
		}
	}
	if c.Confidence != 0.96875 || c.Pairs != 6 || c.Unmatched != 0 {
		t.Errorf("%+v", c)
	}
}

// Turning the comparison round must turn the answer round.
func TestCompareIsSymmetrical(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	turned := map[Outcome]Outcome{Better: Worse, Worse: Better, Same: Same, Undecided: Undecided}
	for i := range 200 {
		var a, b []Value
		for n := range 4 + i%6 {
			a = append(a, Value{strconv.Itoa(n), 100 + random.NormFloat64()})
			b = append(b, Value{strconv.Itoa(n), 100 + float64(i%5) + random.NormFloat64()})
		}
		o := Options{Margin: 0.02}
		there, back := Compare(a, b, o), Compare(b, a, o)
		if back.Outcome != turned[there.Outcome] || !near(there.Lo.V*back.Hi.V, 1) || !near(there.P.V, back.P.V) {
			t.Fatalf("there %+v\nback %+v", there, back)
		}
	}
}

// Of two samples that are alike, few may come out different: at most 5 %, with
// room for the chance of 2000 tries.
func TestFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{4, 6, 10} {
		const tries = 2000
		alarms := 0
		for range tries {
			var a, b []Value
			for i := range n {
				drift := 1 + 0.1*random.Float64()
				a = append(a, Value{strconv.Itoa(i), drift * (100 + random.ExpFloat64())})
				b = append(b, Value{strconv.Itoa(i), drift * (100 + random.ExpFloat64())})
			}
			if o := Compare(a, b, Options{}).Outcome; o == Better || o == Worse {
				alarms++
			}
		}
		if alarms > tries*65/1000 {
			t.Errorf("%d blocks: %d false alarms in %d", n, alarms, tries)
		}
	}
}

// R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") and so on.
func TestHolm(t *testing.T) {
	tests := []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{0.04}, []float64{0.04}},
		{[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		{[]float64{0.05, 0.01, 0.03}, []float64{0.06, 0.03, 0.06}},
		{[]float64{0.5, 0.9, 1}, []float64{1, 1, 1}},
		{[]float64{0.02, 0.02}, []float64{0.04, 0.04}},
	}
	for _, test := range tests {
		got := Holm(test.p)
		for i := range test.want {
			if len(got) != len(test.want) || !near(got[i], test.want[i]) {
				t.Errorf("Holm %v: %v, want %v", test.p, got, test.want)
				break
			}
		}
	}
}

// What one comparison proves, one of many may not.
func TestDecideCorrectsForMany(t *testing.T) {
	base := blocks(100, 110, 125, 140, 160, 180)
	all := []Comparison{
		Compare(base, scaled(base, 1.05), Options{}),
		Compare(base, nil, Options{}),
		Compare(base, scaled(base, 1.01), Options{Margin: 0.03}),
	}
	if all[0].Outcome != Worse {
		t.Fatalf("alone: %s, want worse", all[0].Outcome)
	}
	Decide(all)
	want := []Outcome{Undecided, Undecided, Same}
	for i, c := range all {
		if c.Outcome != want[i] {
			t.Errorf("comparison %d: %s, want %s", i, c.Outcome, want[i])
		}
	}
	if !near(all[0].PAdjusted.V, 0.0625) || all[1].PAdjusted.Valid {
		t.Errorf("adjusted p %v and %v, want 0.0625 and none", all[0].PAdjusted, all[1].PAdjusted)
	}
}

// The estimate and the medians may point different ways: that is told once, and
// what the test proves stays proven.
func TestContrary(t *testing.T) {
	base, next := blocks(100, 110, 125, 140, 160, 180), blocks(101, 112, 123, 139, 163, 183)
	missing := append(scaled(base, 1.05), Value{"x", 1})
	for want, c := range map[string]Comparison{
		": not decided":                Compare(base, next, Options{HigherIsBetter: true}),
		": the outcome is the ratio's": Compare(base, missing, Options{HigherIsBetter: true}),
	} {
		told := strings.Join(c.Warnings, "\n")
		if !c.Contrary() || strings.Count(told, "the paired ratio and the medians point different ways"+want) != 1 || strings.Count(told, "different ways") != 1 {
			t.Errorf("ratio %v, medians %v, %s: %q", c.Ratio, c.MedianRatio, c.Outcome, told)
		}
	}
	if c := Compare(base, scaled(base, 1.05), Options{}); c.Contrary() {
		t.Errorf("%+v", c)
	}
}
