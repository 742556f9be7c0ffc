package html

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/iosweep/iosweep/report/browsertest"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// open shows a run's report in a browser.
func open(t *testing.T, run *results.RunData, before ...chromedp.Action[chromedp.Void]) *browsertest.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(reporttest.Write(t, run, Write)), 0o644); err != nil {
		t.Fatal(err)
	}
	return browsertest.Open(t, file, before...)
}

func TestPageIsQuietAndAlone(t *testing.T) {
	for name, run := range map[string]*results.RunData{"quick": reporttest.Quick(), "hostile": reporttest.Hostile(), "curves": reporttest.Curves(12, 7, nil)} {
		t.Run(name, func(t *testing.T) {
			b := open(t, run)
			b.Want("true", `document.documentElement.classList.contains('js')`)
			b.Want("true", `[...document.querySelectorAll('button.sort')].every(e => (e.click(), true))`)
			b.Quiet()
		})
	}
}

func TestLegendAndTablesAreInStep(t *testing.T) {
	b := open(t, reporttest.Quick())
	legend := `document.querySelector('#fig-w2-scrub .entry[data-s="1"]')`
	rows := `[...document.querySelectorAll('tr.on')].map(r => r.dataset.s).join()`
	b.Run(legend + `.dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	b.Want("true", legend+`.getAttribute('aria-pressed')`)
	b.Want("1,1", rows)
	b.Want("true", `getComputedStyle(document.querySelector('#fig-w2-scrub .series[data-s="0"]')).opacity < 0.5`)
	b.Want("false", `document.querySelector('#fig-w3-writes').classList.contains('picked')`)
	b.Do(chromedp.Click(chromedp.CSS(`section[data-w="w2-scrub"] tr[data-s="3"] button.pick`)))
	b.Want("false", legend+`.getAttribute('aria-pressed')`)
	b.Want("true", `document.querySelector('#fig-w2-scrub .entry[data-s="3"]').getAttribute('aria-pressed')`)
	b.Do(chromedp.Click(chromedp.CSS(`section[data-w="w2-scrub"] tr[data-s="3"] button.pick`)))
	b.Want("", rows)
	b.Quiet()
}

func TestKeyboardLeadsThroughAChart(t *testing.T) {
	b := open(t, reporttest.Quick())
	focused := `document.activeElement.getAttribute('aria-label').split('\n')[0]`
	b.Do(chromedp.Focus(chromedp.CSS(`#fig-w1-deletes .hit[tabindex="0"]`)))
	b.Want("8192", focused)
	b.Want("false", `document.getElementById('tip').hidden`)
	b.Want("true", `(t => t.includes('trials: 3') && t.includes('effect: as asked'))(document.getElementById('tip').textContent)`)
	b.Do(chromedp.KeyEvent(kb.ArrowRight))
	b.Want("65536", focused)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Want("1", `document.querySelectorAll('section[data-w="w1-deletes"] tr.on').length`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Want("0", `document.querySelectorAll('tr.on').length`)
	b.Want("true", `document.getElementById('tip').hidden`)
	b.Want("1", `document.querySelectorAll('#fig-w1-deletes .hit[tabindex="0"]').length`)
	b.Do(chromedp.Focus(chromedp.CSS(`#fig-w1-deletes .entry`)), chromedp.KeyEvent(" "))
	b.Want("1", `document.querySelectorAll('section[data-w="w1-deletes"] tr.on').length`)
	b.Quiet()
}

func TestChartSwitchesItsStatistic(t *testing.T) {
	b := open(t, reporttest.Curves(4, 7, nil))
	set := func(class, value string) {
		b.Run(fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); })(document.querySelector('#fig-w1-curve .%s'))`, value, class))
	}
	drawn := `document.querySelectorAll('#fig-w1-curve .dyn .hit').length`
	b.Want("0", drawn)
	set("stat", "p50")
	b.Want("24", drawn)
	b.Want("true", `document.querySelector('#fig-w1-curve .dyn .title').textContent.includes('p50')`)
	b.Want("true", `document.querySelector('#fig-w1-curve .dyn .hit').getAttribute('aria-label').includes('p50 service time: ')`)
	set("scale", "linear")
	linear := `[...document.querySelectorAll('#fig-w1-curve .dyn .hit')].map(h => h.getAttribute('cy')).join()`
	before := browsertest.Value[string](b, linear)
	set("scale", "log")
	b.Want("true", fmt.Sprintf("%s !== %q", linear, before))
	set("stat", "")
	set("scale", "")
	b.Want("0", drawn)
	b.Quiet()
}

// TestByValueSwitchesItsStatistic draws the latency of the chart by value anew and
// leaves its other panel.
func TestByValueSwitchesItsStatistic(t *testing.T) {
	b := open(t, reporttest.Quick())
	figure := `document.querySelector('#fig-w2-scrub-by-value')`
	drawn := figure + `.querySelectorAll('.dyn .hit').length`
	shown := func(panel int) string {
		return fmt.Sprintf(`%s.querySelectorAll('.hit[data-panel="%d"]:not(.off)').length`, figure, panel)
	}
	b.Want("4", shown(0))
	b.Want("4", shown(1))
	set := func(class, value string) {
		b.Run(fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); })(%s.querySelector('.%s'))`, value, figure, class))
	}
	set("stat", "max")
	b.Want("4", drawn)
	b.Want("4", shown(0))
	b.Want("0", shown(1))
	b.Want("true", figure+`.querySelector('.dyn .hit').getAttribute('aria-label').startsWith('16\nmax service time: ')`)
	b.Want("true", `[...`+figure+`.querySelectorAll('.dyn .tick')].some(e => e.textContent === '0 (no limit)')`)
	set("scale", "log")
	b.Want("4", drawn)
	set("stat", "")
	set("scale", "")
	b.Want("0", drawn)
	b.Quiet()
}

