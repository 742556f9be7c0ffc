package results

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"
)

// NewID returns a name for a run that is unique enough to be a folder's name
// and sorts by time: PROFILE-YYYYMMDDTHHMMSSZ-RANDOM. What is not a letter, a
// digit, '-' or '_' in the profile's name becomes '-'.
func NewID(profile string, started time.Time) string {
	var random [3]byte
	rand.Read(random[:]) // never fails since Go 1.24
	return strings.Join([]string{
		idPart(profile),
		started.UTC().Format("20060102T150405Z"),
		hex.EncodeToString(random[:]),
	}, "-")
}

// idPart keeps a run's name to what every file system and shell takes as it is.
func idPart(name string) string {
	const longest = 64
	part := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '-'
	}, name)
	part = strings.Trim(part[:min(len(part), longest)], "-")
	if part == "" {
		return "run"
	}
	return part
}
