package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// views are those that a page must be good in.
var views = []view{{"light", 1280, 800}, {"dark", 1280, 800}, {"light", 390, 844}, {"dark", 390, 844}}

// TestPage looks at a page in each view: the browser complains of nothing and
// loads nothing but the file, the verdict and the counts are in the first screen,
// nothing is wider than the screen, and each chart has its table.
func TestPage(t *testing.T) {
	browser := start(t)
	for name, address := range pages(t) {
		for _, v := range views {
			t.Run(fmt.Sprintf("%s/%s", name, v), func(t *testing.T) {
				p := open(t, browser, address, v)
				same(p, `scrollY`, 0)
				same(p, below, "")
				same(p, `document.documentElement.scrollWidth <= innerWidth`, true)
				same(p, `[...document.querySelectorAll('figure')].filter(f => !f.querySelector('details table tbody tr')).length`, 0)
				same(p, `document.querySelectorAll('figure svg[role=img]').length > 0`, true)
				same(p, `matchMedia('(prefers-color-scheme: dark)').matches`, v.scheme == "dark")
				same(p, faint, "")
				same(p, collisions, "")
				p.save(fmt.Sprintf("%s-%s", name, v))
				p.check()
			})
		}
	}
}

// below are the parts of the first screen that are not in it.
const below = `['h1', '.why', '.counts', '.facts'].filter(s => document.querySelector(s).getBoundingClientRect().bottom > innerHeight).join()`

// faint are the texts whose contrast with what is behind them is below 4.5, or 3
// where they are large: WCAG 2.2, 1.4.3.
const faint = `(() => {
	const numbers = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
	const light = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; } return [255, 255, 255, 1]; };
	const bad = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || !e.checkVisibility() || ['SCRIPT', 'NOSCRIPT', 'TITLE', 'DESC', 'title', 'desc'].includes(e.tagName)) continue;
		const style = getComputedStyle(e), svg = e.tagName === 'text';
		const a = light(numbers(svg ? style.fill : style.color)), b = light(behind(e));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) bad.add(e.tagName + '.' + (e.className.baseVal ?? e.className) + ' ' + ratio.toFixed(2));
	}
	return [...bad].join(', ');
})()`

// collisions are texts of one chart that stand on each other, by more than the
// room that a font leaves around its letters.
const collisions = `(() => {
	const bad = [];
	for (const svg of document.querySelectorAll('figure svg')) {
		const all = [...svg.querySelectorAll('text')].map(e => ({ text: e.textContent, box: e.getBoundingClientRect() }));
		all.forEach((a, i) => all.slice(i + 1).forEach(b => {
			const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
			const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
			if (wide > 1 && high > 0.35 * Math.min(a.box.height, b.box.height)) bad.push(a.text + ' on ' + b.text);
		}));
	}
	return bad.slice(0, 5).join(', ');
})()`

// What TestPage looks for is found where it is: a script and a picture of
// strangers are stopped and reported, and so are text below and text too faint.
func TestPageFindsWhatIsPlanted(t *testing.T) {
	browser := start(t)
	text, err := os.ReadFile(strings.TrimPrefix(pages(t)["failed"], "file://"))
	if err != nil {
		t.Skipf("no path of a file in its address: %v", err)
	}
	for _, planted := range []string{`<script>document.title = "theirs"</script>`, `<img src="https://example.invalid/x.png">`, `<p style="color: red">`} {
		name := filepath.Join(t.TempDir(), "planted.html")
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), "</main>", planted+"</main>", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		p := open(t, browser, address(name), views[0])
		same(p, `document.title.startsWith('FAILED')`, true)
		p.mu.Lock()
		if len(p.problems) == 0 {
			t.Errorf("%s: nothing was reported", planted)
		}
		p.mu.Unlock()
	}
	p := open(t, browser, pages(t)["failed"], views[0])
	same(p, `document.querySelector('.why').style.marginBottom = '900px'`, "900px")
	same(p, below, ".counts,.facts")
	same(p, collisions, "")
	same(p, `(e => { const t = e.cloneNode(true); t.textContent = 'planted'; e.after(t); return 1; })(document.querySelector('figure svg text'))`, 1)
	same(p, collisions+`.includes('planted')`, true)
	same(p, `document.querySelector('.why').style.color = '#bbb'`, "#bbb")
	same(p, faint, "P.why 1.92")
}

