package results

import (
	"cmp"
	"strconv"
)

// String is the load point in words, and its identity: loads of one plan that
// print alike are one point of a curve. The rate that a percentage came to is
// left out, since it differs from block to block.
func (l Load) String() string {
	switch {
	case l.Max:
		return "max"
	case l.Percent > 0:
		return strconv.FormatFloat(l.Percent, 'g', -1, 64) + "%"
	case l.Depth > 0:
		return "depth " + strconv.Itoa(l.Depth)
	case l.Rate > 0:
		return strconv.FormatFloat(l.Rate, 'f', -1, 64) + "/s"
	}
	return "own"
}

// Compare orders load points as a curve has them: the jobs' own, depths, rates,
// percentages, the maximum.
func (l Load) Compare(o Load) int {
	return cmp.Or(
		boolCompare(l.Max, o.Max),
		cmp.Compare(l.Percent, o.Percent),
		percentRate(l, o),
		cmp.Compare(l.Depth, o.Depth),
	)
}

// percentRate compares rates, unless both came from percentages.
func percentRate(a, b Load) int {
	if a.Percent > 0 && b.Percent > 0 {
		return 0
	}
	return cmp.Compare(a.Rate, b.Rate)
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
