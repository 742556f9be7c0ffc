package html

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

func TestOneFileWithoutNetwork(t *testing.T) {
	loads := regexp.MustCompile(`(?i)(<script src|<link|<img|<iframe|@import|url\(|<[^>]*\ssrc=|<[^>]*\shref="[^#])`)
	for _, run := range []*results.RunData{reporttest.Quick(), reporttest.Hostile()} {
		page := reporttest.Write(t, run, Write)
		if m := loads.FindString(page); m != "" {
			t.Errorf("the page has %q", m)
		}
	}
}

func TestNamesAreNoMarkup(t *testing.T) {
	page := reporttest.Write(t, reporttest.Hostile(), Write)
	for _, bad := range []string{"<b>job", "<script>alert", "</style><style>*", "<img"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is interpreted", bad)
		}
	}
	if !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the profile's name is not shown")
	}
	if begun, ended := len(regexp.MustCompile(`<title[ >]`).FindAllString(page, -1)), strings.Count(page, "</title>"); begun != ended {
		t.Errorf("%d titles begin and %d end", begun, ended)
	}
}

// TestOnlyItsOwnScriptMayRun compares the policy's hash with the script.
func TestOnlyItsOwnScriptMayRun(t *testing.T) {
	page := reporttest.Write(t, reporttest.Hostile(), Write)
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 1 {
		t.Fatalf("the page has %d scripts, want its own", len(scripts))
	}
	hash := sha256.Sum256([]byte(scripts[0][1]))
	if want := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"; !strings.Contains(html.UnescapeString(page), want) {
		t.Errorf("the policy does not allow the script: want %s", want)
	}
}

// TestIdsAreUnique also holds the parts in order: each has an id.
func TestIdsAreUnique(t *testing.T) {
	page := reporttest.Write(t, reporttest.Quick(), Write)
	seen := map[string]bool{}
	var ids []string
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if seen[m[1]] {
			t.Errorf("the id %s stands twice", m[1])
		}
		seen[m[1]] = true
		ids = append(ids, m[1])
	}
	for _, m := range regexp.MustCompile(`aria-labelledby="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		for _, id := range strings.Fields(m[1]) {
			if !seen[id] {
				t.Errorf("a label refers to %s, which there is not", id)
			}
		}
	}
	order := strings.Join(ids, " ")
	want := regexp.MustCompile(`answer .*verdicts w1-deletes .*w2-scrub .*w3-writes .*distributions .*effects findings machine method profile again cite status figures$`)
	if !want.MatchString(order) {
		t.Errorf("the parts stand as %s", order)
	}
}

func TestEveryPictureHasWordsAndATable(t *testing.T) {
	page := reporttest.Write(t, reporttest.Quick(), Write)
	pictures := strings.Count(page, "<svg ")
	for _, part := range []string{`role="img"`, "<desc id=", "<figure id="} {
		if n := strings.Count(page, part); n != pictures {
			t.Errorf("%d pictures, but %d of %s", pictures, n, part)
		}
	}
	if n := strings.Count(page, `class="figures"`); n != 4 {
		t.Errorf("%d tables of figures, want one for each job: 4", n)
	}
}

func TestPageOfManyTrialsStaysSmall(t *testing.T) {
	page := reporttest.Write(t, reporttest.Curves(12, 7, nil), Write)
	if len(page) > 2<<20 {
		t.Errorf("504 trials make a page of %d bytes, want at most 2 MiB", len(page))
	}
}
