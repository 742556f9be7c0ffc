package profiles

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode"

	"github.com/iosweep/iosweep/internal/units"
	"gopkg.in/yaml.v3"
)

// The grammar of internal/units as JSON Schema patterns.
const (
	numberPattern   = `[0-9]+(\.[0-9]+)? ?`
	bytesPattern    = `^` + numberPattern + `(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)$`
	durationPattern = `^` + numberPattern + `(ns|us|ms|s|min|h)$`
	ratePattern     = `^` + numberPattern + `/s$`
	percentPattern  = `^` + numberPattern + `%$`
)

// Bounds that no real profile comes near; they keep arithmetic on times and
// amounts from overflowing.
const (
	maxDuration = 30 * 24 * time.Hour
	maxRate     = 1e9
	maxDepth    = 16384 // what one ring takes
)

// scalar is a kind whose value is one word, read by parse.
func scalar[T any](s schema, parse func(string) (T, error)) kind[T] {
	return kind[T]{s, func(r *reader, n *yaml.Node) (T, bool) {
		var none T
		n, ok := r.visit(n)
		if !ok {
			return none, false
		}
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
			r.fail(n, "%s: it is %s: write one value", r.what(), nodeName(n))
			return none, false
		}
		v, err := parse(n.Value)
		if err != nil {
			r.fail(n, "%s: %v", r.what(), err)
			return none, false
		}
		return v, true
	}}
}

// visible refuses characters that a terminal or a page would act on instead of
// showing them: controls, and those that turn the direction of what follows.
func visible(s string) error {
	for _, r := range s {
		hidden := unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
		if hidden {
			return fmt.Errorf("it holds the invisible character %U: remove it", r)
		}
	}
	return nil
}

// text is a line or more of prose.
func text() kind[string] {
	plain := scalar(schema{"type": "string", "minLength": 1}, func(s string) (string, error) {
		if s == "" {
			return "", errors.New("it is empty: write some text or leave the key out")
		}
		return s, visible(s)
	})
	return kind[string]{plain.schema, func(r *reader, n *yaml.Node) (string, bool) {
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!str" && n.ShortTag() != "!!null" {
			r.fail(n, "%s: %s is not text: put it in quotes", r.what(), shorten(n.Value))
			return "", false
		}
		return plain.read(r, n)
	}}
}

// word is a name: it may stand in a metric, a path and a query.
func word() kind[string] {
	return scalar(schema{"type": "string", "pattern": `^[a-z][a-z0-9_-]{0,62}$`}, func(s string) (string, error) {
		if len(s) > 63 || s == "" || s[0] < 'a' || s[0] > 'z' {
			return "", fmt.Errorf("name %q: begin with a small letter and use at most 63 characters", shorten(s))
		}
		for _, c := range []byte(s) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return "", fmt.Errorf("name %q: use small letters, digits, - and _ only", s)
			}
		}
		return s, nil
	})
}

// raw is a value of a tunable: whatever the file says, as it says it.
func raw() kind[string] {
	return scalar(schema{"type": []any{"string", "integer", "boolean"}}, func(s string) (string, error) { return s, nil })
}

// amount is a number of bytes above zero.
func amount() kind[int64] {
	return scalar(schema{"type": "string", "pattern": bytesPattern}, func(s string) (int64, error) {
		n, err := units.ParseBytes(s)
		if err == nil && n == 0 {
			return 0, errors.New("0 bytes mean nothing: write an amount, or leave the key out")
		}
		return n, err
	})
}

// offset is a number of bytes that may be zero.
func offset() kind[int64] {
	return scalar(schema{"type": "string", "pattern": bytesPattern}, units.ParseBytes)
}

func duration() kind[time.Duration] {
	return scalar(schema{"type": "string", "pattern": durationPattern}, func(s string) (time.Duration, error) {
		d, err := units.ParseDuration(s)
		if err == nil && d > maxDuration {
			return 0, fmt.Errorf("%s is longer than the limit of %v: write less", s, maxDuration)
		}
		return d, err
	})
}

func rate() kind[float64] {
	return scalar(schema{"type": "string", "pattern": ratePattern}, func(s string) (float64, error) {
		v, err := units.ParseRate(s)
		if err == nil && (v < 1e-6 || v > maxRate) {
			return 0, fmt.Errorf("rate %s is out of range: write 0.000001/s to %d/s", shorten(s), int64(maxRate))
		}
		return v, err
	})
}

// percent is a percentage from 0% to 100%, as the number before the sign.
func percent() kind[float64] {
	return scalar(schema{"type": "string", "pattern": percentPattern}, func(s string) (float64, error) {
		v, err := units.ParsePercent(s)
		if err == nil && v > 100 {
			return 0, fmt.Errorf("%s is out of range: write 0%% to 100%%", shorten(s))
		}
		return v, err
	})
}

// share is a percentage as a number from 0 to 1.
func share() kind[float64] {
	p := percent()
	return kind[float64]{p.schema, func(r *reader, n *yaml.Node) (float64, bool) {
		v, ok := p.read(r, n)
		return v / 100, ok
	}}
}

// ratio is a plain decimal number from 1 to 1000.
func ratio() kind[float64] {
	return scalar(schema{"type": "number", "minimum": 1, "maximum": 1000}, func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(v) || v < 1 || v > 1000 {
			return 0, fmt.Errorf("ratio %q: write a number from 1 to 1000, such as 2.5", shorten(s))
		}
		return v, nil
	})
}

// whole is a decimal integer in a range.
func whole(low, high int64) kind[int] {
	k := integer(low, high)
	return kind[int]{k.schema, func(r *reader, n *yaml.Node) (int, bool) {
		v, ok := k.read(r, n)
		return int(v), ok
	}}
}

func integer(low, high int64) kind[int64] {
	return scalar(schema{"type": "integer", "minimum": low, "maximum": high}, func(s string) (int64, error) {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil || v < low || v > high || strconv.FormatInt(v, 10) != s {
			return 0, fmt.Errorf("%q: write a whole number from %d to %d", shorten(s), low, high)
		}
		return v, nil
	})
}

func truth() kind[bool] {
	return scalar(schema{"type": "boolean"}, func(s string) (bool, error) {
		if s != "true" && s != "false" {
			return false, fmt.Errorf("%q: write true or false", shorten(s))
		}
		return s == "true", nil
	})
}

// option is one word of a choice and what it stands for.
type option[T any] struct {
	word string
	is   T
}

// choice is one word of a list.
func choice[T any](options ...option[T]) kind[T] {
	var words []string
	for _, o := range options {
		words = append(words, o.word)
	}
	return scalar(schema{"enum": words}, func(s string) (T, error) {
		for _, o := range options {
			if o.word == s {
				return o.is, nil
			}
		}
		var none T
		return none, fmt.Errorf("%q: %s", shorten(s), suggest(s, words))
	})
}
