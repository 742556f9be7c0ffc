package site

import (
	"encoding/xml"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/check"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
)

// stored writes runs into folders of their own and opens them.
func stored(t *testing.T, runs ...*results.RunData) *results.Set {
	t.Helper()
	var dirs []string
	for _, r := range runs {
		dir := filepath.Join(t.TempDir(), "run")
		if err := store(dir, r); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	set, err := results.Open(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// named is the quick run under an id, with secrets.
func named(id string) *results.RunData {
	r := reporttest.Quick()
	r.Run.ID = id
	r.Run.Device.ID, r.Run.Device.Serial, r.Run.Environment.Hostname = "eui.0025385b71b0e5d2", "S4EVNX0R123", "db7.example.org"
	r.Run.Args = []string{"run", "/home/ann/mine.yaml", "--destroy", "S4EVNX0R123"}
	return r
}

// files lists every file of a site with its text.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	dir := t.TempDir()
	hostile := reporttest.Hostile()
	hostile.Run.ID = "../../<b>id</b>"
	if err := Write(dir, stored(t, named("one"), named("two"), hostile), Options{}); err != nil {
		t.Fatal(err)
	}
	all := files(t, dir)
	links := regexp.MustCompile(`href="([^"#]*)(#[^"]*)?"`)
	n := 0
	for name, text := range all {
		if !strings.HasSuffix(name, ".html") || strings.Contains(name, "/report/") {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			n++
			target := filepath.ToSlash(filepath.Join(filepath.Dir(name), m[1]))
			if m[1] == "" {
				target = name
			}
			page, ok := all[target]
			if !ok {
				t.Errorf("%s links to %s, which there is not", name, m[1])
			}
			if id := strings.TrimPrefix(m[2], "#"); id != "" && !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("%s links to %s%s, which that page has not", name, m[1], m[2])
			}
		}
		if strings.Count(text, "<script") > 1 || strings.Contains(text, "<img") {
			t.Errorf("%s interprets a name", name)
		}
	}
	if n < 30 {
		t.Errorf("only %d links were looked at", n)
	}
	for _, page := range []string{"index.html", "feed.xml", "tunables/bioq_batchsize.html", "runs/one/report/report.html", "runs/two/trials.jsonl"} {
		if all[page] == "" {
			t.Errorf("the site has no %s", page)
		}
	}
}

func TestRedactedSiteTellsNothing(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, stored(t, named("one")), Options{Redact: true}); err != nil {
		t.Fatal(err)
	}
	for name, text := range files(t, dir) {
		for _, secret := range []string{"S4EVNX0R123", "0025385b71b0e5d2", "db7", "/home/ann"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s", name, secret)
			}
		}
	}
	set, err := results.Open(filepath.Join(dir, "runs", "one"))
	if err != nil {
		t.Fatal(err)
	}
	if !set.Runs[0].Complete {
		t.Errorf("the redacted run does not match its sums: %v", set.Runs[0].Problems)
	}
	model, err := report.Build(set, query.Query{}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := check.Report(filepath.Join(dir, "runs", "one", "report"), model)
	if err != nil || len(r.Differences) > 0 || r.Figures == 0 {
		t.Errorf("the report is not what the published trials say: %v, %v", r.Differences, err)
	}
}

// TestAddressesStay builds a site again, with one run more.
func TestAddressesStay(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, stored(t, named("one")), Options{}); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	if err := Write(dir, stored(t, named("two"), named("one")), Options{}); err != nil {
		t.Fatal(err)
	}
	after := files(t, dir)
	for name, text := range before {
		if strings.HasPrefix(name, "runs/") && after[name] != text {
			t.Errorf("%s was changed by publishing another run", name)
		}
	}
}

func TestFeedNamesEveryRun(t *testing.T) {
	dir := t.TempDir()
	model := named("model")
	model.Run.Simulated, model.Run.Started = true, time.Time{}
	if err := Write(dir, stored(t, named("one"), model), Options{Base: "https://example.org/io"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "feed.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var f feed
	if err := xml.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Entries) != 2 || f.Entries[0].ID != "urn:iosweep:run:one" || f.Entries[0].Link.Href != "https://example.org/io/runs/one/report/report.html" || f.Updated != "2026-01-02T03:04:05Z" {
		t.Errorf("the feed is %s", text)
	}
}

func TestComparisonMarksOnlyWhatIsDecided(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, stored(t, named("one"), named("two")), Options{}); err != nil {
		t.Fatal(err)
	}
	page := files(t, dir)["tunables/delete_max_sectors.html"]
	if strings.Count(page, "runs/one/")+strings.Count(page, "runs/two/") != 2 || !strings.Contains(page, ">34.6 GB/s") {
		t.Errorf("the runs do not stand side by side: %s", page)
	}
	if strings.Contains(page, "<strong>") {
		t.Error("an undecided value is marked as the best")
	}
}

func TestAddressIsSafe(t *testing.T) {
	for name, want := range map[string]string{"quick-2026.a_b": "quick-2026.a_b", "../x": "~2e.~2fx", "a b/ü": "a~20b~2f~fc"} {
		if got := address(name); got != want {
			t.Errorf("address(%q) is %q, want %q", name, got, want)
		}
	}
}