// The filter hides rows, keeps its words in the address, and is there again after
// loading the page anew. A link to a row shows the row.
func TestFilter(t *testing.T) {
	p := open(t, start(t), pages(t)["failed"], views[0])
	const left = `[...document.querySelectorAll('#keys tbody tr')].filter(tr => !tr.hidden).length`
	same(p, left, 3)
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "CHASELEV certified"))
	same(p, left, 1)
	same(p, `location.hash`, "#q=CHASELEV%20certified")
	p.do(chromedp.Reload())
	same(p, left, 1)
	same(p, `document.querySelector('#filter').value`, "CHASELEV certified")
	same(p, `document.querySelector('#shown').textContent.endsWith(' rows')`, true)
	same(p, `location.hash = 'record-11&q=mutex', 1`, 1)
	same(p, `new Promise(f => setTimeout(() => f(document.querySelector('#record-11').className), 50))`, "target")
	same(p, left, 1)
	same(p, `location.hash = 'key-2', 1`, 1)
	same(p, `new Promise(f => setTimeout(() => f(document.querySelector('#filter').value), 50))`, "")
	same(p, left, 3)
	p.check()
}

// Columns sort by their numbers, by mouse and by keyboard, and say so.
func TestSort(t *testing.T) {
	p := open(t, start(t), pages(t)["failed"], views[0])
	const clean = `[...document.querySelectorAll('#keys tbody tr')].map(tr => tr.cells[2].textContent).join()`
	const button = "#keys thead th:nth-child(3) button"
	same(p, clean, "10,1,0")
	p.do(chromedp.Click(chromedp.CSS(button)))
	same(p, clean, "0,1,10")
	same(p, `document.querySelector('#keys th[aria-sort]').getAttribute('aria-sort')`, "ascending")
	p.do(chromedp.Focus(chromedp.CSS(button)), chromedp.KeyEvent("\r"))
	same(p, clean, "10,1,0")
	same(p, `document.querySelector('#keys th[aria-sort]').getAttribute('aria-sort')`, "descending")
	const median = `[...document.querySelectorAll('#keys tbody tr')].map(tr => tr.cells[5].textContent).pop()`
	for range 2 {
		p.do(chromedp.Click(chromedp.CSS("#keys thead th:nth-child(6) button")))
		same(p, median, "none") // what is not known is last, both ways
	}
	p.check()
}

// The buttons do what they say: a download is what the page holds, the theme
// changes the colours, and Copy copies or says that it could not.
func TestButtons(t *testing.T) {
	p := open(t, start(t), pages(t)["failed"], views[0])
	same(p, `new Promise(done => {
		const create = URL.createObjectURL;
		URL.createObjectURL = blob => { blob.text().then(text => done(text.split('\n').filter(l => JSON.parse(l || '{}').verdict).length)); return create.call(URL, blob); };
		HTMLAnchorElement.prototype.click = function () {};
		document.querySelector('a[download$=".records.jsonl.gz"]').dispatchEvent(new MouseEvent('click', { cancelable: true }));
	})`, 14)
	before := eval[string](p, `getComputedStyle(document.body).backgroundColor`)
	p.do(chromedp.Click(chromedp.CSS("button[data-theme]")), chromedp.Click(chromedp.CSS("button[data-theme]")))
	same(p, `document.documentElement.dataset.theme`, "dark")
	if after := eval[string](p, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Errorf("dark is as light: %s", after)
	}
	p.do(chromedp.Click(chromedp.CSS("[data-copy]")))
	same(p, `new Promise(f => setTimeout(() => f(/Copied|Selected/.test(document.querySelector('[data-copy]').textContent)), 200))`, true)
	p.check()
}

// Without the script the page is whole: only what needs it is not there.
func TestWithoutScript(t *testing.T) {
	browser := start(t)
	ctx, stop := chromedp.NewContext(browser)
	defer stop()
	p := &tab{t: t, ctx: ctx}
	must(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(pages(t)["failed"]))
	p.save("without-script")
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("body")))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "FAILED") || !strings.Contains(text, "never ran") || strings.Contains(text, "Theme:") {
		t.Errorf("got %.500q", text)
	}
}
