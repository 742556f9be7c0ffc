package units

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// maxDigits bounds a number's text, so that hostile input cannot ask for
// arithmetic of any size. It holds every int64 with nine decimals.
const maxDigits = 30

// unit is a suffix and what one of it is in the quantity's base unit.
type unit struct {
	name string
	base int64
}

// grammar is what a quantity's text may be, and how errors speak of it.
type grammar struct {
	what, example string
	// base is the unit that results are in, plain the unit offered for a number
	// without one.
	base, plain string
	units       []unit
}

func byteUnits() []unit {
	return []unit{
		{"B", 1},
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	}
}

func timeUnits() []unit {
	return []unit{
		{"ns", int64(time.Nanosecond)}, {"us", int64(time.Microsecond)}, {"ms", int64(time.Millisecond)},
		{"s", int64(time.Second)}, {"min", int64(time.Minute)}, {"h", int64(time.Hour)},
	}
}

// ParseBytes reads an amount such as 4KiB, "1.5 GiB" or 4096B in bytes. The
// unit is required, and the amount must be a whole number of bytes that fits
// an int64.
func ParseBytes(text string) (int64, error) {
	return parseWhole(text, grammar{"an amount", "4KiB or 1.5GB", "bytes", "B", byteUnits()})
}

// ParseDuration reads a time such as 30s, "1.5 ms" or 2min. The unit is
// required, and the time must be a whole number of nanoseconds.
func ParseDuration(text string) (time.Duration, error) {
	ns, err := parseWhole(text, grammar{"a duration", "500ms or 30s", "nanoseconds", "s", timeUnits()})
	return time.Duration(ns), err
}

// ParseRate reads operations per second, such as 1000/s or 0.5/s.
func ParseRate(text string) (float64, error) {
	return parseSuffixed(text, "/s", "a rate", "1000/s")
}

// ParsePercent reads a percentage such as 50% or 12.5%, and returns the number
// before the sign (50, not 0.5).
func ParsePercent(text string) (float64, error) {
	return parseSuffixed(text, "%", "a percentage", "50%")
}

// parseWhole reads number and unit and returns the whole number of base units.
func parseWhole(text string, g grammar) (int64, error) {
	number, suffix := split(text)
	if !isNumber(number) {
		return 0, fmt.Errorf("read %q as %s: it does not begin with a plain number: write it like %s", clip(text), g.what, g.example)
	}
	for _, u := range g.units {
		if u.name == suffix {
			return scale(text, number, u, g.base)
		}
	}
	return 0, unknownUnit(text, number, suffix, g)
}

// scale multiplies exactly, so that 0.1KiB is refused rather than rounded.
func scale(text, number string, u unit, base string) (int64, error) {
	v, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, fmt.Errorf("read %q: %q is not a number: write digits with at most one point", clip(text), number)
	}
	v.Mul(v, new(big.Rat).SetInt64(u.base))
	if !v.IsInt() {
		return 0, fmt.Errorf("read %q: it is not a whole number of %s: write it in a smaller unit", clip(text), base)
	}
	if !v.Num().IsInt64() {
		return 0, fmt.Errorf("read %q: it is too large: the most is %d %s", clip(text), int64(math.MaxInt64), base)
	}
	return v.Num().Int64(), nil
}

// parseSuffixed reads a number that has exactly one possible suffix.
func parseSuffixed(text, suffix, what, example string) (float64, error) {
	number, got := split(text)
	if !isNumber(number) || got != suffix {
		return 0, fmt.Errorf("read %q as %s: write a plain number and %q, like %s", clip(text), what, suffix, example)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("read %q as %s: %w", clip(text), what, err)
	}
	return v, nil
}

// split parts text into its leading number and what follows it, less one space.
func split(text string) (number, suffix string) {
	end := len(text)
	for i, r := range text {
		if (r < '0' || r > '9') && r != '.' {
			end = i
			break
		}
	}
	number, suffix = text[:end], text[end:]
	if rest, ok := strings.CutPrefix(suffix, " "); ok && rest != "" {
		suffix = rest
	}
	return number, suffix
}

// isNumber accepts digits(.digits)? of a bounded length.
func isNumber(s string) bool {
	whole, fraction, point := strings.Cut(s, ".")
	return len(s) <= maxDigits && isDigits(whole) && (!point || isDigits(fraction))
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// unknownUnit names the unit that was probably meant, or all of them.
func unknownUnit(text, number, suffix string, g grammar) error {
	var names []string
	for _, u := range g.units {
		names = append(names, u.name)
	}
	list := strings.Join(names, ", ")
	if suffix == "" {
		return fmt.Errorf("read %q as %s: it has no unit: write %s%s if that is meant; the units are %s",
			clip(text), g.what, number, g.plain, list)
	}
	if near := nearest(suffix, names); near != "" {
		return fmt.Errorf("read %q as %s: unknown unit %q: did you mean %s%s? The units are %s",
			clip(text), g.what, clip(suffix), number, near, list)
	}
	return fmt.Errorf("read %q as %s: unknown unit %q: the units are %s", clip(text), g.what, clip(suffix), list)
}

// nearest finds the unit that a wrong suffix abbreviates or misspells. A bare K
// or M could be either kind of unit; the binary one is offered, since it is
// what block devices are made of.
func nearest(suffix string, names []string) string {
	lower := strings.ToLower(suffix)
	for _, match := range []func(name string) bool{
		func(n string) bool { return strings.ToLower(n) == lower },
		func(n string) bool { return strings.HasPrefix(strings.ToLower(n), lower) },
		func(n string) bool { return strings.HasPrefix(lower, strings.ToLower(n)) && len(n) > 1 },
		func(n string) bool { return n == "us" && (suffix == "µs" || suffix == "μs") },
		func(n string) bool { return lower[0] == strings.ToLower(n)[0] },
	} {
		for _, n := range names {
			if match(n) {
				return n
			}
		}
	}
	return ""
}

// clip keeps hostile input out of error messages.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