// TestLinesSwitch draws lines over time and over shares by another statistic, from
// issue, and on another axis. A panel without the choice stays as drawn.
func TestLinesSwitch(t *testing.T) {
	b := open(t, reporttest.OpenLoop())
	for _, c := range []struct {
		figure, choice, scale string
		drawn                 int // marks drawn anew
		label, said           string
	}{
		{"w1-open-time-read", "max", "", 2, "greatest latency (ms)", "greatest latency, linear"},
		{"w1-open-time-read", "max", "log", 4, "greatest latency", "throughput, logarithmic, greatest latency, logarithmic"},
		{"w1-open-time-read", "mean", "", 0, "", "as drawn"},
		{"w1-open-spread-read-read", "service time", "linear", 8, "service time of reads (ms)", "service time of reads, linear"},
		{"w1-open-spread-read-read", "response time", "", 0, "", "as drawn"},
	} {
		figure := fmt.Sprintf(`document.querySelector('#fig-%s')`, c.figure)
		total := browsertest.Value[int](b, figure+`.querySelectorAll('.hit[data-panel]').length`)
		b.Run(fmt.Sprintf(`(f => { f.querySelector('.stat').value = %q; f.querySelector('.scale').value = %q; f.querySelector('.stat').dispatchEvent(new Event('change', {bubbles: true})); })(%s)`, c.choice, c.scale, figure))
		b.Want(fmt.Sprint(c.drawn), figure+`.querySelectorAll('.dyn .hit').length`)
		b.Want(fmt.Sprint(total), figure+`.querySelectorAll('.hit:not(.off)').length`)
		b.Want("true", fmt.Sprintf(`%q === '' || [...%s.querySelectorAll('.dyn .tick')].some(e => e.textContent === %q)`, c.label, figure, c.label))
		b.Want("true", fmt.Sprintf(`document.getElementById('status').textContent.endsWith(%q)`, c.said))
		b.Want("false", fmt.Sprintf(`/NaN|undefined/.test(%s.innerHTML)`, figure))
	}
	b.Quiet()
}

func TestTablesSortFilterAndCopy(t *testing.T) {
	b := open(t, reporttest.Curves(4, 3, nil))
	table := `document.querySelector('#w1-curve').closest('section').querySelector('table.figures')`
	first := `(r => r.cells[0].textContent + ' ' + r.cells[1].textContent)(` + table + `.tBodies[0].rows[0])`
	b.Want("64 depth 1", first)
	b.Run(table + `.tHead.rows[0].cells[2].querySelector('button').click()`)
	b.Run(table + `.tHead.rows[0].cells[2].querySelector('button').click()`)
	b.Want("descending", table+`.tHead.rows[0].cells[2].getAttribute('aria-sort')`)
	b.Want("512 depth 32", first)
	b.Do(chromedp.SendKeys(chromedp.CSS(`section[data-w="w1-curve"] > .tools input`), "depth 16"))
	b.Want("4", `[...`+table+`.tBodies[0].rows].filter(r => !r.hidden).length`)
	b.Run(`navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }`)
	copyAs := func(form string) {
		b.Run(`[...document.querySelectorAll('section[data-w="w1-curve"] > .tools button')].find(e => e.textContent === 'copy ` + form + `').click()`)
	}
	copyAs("CSV")
	b.Want("5", `window.copied.trim().split('\n').length`)
	copyAs("Markdown")
	b.Want("true", `window.copied.startsWith('| max\\_sectors\\_kb | load | throughput |') && window.copied.includes('|---|---|')`)
	b.Quiet()
}

func TestPageIsCompleteWithoutScript(t *testing.T) {
	off := chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	b := open(t, reporttest.Quick(), off)
	text := browsertest.Value[string](b, `document.querySelector('main').innerText`)
	for _, part := range []string{"undecided", "Proof of effect", "delete_max_sectors = 8192", "Run it again", "How to cite"} {
		if !strings.Contains(text, part) {
			t.Errorf("without script the page does not say %q", part)
		}
	}
	b.Want("false", `document.documentElement.classList.contains('js')`)
	b.Want("none", `getComputedStyle(document.querySelector('.controls')).display`)
	b.Want("true", `document.querySelector('#fig-w1-deletes .hit title').textContent.includes('trials: 3')`)
	b.Quiet()
}

func TestPagePrintsAndFits(t *testing.T) {
	b := open(t, reporttest.Quick())
	b.Media("print", "light")
	b.Want("none none", `['nav', '.tools'].map(s => getComputedStyle(document.querySelector(s)).display).join(' ')`)
	pdf, err := chromedp.Run(b.Context, chromedp.PrintToPDF())
	if err != nil || len(pdf) < 20000 {
		t.Errorf("the print is %d bytes (%v): something is missing", len(pdf), err)
	}
	b.Media("screen", "light")
	b.Do(chromedp.EmulateViewport(360, 740))
	b.Want("true", `document.documentElement.scrollWidth <= 360`)
	b.Quiet()
}

func TestPageIsAccessible(t *testing.T) { open(t, reporttest.Quick()).Audit() }
