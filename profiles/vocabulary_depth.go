package profiles

import (
	"fmt"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// sweepPattern is first..last, or first..last by step.
const sweepPattern = `^([1-9][0-9]{0,4})\.\.([1-9][0-9]{0,4})( by [1-9][0-9]{0,4})?$`

// depthsKind is a list of queue depths, or a sweep of them.
func depthsKind() kind[[]int] {
	sweep, listed := sweepKind(), list(whole(1, maxDepth))
	s := schema{"anyOf": []any{sweep.schema, listed.schema}}
	return kind[[]int]{s, func(r *reader, n *yaml.Node) ([]int, bool) {
		if followed(n).Kind == yaml.SequenceNode {
			return listed.read(r, n)
		}
		return sweep.read(r, n)
	}}
}

func sweepKind() kind[[]int] {
	shape := regexp.MustCompile(sweepPattern)
	return scalar(schema{"type": "string", "pattern": sweepPattern}, func(s string) ([]int, error) {
		parts := shape.FindStringSubmatch(s)
		if parts == nil {
			return nil, fmt.Errorf("%q: write a list such as [1, 4, 16], or 1..128 for doubling depths, or 1..16 by 1 for steps", shorten(s))
		}
		first, last, step := sweepNumber(parts[1]), sweepNumber(parts[2]), 0
		if parts[3] != "" {
			step = sweepNumber(parts[3][len(" by "):])
		}
		switch {
		case last <= first:
			return nil, fmt.Errorf("%s goes nowhere: make the last depth larger than the first", s)
		case last > maxDepth:
			return nil, fmt.Errorf("%s is too deep: at most %d operations can be outstanding", s, maxDepth)
		case step > 0 && (last-first)/step >= maxItems:
			return nil, fmt.Errorf("%s is more than %d load points: take a larger step, or leave it out to double", s, maxItems)
		}
		return sweep(first, last, step), nil
	})
}

// sweepNumber reads up to five digits, which the pattern has checked.
func sweepNumber(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// sweep lists the depths from first to last in steps, or each twice the one
// before where step is 0; last is always among them.
func sweep(first, last, step int) []int {
	var depths []int
	for d := first; d < last; {
		depths = append(depths, d)
		if step > 0 {
			d += step
		} else {
			d *= 2
		}
	}
	return append(depths, last)
}
