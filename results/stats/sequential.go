package stats

import (
	"math"
	"slices"
)

// A run that measures until it knows enough looks at its data after every block,
// and a test made for one look is wrong too often when there are many. What
// follows holds at every look, and so whenever one stops.
//
// Under the hypothesis that a block's difference is as likely to be above theta
// as below it, whatever its size and whatever happened in the blocks before, a
// gambler who bets on the signs at fair odds cannot expect to gain. Ville's
// inequality then bounds the chance that the capital ever reaches 1/alpha by
// alpha. The bets are a mixture over all fixed shares of signs, weighted by
// Beta(1/2, 1/2) (Krichevsky and Trofimov), which is never far behind the best
// share in hindsight. No number of looks or blocks must be planned, and drift,
// heavy tails and outliers do no harm, since only signs count. Group-sequential
// boundaries would need the looks planned and the differences nearly normal, for
// about a third fewer blocks where the difference is small; where it is large
// both stop after a handful.

// logCapital is the logarithm of what the bets have made of 1 after n signs of
// which k are positive.
func logCapital(k, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(n)*math.Ln2 + logBeta(float64(k)+0.5, float64(n-k)+0.5) - logBeta(0.5, 0.5)
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// sequentialP is a p-value of the differences' median being zero that stays
// valid whenever one stops. Differences of zero say nothing.
func sequentialP(differences []float64) float64 {
	positive, n := 0, 0
	for _, d := range differences {
		if d != 0 {
			n++
		}
		if d > 0 {
			positive++
		}
	}
	return min(1, math.Exp(-logCapital(positive, n)))
}

// sequentialShift is the median with the confidence sequence's interval now: the
// shifts that sequentialP does not reject. With too few values it is their range
// and says what confidence that has.
func sequentialShift(values []float64, confidence float64) shift {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	threshold := -math.Log(1 - confidence)
	outside := 0 // how many values may lie beyond either bound
	for 2*(outside+1) < n && logCapital(outside+1, n) >= threshold-1e-9 {
		outside++
	}
	reached := min(confidence, max(0, 1-math.Exp(-logCapital(0, n))))
	return shift{median(sorted), sorted[outside], sorted[n-1-outside], reached}
}

// SequentialBlocks is the least number of blocks after which a difference can be
// proven with the confidence, corrected for a family of comparisons.
func SequentialBlocks(confidence float64, family int) int {
	threshold := -math.Log((1 - orDefault(confidence)) / float64(max(1, family)))
	n := 1
	for logCapital(0, n) < threshold {
		n++
	}
	return n
}

// BlocksNeeded estimates after how many blocks in all, at most most, a judgement
// will be decided: what its open comparisons take if their ratios stay what they
// are and their intervals shrink with the root of the number of blocks.
func (j *Judgement) BlocksNeeded(most int) int {
	needed := 0
	for i := range j.Standings {
		s := &j.Standings[i]
		if s.State == Unclear {
			return most
		}
		if c := s.Against; c != nil && c.Outcome == Undecided && s.State != Infeasible {
			needed = max(needed, c.blocksNeeded(most))
		}
	}
	return needed
}

func (c *Comparison) blocksNeeded(most int) int {
	if !c.Lo.Valid {
		return most
	}
	half := (math.Log(c.Hi.V) - math.Log(c.Lo.V)) / 2
	center := math.Abs(math.Log(c.Ratio.V))
	room := max(center, math.Log1p(c.options.Margin)-center)
	if !(room > 0) {
		return most
	}
	blocks := float64(c.Pairs) * (half / room) * (half / room)
	least := max(c.Pairs+1, c.options.needed())
	return min(most, max(least, int(math.Ceil(min(blocks, float64(most))))))
}
