// Package browsertest opens pages in Debian's Chromium for tests and notices what
// goes wrong in them.
package browsertest

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

// Page is a page open in Chromium and what was noticed of it.
type Page struct {
	t *testing.T
	// Context is the browser's, for commands that have no method here.
	Context context.Context
	file    string

	mu       sync.Mutex
	seen     bool // the page's own request was
	problems []string
}

// Open shows a file, from a file: address, in a browser of its own, which lives
// until the test ends. Without Chromium the test is skipped, under CI it fails.
func Open(t *testing.T, file string, before ...chromedp.Action[chromedp.Void]) *Page {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		lacks(t, "chromium")
	}
	b := &Page{t: t, file: file}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.WindowSize(1200, 900))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithListener(b.notice))
	t.Cleanup(stop)
	b.Context, stop = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(stop)
	call(b, network.Enable, network.EnableParams{})
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(b, log.Enable, cdp.Empty{})
	b.Do(before...)
	b.Do(chromedp.Navigate((&url.URL{Scheme: "file", Path: b.file}).String()))
	return b
}

// call runs a command of the browser's protocol.
func call[P, R any](b *Page, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.Context, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// Media makes the page believe in a medium and a colour scheme.
func (b *Page) Media(medium, scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// notice keeps console errors and requests for anything but the page.
func (b *Page) notice(event any) {
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

// Quiet fails the test if anything was noticed.
func (b *Page) Quiet() {
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

// Do does what a user does, and fails the test if it cannot be done.
func (b *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.Context, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Value evaluates an expression in the page, and waits for it if it is a promise.
func Value[T any](b *Page, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.Context, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise, chromedp.EvalAsValue))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// Run evaluates statements for what they do.
func (b *Page) Run(statements string) {
	b.t.Helper()
	Value[int](b, statements+"; 0")
}

// Want evaluates an expression in the page and compares what it gives, as text.
func (b *Page) Want(want, expression string) {
	b.t.Helper()
	if got := Value[string](b, "String("+expression+")"); got != want {
		b.t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

// Audit runs axe-core's audit in light and dark, at a desk's width and a
// telephone's, where nothing may stick out of the page's side. Without axe-core
// the test is skipped, under CI it fails.
func (b *Page) Audit() {
	b.t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		b.t.Fatal(err)
	}
	axe, err := os.ReadFile(filepath.Join(cache, "iosweep", "axe.min.js"))
	if err != nil {
		lacks(b.t, "axe-core")
	}
	b.Run(string(axe))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1200, 360} {
			b.Media("screen", scheme)
			b.Do(chromedp.EmulateViewport(width, 900))
			b.Want("true", fmt.Sprintf("document.documentElement.scrollWidth <= %d", width))
			for _, f := range Value[[]string](b, `axe.run().then(r => r.violations.filter(v => v.impact !== 'minor').flatMap(v => v.nodes.slice(0, 4).map(n => v.id + ': ' + n.html.slice(0, 200) + ' ' + n.failureSummary.slice(0, 300))))`) {
				b.t.Errorf("%s, %d px: %s", scheme, width, f)
			}
		}
	}
}
