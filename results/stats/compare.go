package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Value is the figure of one trial. Values of two samples with the same Block
// were measured under like conditions and pair; an empty Block pairs with none.
type Value struct {
	Block  string
	Figure float64
}

// Options say how to compare. The zero value asks for DefaultConfidence, holds
// lower figures to be better and nothing but equal ones to be the same.
type Options struct {
	Confidence float64
	// Margin is the relative difference that does not matter: with 0.03, two
	// samples are the same when the interval of their ratio is within 1/1.03
	// and 1.03.
	Margin         float64
	HigherIsBetter bool
	// Family is how many comparisons Decide will correct for; 0 means 1. Too few
	// pairs to survive that are compared as independent samples, if those could.
	Family int
	// Sequential keeps the confidence whenever one stops measuring, by a test
	// made for that; it takes pairs.
	Sequential bool
}

// alpha is the error that one of the family may have when all are significant.
func (o Options) alpha() float64 { return (1 - o.Confidence) / float64(max(1, o.Family)) }

// needed is the least number of blocks that an interval takes.
func (o Options) needed() int {
	if o.Sequential {
		return SequentialBlocks(o.Confidence, 1)
	}
	return needed(o.Confidence)
}

// Outcome is what a comparison came to, of the new sample against the base.
type Outcome string

// The outcomes.
const (
	Better    Outcome = "better"
	Worse     Outcome = "worse"
	Same      Outcome = "same"
	Undecided Outcome = "undecided"
)

// Test names a test and the estimate that goes with it.
type Test string

// The tests that Compare chooses from.
const (
	SignedRank  Test = "Wilcoxon signed-rank, paired by block"
	MannWhitney Test = "Mann-Whitney"
	Sequential  Test = "sequential sign test, paired by block"
)

// Comparison is a new sample set against a base.
type Comparison struct {
	Base, New Summary
	// Test is empty when there was nothing to compare.
	Test Test
	// Pairs is how many blocks both samples have, Unmatched how many figures of
	// either have no partner; a paired test leaves those out.
	Pairs, Unmatched int
	// MedianRatio is New's median by Base's. Ratio is Hodges and Lehmann's
	// estimate of the same from the logarithms, and Lo and Hi are its interval
	// with Confidence: less than was asked when the samples are too small. They
	// are missing where a figure is not above zero.
	MedianRatio, Ratio, Lo, Hi results.Float
	Confidence                 float64
	// P is two-sided. PAdjusted is P after Holm, which Decide sets.
	P, PAdjusted results.Float
	Outcome      Outcome
	Warnings     []string

	options Options
}

// Compare sets next against base. It pairs by block when most figures have a
// partner and there are pairs enough for the confidence asked, else it compares
// the samples as independent ones. The outcome is that of this comparison
// alone; Decide corrects it for many.
func Compare(base, next []Value, o Options) Comparison {
	o.Confidence = orDefault(o.Confidence)
	c := Comparison{options: o, Base: Summarise(figures(base), o.Confidence), New: Summarise(figures(next), o.Confidence)}
	c.compare(usable(base), usable(next))
	one := []Comparison{c}
	Decide(one)
	return one[0]
}

func (c *Comparison) compare(base, next []Value) {
	if c.Base.N == 0 || c.New.N == 0 {
		c.warn("nothing to compare: %d figures against %d", c.Base.N, c.New.N)
		return
	}
	if c.Base.Center != 0 {
		c.MedianRatio = results.Some(c.New.Center / c.Base.Center)
	}
	pairs, unmatched := pair(base, next)
	c.Pairs, c.Unmatched = len(pairs), unmatched
	switch {
	case c.options.Sequential && len(pairs) == 0:
		c.warn("no block has both, and a run that stops when enough is known is compared by block")
		return
	case c.options.Sequential:
		c.Test = Sequential
		c.paired(pairs, sequentialP, sequentialShift)
	case c.choose(len(pairs), c.Base.N, c.New.N) == SignedRank:
		c.paired(pairs, signedRank, pairedShift)
	default:
		c.free(figures(base), figures(next))
	}
	if c.Lo.Valid && c.Confidence < c.options.Confidence-1e-9 {
		c.warn("the interval has %.3g%% confidence, not %g%%: compare %d blocks or more", 100*c.Confidence, 100*c.options.Confidence, c.options.needed())
	}
}

// choose prefers pairs, which take the drift between blocks out, unless there
// are too few of them and independent samples could still decide.
func (c *Comparison) choose(pairs, m, n int) Test {
	c.Test = MannWhitney
	switch {
	case pairs == 0:
		return c.Test
	case 4*pairs < 3*max(m, n):
		c.warn("only %d blocks have both: compared as independent samples", pairs)
		return c.Test
	case pairs < needed(1-c.options.alpha()) && leastP(m, n) <= c.options.alpha():
		c.warn("%d of the %d blocks that a comparison by block needs: compared as independent samples", pairs, needed(1-c.options.alpha()))
		return c.Test
	case c.Unmatched > 0:
		c.warn("%d figures have no partner in their block and are left out of the ratio and p", c.Unmatched)
	}
	c.Test = SignedRank
	return c.Test
}

// paired takes p and the interval of the pairs' logarithms of ratios.
func (c *Comparison) paired(pairs [][2]float64, test func([]float64) float64, interval func([]float64, float64) shift) {
	var logs, differences []float64
	positive := true
	for _, p := range pairs {
		positive = positive && p[0] > 0 && p[1] > 0
		differences = append(differences, p[1]-p[0])
		if positive {
			logs = append(logs, logRatio(p[0], p[1]))
		}
	}
	if !positive {
		c.P = results.Some(test(differences))
		c.noRatio()
		return
	}
	c.P = results.Some(test(logs))
	c.ratio(interval(logs, c.options.Confidence))
	if zeros := count(differences, 0); zeros > 0 {
		c.warn("%d of %d blocks show no difference at all", zeros, len(pairs))
	}
}

