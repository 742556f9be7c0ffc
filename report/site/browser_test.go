package site

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/iosweep/iosweep/report/browsertest"
	"github.com/iosweep/iosweep/report/reporttest"
)

// TestPagesInABrowser audits every page of a site; each is quiet and asks for
// nothing but itself.
func TestPagesInABrowser(t *testing.T) {
	dir := t.TempDir()
	hostile := reporttest.Hostile()
	hostile.Run.ID = "hostile"
	if err := Write(dir, stored(t, named("one"), named("two"), hostile), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "tunables/bioq_batchsize.html", "runs/hostile/report/report.html"} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.Open(t, filepath.Join(dir, filepath.FromSlash(name)))
			b.Want("true", `document.documentElement.classList.contains('js')`)
			b.Want("true", `[...document.querySelectorAll('button.sort')].every(e => (e.click(), true))`)
			b.Audit()
			b.Quiet()
		})
	}
}

// TestIndexSortsAndFilters by the dates that the page has without its script.
func TestIndexSortsAndFilters(t *testing.T) {
	dir := t.TempDir()
	runs := []string{"a", "b", "c", "d", "e", "f"}
	all := stored(t, named(runs[0]), named(runs[1]), named(runs[2]), named(runs[3]), named(runs[4]), named(runs[5]))
	for i, r := range all.Runs {
		r.Run.Started = r.Run.Started.AddDate(0, 0, i)
	}
	if err := Write(dir, all, Options{Redact: true}); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, filepath.Join(dir, "index.html"))
	dates := `[...document.querySelectorAll('tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent.slice(-2)).join()`
	b.Want("07,06,05,04,03,02", dates)
	b.Run(`document.querySelector('button.sort').click()`)
	b.Want("02,03,04,05,06,07", dates)
	b.Do(chromedp.SendKeys(chromedp.CSS(`.tools input`), "01-05"))
	b.Want("05", dates)
	b.Quiet()
}

// TestComparisonSortsByFigures and not by their text: 981 kB/s is less than 1.73 GB/s.
func TestComparisonSortsByFigures(t *testing.T) {
	dir := t.TempDir()
	slow := named("slow")
	for i := range slow.Trials {
		for j := range slow.Trials[i].Jobs {
			for k := range slow.Trials[i].Jobs[j].Kinds {
				slow.Trials[i].Jobs[j].Kinds[k].BytesPerSecond.V /= 1e4
			}
		}
	}
	if err := Write(dir, stored(t, named("fast"), slow), Options{}); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, filepath.Join(dir, "tunables", "bioq_batchsize.html"))
	b.Run(`[...document.querySelectorAll('button.sort')][3].click()`)
	first := `document.querySelector('tbody tr').cells[3].textContent`
	b.Want("true", first+`.includes('kB/s')`)
	b.Run(`[...document.querySelectorAll('button.sort')][3].click()`)
	b.Want("true", first+`.includes('GB/s')`)
	b.Quiet()
}
