package results

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestNewID(t *testing.T) {
	started := time.Date(2026, 1, 2, 5, 4, 5, 0, time.FixedZone("", 2*3600))
	for profile, want := range map[string]string{
		"delete-chunk":           "delete-chunk",
		"../../etc/passwd":       "etc-passwd",
		"":                       "run",
		"...":                    "run",
		"my profile.yaml":        "my-profile-yaml",
		"größe":                  "gr--e",
		strings.Repeat("x", 300): strings.Repeat("x", 64),
	} {
		id := NewID(profile, started)
		if form := regexp.MustCompile("^" + want + "-20260102T030405Z-[0-9a-f]{6}$"); !form.MatchString(id) {
			t.Errorf("%q: %q does not match %s", profile, id, form)
		}
	}
	if a, b := NewID("x", started), NewID("x", started); a == b {
		t.Errorf("two runs that began at once are both %s", a)
	}
}
