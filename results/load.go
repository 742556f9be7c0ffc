package results

import "strconv"

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
