package vdbench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostValues bounds a list and the runs of a file.
const mostValues = 10_000

// number reads a number with a binary unit, as vdbench reads sizes, counts and
// rates alike.
func number(s string) (float64, error) { return scaled(s, "kmgt", 1024, 1<<20, 1<<30, 1<<40) }

// seconds reads a time: plain seconds, m minutes or h hours.
func seconds(s string) (time.Duration, error) {
	v, err := scaled(s, "smh", 1, 60, 3600)
	if err != nil {
		return 0, err
	}
	if v > 1e8 {
		return 0, fmt.Errorf("%q is more than 3 years", s)
	}
	return time.Duration(v * float64(time.Second)), nil
}

// scaled reads a number with one of the units, each with its factor.
func scaled(s, units string, factors ...float64) (float64, error) {
	digits, factor := s, 1.0
	if n := len(s); n > 0 {
		if i := strings.IndexByte(units, s[n-1]|0x20); i >= 0 {
			digits, factor = s[:n-1], factors[i]
		}
	}
	if strings.Trim(digits, "0123456789.-") != "" {
		return 0, fmt.Errorf("%q is no number", s)
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.Abs(v*factor) > 1<<60 {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return v * factor, nil
}

// whole reads a number of bytes or things.
func whole(s string) (int64, error) {
	v, err := number(s)
	if err == nil && (v != math.Trunc(v) || v < 0) {
		err = fmt.Errorf("%q is no whole number", s)
	}
	return int64(v), err
}

func percent(s string) (float64, error) {
	v, err := number(strings.TrimSuffix(s, "%"))
	if err == nil && (v < 0 || v > 100) {
		err = fmt.Errorf("%q is not between 0 and 100", s)
	}
	return v, err
}

// numbers expands a list: values, and ranges a-b followed by their step or by
// d, which doubles from a up to b, or halves from a down to b.
func numbers(values []string) ([]float64, error) {
	var list []float64
	for i := 0; i < len(values); i++ {
		low, high, isRange := cutRange(values[i])
		if !isRange {
			v, err := number(values[i])
			if err != nil {
				return nil, fmt.Errorf("mix of numbers and words: %w", err)
			}
			list = append(list, v)
			continue
		}
		if i++; i == len(values) {
			return nil, fmt.Errorf("range %s lacks its step: write (%s,step) or (%s,d)", values[i-1], values[i-1], values[i-1])
		}
		part, err := span(low, high, values[i])
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	if len(list) > mostValues {
		return nil, fmt.Errorf("%d values: at most %d", len(list), mostValues)
	}
	return list, nil
}

// cutRange splits a-b; a minus sign in front is none.
func cutRange(s string) (low, high string, ok bool) {
	i := strings.IndexByte(s, '-')
	if i <= 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

func span(low, high, step string) ([]float64, error) {
	from, err := number(low)
	if err != nil {
		return nil, err
	}
	to, err := number(high)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(step, "d") {
		return doubled(from, to)
	}
	by, err := number(step)
	switch {
	case err != nil:
		return nil, err
	case by <= 0 || to < from || (to-from)/by > mostValues:
		return nil, fmt.Errorf("range %s-%s by %s: give an end above the start, a step above 0 and at most %d values", low, high, step, mostValues)
	}
	var list []float64
	for v := from; v <= to; v += by {
		list = append(list, v)
	}
	return list, nil
}

func doubled(from, to float64) ([]float64, error) {
	if from < 1 || to < 1 {
		return nil, fmt.Errorf("range %v-%v,d: both ends must be 1 or more", from, to)
	}
	list := []float64{from}
	for v := from * 2; v <= to; v *= 2 {
		list = append(list, v)
	}
	for v := from / 2; v >= to; v /= 2 {
		list = append(list, v)
	}
	return list, nil
}

// sizeText writes a size as vdbench does: 4k, 1m.
func sizeText(v float64) string {
	for i, unit := range slices.Backward([]string{"k", "m", "g", "t"}) {
		if factor := float64(int64(1) << (10 * (i + 1))); v >= factor && math.Mod(v, factor) == 0 {
			return plain(v/factor) + unit
		}
	}
	return plain(v)
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
