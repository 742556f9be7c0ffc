package tunables

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/iosweep/iosweep/internal/units"
)

// maxValue bounds a value, in bytes: a sysfs file takes no more than a page.
const maxValue = 4096

// Parse reads a value as people write it and returns its canonical text: for an
// Integer the plain decimal number in the tunable's own unit. Integers may be
// written in hexadecimal (0x21), and, where UnitBytes says so, with a unit of
// bytes (64KiB) if they come to a whole number of the tunable's unit.
func (t Tunable) Parse(text string) (string, error) {
	switch t.Type {
	case Integer:
		n, err := t.parseInteger(text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.Name, err)
		}
		return strconv.FormatInt(n, 10), nil
	case Choice:
		if err := checkWord(text); err != nil {
			return "", fmt.Errorf("%s: value %q is not one word: %w", t.Name, text, err)
		}
		return text, nil
	}
	if err := checkText(text); err != nil {
		return "", fmt.Errorf("%s: %w", t.Name, err)
	}
	return text, nil
}

// Int returns the number that a canonical value of an Integer stands for, in
// the tunable's own unit.
func (t Tunable) Int(value string) (int64, error) {
	if t.Type != Integer {
		return 0, fmt.Errorf("%s: value %q is not a number: the tunable takes a word", t.Name, value)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: value %q is not a decimal integer", t.Name, value)
	}
	return n, nil
}

func (t Tunable) parseInteger(text string) (int64, error) {
	n, err := parseNumber(text)
	if err != nil && t.UnitBytes > 0 && endsInLetter(text) {
		n, err = t.parseBytes(text)
	}
	if err != nil {
		return 0, err
	}
	if n < t.Min || n > t.Max {
		return 0, fmt.Errorf("value %s is out of range: write %d to %d%s", text, t.Min, t.Max, t.unitText())
	}
	return n, nil
}

// parseNumber reads a decimal or 0x integer. A leading zero is refused, since
// some tools would take it for octal.
func parseNumber(text string) (int64, error) {
	digits := strings.TrimPrefix(text, "-")
	base := 10
	if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X") {
		base, digits = 16, digits[2:]
	} else if len(digits) > 1 && digits[0] == '0' {
		return 0, fmt.Errorf("value %q begins with 0: write it without, or with 0x if it is hexadecimal", text)
	}
	if strings.ContainsAny(digits, "+-_") {
		return 0, fmt.Errorf("value %q is not an integer: write digits only", text)
	}
	if strings.HasPrefix(text, "-") {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return 0, fmt.Errorf("value %q is not an integer that fits in 64 bits", text)
	}
	return n, nil
}

func endsInLetter(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(last) && !strings.HasPrefix(text, "0x")
}

// parseBytes reads a size with a unit of bytes into the tunable's own unit.
func (t Tunable) parseBytes(text string) (int64, error) {
	n, err := units.ParseBytes(text)
	if err != nil {
		return 0, err
	}
	if n%t.UnitBytes != 0 {
		return 0, fmt.Errorf("value %s is no whole number of %s: write a multiple of %d B", text, t.Unit, t.UnitBytes)
	}
	return n / t.UnitBytes, nil
}

func (t Tunable) unitText() string {
	if t.Unit == "" {
		return ""
	}
	return " " + t.Unit
}

// checkText accepts one line of printable text.
func checkText(text string) error {
	if text == "" {
		return fmt.Errorf("value is empty")
	}
	if len(text) > maxValue {
		return fmt.Errorf("value of %d bytes is longer than %d", len(text), maxValue)
	}
	if !utf8.ValidString(text) {
		return fmt.Errorf("value %q is not UTF-8", text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("value %q holds a control character or a line break", text)
		}
	}
	return nil
}
