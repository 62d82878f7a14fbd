// Package browsertest looks at the report with a real browser: one that is found
// on the PATH and driven over the DevTools protocol.
//
//	cd reports/html/browsertest && go test ./...
//
// CERTIFY_SCREENSHOTS=DIR saves what was looked at. It is a module of its own, so
// that nobody else needs the library that drives browsers.
package browsertest

import (
	"context"
	"fmt"
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

// watchdog bounds all that is done with one page.
const watchdog = 90 * time.Second

// names are those of a browser that can be driven, on the PATH.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell", "chrome"}

// start starts a browser, or skips the test where there is none.
func start(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("no browser on the PATH: looked for %s", strings.Join(names, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// view is what a page is looked at with.
type view struct {
	scheme        string // light or dark
	width, height int64
}

func (v view) String() string { return fmt.Sprintf("%s-%d", v.scheme, v.width) }

// tab is an open page.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests int      // written by the browser's events, under mu
	problems []string // likewise: errors, and requests that are not for the file
}

// open opens address as v.
func open(t *testing.T, browser context.Context, address string, v view) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, watchdog)
	t.Cleanup(stop)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.event); err != nil {
		t.Fatal(err)
	}
	must(p, network.Enable, network.EnableParams{})
	must(p, log.Enable, cdp.Empty{})
	must(p, runtime.Enable, cdp.Empty{})
	must(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: v.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	p.do(chromedp.EmulateViewport(v.width, v.height), chromedp.Navigate(address))
	return p
}

// event is called by the browser, one event after the other.
func (p *tab) event(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests++
		if address := e.Request.URL; !strings.HasPrefix(address, "file://") && !strings.HasPrefix(address, "blob:null/") {
			p.problems = append(p.problems, "request for "+address)
		}
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, fmt.Sprintf("console: %s", e.Type))
	case *log.EventEntryAdded:
		p.problems = append(p.problems, fmt.Sprintf("log: %s: %s", e.Entry.Level, e.Entry.Text))
	}
}

// check fails the test for what the browser complained of.
func (p *tab) check() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.requests == 0 {
		p.t.Error("no request was seen, not even that for the file")
	}
	for _, problem := range p.problems {
		p.t.Error(problem)
	}
}

// must runs a command of the protocol.
func must[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval returns the value of an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// same fails the test unless an expression in the page is want.
func same[T comparable](p *tab, expression string, want T) {
	p.t.Helper()
	if got := eval[T](p, expression); got != want {
		p.t.Errorf("%s is %v, want %v", expression, got, want)
	}
}

// save writes pictures of the first screen and of the whole page, where
// CERTIFY_SCREENSHOTS says.
func (p *tab) save(name string) {
	p.t.Helper()
	dir := os.Getenv("CERTIFY_SCREENSHOTS")
	if dir == "" {
		return
	}
	for file, take := range map[string]chromedp.Action[[]byte]{
		name + "-first": chromedp.CaptureScreenshot(), name: chromedp.FullScreenshot(100),
	} {
		picture, err := chromedp.Run(p.ctx, take)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file+".png"), picture, 0o644)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}
