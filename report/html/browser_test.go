package html

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// lacks skips a test that the machine has no means for. Under CI, where
// .ci/setup installs them, that is a failure.
func lacks(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("needs %s, which this machine lacks though .ci/setup should have installed it", what)
	}
	t.Skipf("needs %s, which this machine lacks: run .ci/setup as root on Debian", what)
}

// browser is a page open in Chromium and what was noticed of it.
type browser struct {
	t    *testing.T
	ctx  context.Context
	file string

	mu       sync.Mutex
	seen     bool // the page's own request was
	problems []string
}

// open shows a run's report, from a file: address, in a browser of its own.
func open(t *testing.T, run *results.RunData, before ...chromedp.Action[chromedp.Void]) *browser {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		lacks(t, "chromium")
	}
	b := &browser{t: t, file: filepath.Join(t.TempDir(), "report.html")}
	if err := os.WriteFile(b.file, []byte(reporttest.Write(t, run, Write)), 0o644); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.WindowSize(1200, 900))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithListener(b.notice))
	t.Cleanup(stop)
	b.ctx, stop = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(stop)
	call(b, network.Enable, network.EnableParams{})
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(b, log.Enable, cdp.Empty{})
	b.do(before...)
	b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: b.file}).String()))
	return b
}

// call runs a command of the browser's protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// media makes the page believe in a medium and a colour scheme.
func (b *browser) media(medium, scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// notice keeps console errors and requests for anything but the page.
func (b *browser) notice(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if b.seen = b.seen || strings.HasSuffix(e.Request.URL, b.file); !strings.HasSuffix(e.Request.URL, b.file) {
			b.problems = append(b.problems, "request for "+e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.problems = append(b.problems, fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	case *log.EventEntryAdded:
		b.problems = append(b.problems, "log: "+e.Entry.Text)
	}
}

// quiet fails the test if anything was noticed.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Error(p)
	}
	if !b.seen {
		b.t.Error("not even the page itself was asked for: nothing was watched")
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// value evaluates an expression in the page, and waits for it if it is a promise.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise, chromedp.EvalAsValue))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// run evaluates statements for what they do.
func (b *browser) run(statements string) {
	b.t.Helper()
	value[int](b, statements+"; 0")
}

// want evaluates an expression in the page and compares what it gives, as text.
func (b *browser) want(want, expression string) {
	b.t.Helper()
	if got := value[string](b, "String("+expression+")"); got != want {
		b.t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

func TestPageIsQuietAndAlone(t *testing.T) {
	for name, run := range map[string]*results.RunData{"quick": reporttest.Quick(), "hostile": reporttest.Hostile(), "curves": reporttest.Curves(12, 7, nil)} {
		t.Run(name, func(t *testing.T) {
			b := open(t, run)
			b.want("true", `document.documentElement.classList.contains('js')`)
			b.want("true", `[...document.querySelectorAll('button.sort')].every(e => (e.click(), true))`)
			b.quiet()
		})
	}
}

func TestLegendAndTablesAreInStep(t *testing.T) {
	b := open(t, reporttest.Quick())
	legend := `document.querySelector('#fig-w2-scrub .entry[data-s="1"]')`
	rows := `[...document.querySelectorAll('tr.on')].map(r => r.dataset.s).join()`
	b.run(legend + `.dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	b.want("true", legend+`.getAttribute('aria-pressed')`)
	b.want("1,1", rows)
	b.want("true", `getComputedStyle(document.querySelector('#fig-w2-scrub .series[data-s="0"]')).opacity < 0.5`)
	b.want("false", `document.querySelector('#fig-w3-writes').classList.contains('picked')`)
	b.do(chromedp.Click(chromedp.CSS(`section[data-w="w2-scrub"] tr[data-s="3"] button.pick`)))
	b.want("false", legend+`.getAttribute('aria-pressed')`)
	b.want("true", `document.querySelector('#fig-w2-scrub .entry[data-s="3"]').getAttribute('aria-pressed')`)
	b.do(chromedp.Click(chromedp.CSS(`section[data-w="w2-scrub"] tr[data-s="3"] button.pick`)))
	b.want("", rows)
	b.quiet()
}

func TestKeyboardLeadsThroughAChart(t *testing.T) {
	b := open(t, reporttest.Quick())
	focused := `document.activeElement.getAttribute('aria-label').split('\n')[0]`
	b.do(chromedp.Focus(chromedp.CSS(`#fig-w1-deletes .hit[tabindex="0"]`)))
	b.want("8192", focused)
	b.want("false", `document.getElementById('tip').hidden`)
	b.want("true", `(t => t.includes('trials: 3') && t.includes('effect: as asked'))(document.getElementById('tip').textContent)`)
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.want("65536", focused)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.want("1", `document.querySelectorAll('section[data-w="w1-deletes"] tr.on').length`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.want("0", `document.querySelectorAll('tr.on').length`)
	b.want("true", `document.getElementById('tip').hidden`)
	b.want("1", `document.querySelectorAll('#fig-w1-deletes .hit[tabindex="0"]').length`)
	b.do(chromedp.Focus(chromedp.CSS(`#fig-w1-deletes .entry`)), chromedp.KeyEvent(" "))
	b.want("1", `document.querySelectorAll('section[data-w="w1-deletes"] tr.on').length`)
	b.quiet()
}

func TestChartSwitchesItsStatistic(t *testing.T) {
	b := open(t, reporttest.Curves(4, 7, nil))
	set := func(class, value string) {
		b.run(fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); })(document.querySelector('#fig-w1-curve .%s'))`, value, class))
	}
	drawn := `document.querySelectorAll('#fig-w1-curve .dyn .hit').length`
	b.want("0", drawn)
	set("stat", "p50")
	b.want("24", drawn)
	b.want("true", `document.querySelector('#fig-w1-curve .dyn .title').textContent.includes('p50')`)
	b.want("true", `document.querySelector('#fig-w1-curve .dyn .hit').getAttribute('aria-label').includes('p50 service time: ')`)
	set("scale", "linear")
	linear := `[...document.querySelectorAll('#fig-w1-curve .dyn .hit')].map(h => h.getAttribute('cy')).join()`
	before := value[string](b, linear)
	set("scale", "log")
	b.want("true", fmt.Sprintf("%s !== %q", linear, before))
	set("stat", "")
	set("scale", "")
	b.want("0", drawn)
	b.quiet()
}

func TestTablesSortFilterAndCopy(t *testing.T) {
	b := open(t, reporttest.Curves(4, 3, nil))
	table := `document.querySelector('#w1-curve').closest('section').querySelector('table.figures')`
	first := `(r => r.cells[0].textContent + ' ' + r.cells[1].textContent)(` + table + `.tBodies[0].rows[0])`
	b.want("64 depth 1", first)
	b.run(table + `.tHead.rows[0].cells[2].querySelector('button').click()`)
	b.run(table + `.tHead.rows[0].cells[2].querySelector('button').click()`)
	b.want("descending", table+`.tHead.rows[0].cells[2].getAttribute('aria-sort')`)
	b.want("512 depth 32", first)
	b.do(chromedp.SendKeys(chromedp.CSS(`section[data-w="w1-curve"] > .tools input`), "depth 16"))
	b.want("4", `[...`+table+`.tBodies[0].rows].filter(r => !r.hidden).length`)
	b.run(`navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }`)
	copyAs := func(form string) {
		b.run(`[...document.querySelectorAll('section[data-w="w1-curve"] > .tools button')].find(e => e.textContent === 'copy ` + form + `').click()`)
	}
	copyAs("CSV")
	b.want("5", `window.copied.trim().split('\n').length`)
	copyAs("Markdown")
	b.want("true", `window.copied.startsWith('| max\\_sectors\\_kb | load | throughput |') && window.copied.includes('|---|---|')`)
	b.quiet()
}

func TestPageIsCompleteWithoutScript(t *testing.T) {
	off := chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	b := open(t, reporttest.Quick(), off)
	text := value[string](b, `document.querySelector('main').innerText`)
	for _, part := range []string{"undecided", "Proof of effect", "delete_max_sectors = 8192", "Run it again", "How to cite"} {
		if !strings.Contains(text, part) {
			t.Errorf("without script the page does not say %q", part)
		}
	}
	b.want("false", `document.documentElement.classList.contains('js')`)
	b.want("none", `getComputedStyle(document.querySelector('.controls')).display`)
	b.want("true", `document.querySelector('#fig-w1-deletes .hit title').textContent.includes('trials: 3')`)
	b.quiet()
}

func TestPagePrintsAndFits(t *testing.T) {
	b := open(t, reporttest.Quick())
	b.media("print", "light")
	b.want("none none", `['nav', '.tools'].map(s => getComputedStyle(document.querySelector(s)).display).join(' ')`)
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil || len(pdf) < 20000 {
		t.Errorf("the print is %d bytes (%v): something is missing", len(pdf), err)
	}
	b.media("screen", "light")
	b.do(chromedp.EmulateViewport(360, 740))
	b.want("true", `document.documentElement.scrollWidth <= 360`)
	b.quiet()
}

// TestPageIsAccessible runs axe-core's audit in light and dark, at a desk's
// width and a telephone's.
func TestPageIsAccessible(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	axe, err := os.ReadFile(filepath.Join(cache, "iosweep", "axe.min.js"))
	if err != nil {
		lacks(t, "axe-core")
	}
	b := open(t, reporttest.Quick())
	b.run(string(axe))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1200, 360} {
			b.media("screen", scheme)
			b.do(chromedp.EmulateViewport(width, 900))
			for _, f := range value[[]string](b, `axe.run().then(r => r.violations.filter(v => v.impact !== 'minor').flatMap(v => v.nodes.slice(0, 4).map(n => v.id + ': ' + n.html.slice(0, 200) + ' ' + n.failureSummary.slice(0, 300))))`) {
				t.Errorf("%s, %d px: %s", scheme, width, f)
			}
		}
	}
}
