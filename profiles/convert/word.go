package convert

import (
	"path/filepath"
	"strconv"
	"strings"
)

// plain is a number without an exponent.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// percentText is a share from 0 to 1 as a percentage that reads back as the
// same share, where there is one.
func percentText(share float64) string {
	for digits := range 17 {
		text := strconv.FormatFloat(share*100, 'f', digits, 64)
		if v, err := strconv.ParseFloat(text, 64); err == nil && v/100 == share {
			return text + "%"
		}
	}
	return plain(share*100) + "%"
}

// word makes a name of the profile language: of a path, of its last part.
func word(name string) string {
	const most = 60
	var b strings.Builder
	for _, r := range strings.ToLower(filepath.Base(name)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	out := strings.Trim(b.String(), "-")
	if out == "" || out[0] < 'a' || out[0] > 'z' {
		out = "run-" + out
	}
	return strings.TrimSuffix(out[:min(len(out), most)], "-")
}

// oneLine keeps a text within its comment.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
