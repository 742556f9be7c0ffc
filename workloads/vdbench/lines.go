package vdbench

import (
	"fmt"
	"strings"
)

// line is one logical line: continuation lines joined, comments gone.
type line struct {
	text   string
	file   string
	number int
}

func (l line) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.file, l.number, fmt.Errorf(format, args...))
}

// where is the line's place in its file.
func (l line) where() string { return fmt.Sprintf("%s:%d", l.file, l.number) }

// splitLines returns the logical lines of a file.
func splitLines(file string, text []byte) []line {
	var list []line
	open := false
	for i, raw := range strings.Split(string(text), "\n") {
		s := strings.TrimSpace(raw)
		if strings.EqualFold(s, "eof") {
			break
		}
		if s == "" || strings.ContainsRune("/#*", rune(s[0])) {
			continue
		}
		s = cutComment(s)
		if open {
			list[len(list)-1].text += s
		} else {
			list = append(list, line{s, file, i + 1})
		}
		open = strings.HasSuffix(s, ",")
	}
	return list
}

// cutComment ends a line at its first blank outside quotes.
func cutComment(s string) string {
	var quote rune
	for i, c := range s {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ' ' || c == '\t':
			return s[:i]
		}
	}
	return s
}

// param is one key=value of a line; a value in parentheses is a list.
type param struct {
	key    string
	values []string
	at     line
}

func (p param) errorf(format string, args ...any) error {
	return p.at.errorf("%s: %w", p.key, fmt.Errorf(format, args...))
}

func (p param) first() string { return p.values[0] }

// splitParams takes a line apart.
func splitParams(l line) ([]param, error) {
	var list []param
	for rest := strings.TrimSuffix(l.text, ","); rest != ""; {
		key, value, ok := strings.Cut(rest, "=")
		if !ok || key == "" {
			return nil, l.errorf("%q is no keyword=value", rest)
		}
		values, after, err := splitValue(value)
		if err != nil {
			return nil, l.errorf("%s: %w", key, err)
		}
		list = append(list, param{strings.ToLower(key), values, l})
		rest = after
	}
	return list, nil
}

// splitValue returns the value or list at the start of s and what follows the
// comma behind it.
func splitValue(s string) (values []string, rest string, err error) {
	list := strings.HasPrefix(s, "(")
	if list {
		s = s[1:]
	}
	for {
		var v string
		v, s, err = word(s)
		if err != nil {
			return nil, "", err
		}
		if v == "" {
			return nil, "", fmt.Errorf("a value is empty")
		}
		values = append(values, v)
		switch {
		case strings.HasPrefix(s, ",") && list:
			s = s[1:]
			continue
		case list && !strings.HasPrefix(s, ")"), !list && strings.HasPrefix(s, ")"):
			return nil, "", fmt.Errorf("parentheses do not match")
		}
		s = strings.TrimPrefix(s, ")")
		if rest, ok := strings.CutPrefix(s, ","); ok || s == "" {
			return values, rest, nil
		}
		return nil, "", fmt.Errorf("%q follows a list", s)
	}
}

// word returns the text up to the next comma or closing parenthesis outside
// quotes, without its quotes.
func word(s string) (value, rest string, err error) {
	var b strings.Builder
	for s != "" && s[0] != ',' && s[0] != ')' {
		if q := s[0]; q == '"' || q == '\'' {
			end := strings.IndexByte(s[1:], q)
			if end < 0 {
				return "", "", fmt.Errorf("a quote is not closed")
			}
			b.WriteString(s[1 : end+1])
			s = s[end+2:]
			continue
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String(), s, nil
}