func (c *Comparison) free(base, next []float64) {
	c.P = results.Some(mannWhitney(base, next))
	if slices.Min(base) <= 0 || slices.Min(next) <= 0 {
		c.noRatio()
		return
	}
	c.ratio(freeShift(logarithms(base), logarithms(next), c.options.Confidence))
}

func (c *Comparison) ratio(s shift) {
	c.Ratio, c.Lo, c.Hi = results.Some(math.Exp(s.center)), results.Some(math.Exp(s.lo)), results.Some(math.Exp(s.hi))
	c.Confidence = s.confidence
}

func (c *Comparison) noRatio() {
	c.warn("a figure is not above zero, so there is no interval of the ratio")
}

func (c *Comparison) warn(format string, a ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, a...))
}

// decide gives the outcome. The interval must have the confidence asked: of a
// few trials nothing is proven, however far apart they are.
func (c *Comparison) decide() {
	o, alpha := c.options, 1-c.options.Confidence
	c.Outcome = Undecided
	switch {
	case !c.P.Valid:
	case !c.Lo.Valid:
		c.decideByRank(alpha)
	case c.Confidence < o.Confidence-1e-9:
	case c.Lo.V >= 1/(1+o.Margin) && c.Hi.V <= 1+o.Margin:
		c.Outcome = Same
	case c.PAdjusted.V <= alpha && (c.Lo.V > 1 || c.Hi.V < 1):
		c.Outcome = Worse
		if (c.Lo.V > 1) == o.HigherIsBetter {
			c.Outcome = Better
		}
	}
	c.tellContrary()
}

// tellContrary warns where the figures that people see do not point where the
// estimate does. What is proven stays so: medians do not know of pairs.
func (c *Comparison) tellContrary() {
	if c.Outcome == Same || !c.Contrary() {
		return
	}
	differ, end := "the "+c.estimate()+" and the medians point different ways: ", "not decided"
	if c.Outcome != Undecided {
		end = "the outcome is the ratio's, which is what was tested"
	}
	// A correction for many may have changed what was told before.
	c.Warnings = slices.DeleteFunc(slices.Clone(c.Warnings), func(w string) bool { return strings.HasPrefix(w, differ) })
	c.warn("%s", differ+end)
}

// Contrary says that Ratio and MedianRatio disagree about which sample is the
// greater: the estimate to test and the figures that people see.
func (c *Comparison) Contrary() bool {
	const rounding = 1e-9
	if !c.Ratio.Valid || !c.MedianRatio.Valid {
		return false
	}
	r, m := c.Ratio.V-1, c.MedianRatio.V-1
	return r*m < 0 && min(math.Abs(r), math.Abs(m)) > rounding
}

// Contradiction says in words what Contrary does, with both figures and what the
// outcome rests on; it is "" where they agree.
func (c *Comparison) Contradiction() string {
	if !c.Contrary() {
		return ""
	}
	end := "the outcome is that of the ratio, which was tested"
	if c.Outcome == Undecided {
		end = "not decided"
	}
	return fmt.Sprintf("the %s is %.4g, that of the medians %.4g: %s", c.estimate(), c.Ratio.V, c.MedianRatio.V, end)
}

func (c *Comparison) estimate() string {
	if c.Test == MannWhitney {
		return "estimated ratio"
	}
	return "paired ratio"
}

// decideByRank decides without a ratio, where figures are zero: the tests need
// none, and the medians say which way.
func (c *Comparison) decideByRank(alpha float64) {
	if c.PAdjusted.V > alpha || c.New.Center == c.Base.Center {
		return
	}
	c.Outcome = Worse
	if (c.New.Center > c.Base.Center) == c.options.HigherIsBetter {
		c.Outcome = Better
	}
}

// pair finds the figures of either sample that share a block. A block that one
// sample has twice pairs with nothing, since it is not known which is meant.
func pair(base, next []Value) (pairs [][2]float64, unmatched int) {
	of := func(values []Value) map[string][]float64 {
		m := map[string][]float64{}
		for _, v := range values {
			m[v.Block] = append(m[v.Block], v.Figure)
		}
		return m
	}
	before, after := of(base), of(next)
	for _, v := range base {
		a, b := before[v.Block], after[v.Block]
		if v.Block != "" && len(a) == 1 && len(b) == 1 {
			pairs = append(pairs, [2]float64{a[0], b[0]})
		}
	}
	return pairs, len(base) + len(next) - 2*len(pairs)
}

func figures(values []Value) []float64 {
	f := make([]float64, len(values))
	for i, v := range values {
		f[i] = v.Figure
	}
	return f
}

func usable(values []Value) []Value {
	return slices.DeleteFunc(slices.Clone(values), func(v Value) bool {
		return math.IsNaN(v.Figure) || math.IsInf(v.Figure, 0)
	})
}

// logRatio is rounded, so that equal ratios of unequal figures are ties.
func logRatio(base, next float64) float64 {
	return math.Round((math.Log(next)-math.Log(base))*1e12) / 1e12
}

func logarithms(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	return logs
}

func count(values []float64, v float64) (n int) {
	for _, x := range values {
		if x == v {
			n++
		}
	}
	return n
}
