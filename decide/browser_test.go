//go:build unix

package decide_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/decide"
)

// ready is that the items are there and were painted, since a browser takes no
// clicks before; lines is that their source is there too.
const (
	ready = `!document.getElementById("bar").hidden && performance.getEntriesByType("paint").length > 0`
	lines = ` && document.querySelector(".line.meant")`
)

// TestBrowserMouse decides as a person with a mouse does.
func TestBrowserMouse(t *testing.T) {
	b := startBrowser(t)
	r := serve(t, two)
	p := b.open(r.Link(), false)
	p.wait(ready)
	if got := p.text(`document.getElementById("count").textContent`); got != "已决定 0 / 2" {
		t.Errorf("progress: %s", got)
	}
	p.wait(`document.querySelectorAll(".line.meant").length === 3`)
	p.shot("mouse-1-open")
	if got := p.text(`document.querySelector(".line.meant").innerText.trim()`); got != "func Check(name string) bool {" {
		t.Errorf("the source: %q", got)
	}
	p.click("#review") // not yet: it leads to what is open
	if p.text(`document.getElementById("summary").open`) != "false" || p.text(`document.activeElement.id`) != "item-1-title" {
		t.Error("the summary opened with open items")
	}
	p.click("#item-1 .option:nth-child(2) .more") // anywhere in the box
	p.wait(`document.querySelector("#item-1-1").checked`)
	p.click("#item-2-1")
	p.click("#item-2-note")
	p.typeText("成本 <b>低</b>")
	p.wait(`document.getElementById("count").textContent === "已决定 2 / 2"`)

	p.click("#undo") // the note
	p.wait(`document.querySelector("#item-2-note").value === ""`)
	p.click("#undo")
	p.click("#undo")
	p.wait(`document.querySelectorAll(":checked").length === 0 && document.getElementById("count").textContent === "已决定 0 / 2"`)
	if p.text(`document.getElementById("undo").getAttribute("aria-disabled")`) != "true" {
		t.Error("there is more to undo")
	}

	p.click("#accept")
	p.wait(`document.querySelector("#item-1-0").checked && document.getElementById("accept").hidden`)
	p.click("#item-2-1")
	p.click("#item-2-note")
	p.typeText("成本 <b>低</b>")
	p.click("#review")
	p.wait(`document.getElementById("summary").open`)
	p.shot("mouse-2-summary")
	if got := p.text(`document.getElementById("chosen").innerText`); !strings.Contains(got, "JWT 令牌") || !strings.Contains(got, "成本 <b>低</b>") {
		t.Errorf("the summary: %q", got)
	}
	p.click("#send")
	p.wait(`!document.getElementById("end").hidden`)
	p.shot("mouse-3-end")
	if got := p.text(`document.getElementById("end").innerText`); !strings.Contains(got, "可以关闭此页面了") {
		t.Errorf("the end: %q", got)
	}
	within(t, "serving", r.ended)
	want := decide.Decisions{Decisions: []decide.Decision{{ID: 1, Chosen: "jwt"}, {ID: 2, Chosen: "argon2", Note: "成本 <b>低</b>"}}}
	if diff := cmp.Diff(want, r.decisions); diff != "" || r.err != nil {
		t.Errorf("-want +got:\n%s\n%v", diff, r.err)
	}
	if asked := p.asked(); len(asked) > 0 {
		t.Errorf("dialogs: %q", asked)
	}
	if found := p.found("api/wait"); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}
}

// TestBrowserKeyboard decides without a mouse.
func TestBrowserKeyboard(t *testing.T) {
	b := startBrowser(t)
	r := serve(t, two)
	p := b.open(r.Link(), false)
	p.wait(ready)
	focus := func(id string) {
		t.Helper()
		for range 60 {
			if p.text(`document.activeElement.id`) == id {
				return
			}
			p.press("Tab")
		}
		t.Fatalf("the keyboard does not get to %s", id)
	}
	p.press("Tab")
	if got := p.text(`document.activeElement.className`); got != "skip" {
		t.Errorf("first comes %q", got)
	}
	p.press("Enter")
	p.wait(`location.hash === "#items"`)
	focus("item-1-0")
	p.press(" ")
	p.wait(`document.getElementById("count").textContent === "已决定 1 / 2"`)
	if said := p.text(`document.getElementById("status").textContent`); !strings.Contains(said, "第 1 项已选择:JWT 令牌") || !strings.Contains(said, "还有 1 项未决定") {
		t.Errorf("said: %q", said)
	}
	p.press("ArrowDown")
	p.wait(`document.querySelector("#item-1-1").checked`)
	p.press("Ctrl+z")
	p.wait(`document.querySelector("#item-1-0").checked && document.activeElement.id === "item-1-0"`)
	focus("next")
	p.press("Enter")
	p.wait(`document.activeElement.id === "item-2-title"`)
	p.eval(`scrollTo(0, 0)`, nil)
	focus("item-1-note")
	p.press("Ctrl+Enter") // from anywhere
	p.wait(`document.activeElement.id === "item-2-title"`)
	focus("item-2-0")
	p.press(" ", "Tab")
	p.typeText("note")
	p.press("Ctrl+z") // belongs to the text field
	p.wait(`document.querySelector("#item-2-0").checked`)
	p.press("Ctrl+Enter") // and to the summary when nothing is open
	p.wait(`document.getElementById("summary").open`)
	p.press("Escape")
	focus("review")
	p.press("Enter")
	p.wait(`document.getElementById("summary").open && document.activeElement.id === "summary-title"`)
	p.press("Escape")
	p.wait(`!document.getElementById("summary").open && document.activeElement.id === "review"`)
	p.press("Enter")
	p.wait(`document.getElementById("summary").open`)
	focus("send")
	p.press("Enter")
	p.wait(`!document.getElementById("end").hidden && document.activeElement.id === "end-title"`)
	within(t, "serving", r.ended)
	if len(r.decisions.Decisions) != 2 || r.decisions.Decisions[0].Chosen != "jwt" {
		t.Errorf("got %+v, %v", r.decisions, r.err)
	}
}

// TestBrowserDraft holds that a reload keeps everything, and that leaving is
// asked for.
func TestBrowserDraft(t *testing.T) {
	b := startBrowser(t)
	r := serve(t, two)
	p := b.open(r.Link(), false)
	p.wait(ready + lines)
	p.click("#item-1-1")
	p.click("#item-1-note")
	p.typeText("草稿")
	p.reload()
	p.wait(ready + ` && document.querySelector("#item-1-1").checked && document.querySelector("#item-1-note").value === "草稿"`)
	if asked := p.asked(); len(asked) != 1 || asked[0] != "beforeunload" {
		t.Errorf("leaving asks: %q", asked)
	}
	// The language can be changed, and nothing is lost by that.
	p.click("#language")
	p.wait(`document.documentElement.lang === "en" && document.getElementById("count").textContent === "1 of 2 decided" && document.querySelector("#item-1-1").checked`)
	p.shot("draft-english")
	// A service that goes away tells it.
	r.end()
	p.wait(`document.getElementById("end-title").textContent === "The service has stopped"`)
}

// TestBrowserTwoTabs holds that the first answer counts and others are told.
func TestBrowserTwoTabs(t *testing.T) {
	b := startBrowser(t)
	r := serve(t, two)
	first, second, other := b.open(r.Link(), false), b.open(r.Link(), false), b.open(r.Link(), true)
	for _, p := range []*tab{first, second, other} {
		p.wait(ready)
	}
	second.click("#item-1-1")
	first.click("#item-1-0")
	first.click("#item-2-0")
	first.click("#review")
	first.wait(`document.getElementById("summary").open`)
	first.click("#send")
	first.wait(`document.getElementById("end-title").textContent === "决策已提交"`)
	for _, p := range []*tab{second, other} {
		p.wait(`document.getElementById("end-title").textContent === "已由其他页面提交"`)
	}
	within(t, "serving", r.ended)
	if len(r.saved) != 1 || r.decisions.Decisions[0].Chosen != "jwt" {
		t.Errorf("saved %+v", r.saved)
	}
}

// TestBrowserHostileTexts holds that texts are only ever text.
func TestBrowserHostileTexts(t *testing.T) {
	const evil = `<img src=x onerror=\"window.evil=1\"><script>window.evil=1</script></title>{{token}}javascript:evil`
	text := strings.ReplaceAll(`{"task":"E","source":"E","items":[{"id":1,"title":"E","context":"E","location":{"file":"E","start":1,"end":2},"recommend":"E","options":[{"value":"E","label":"E","score":1,"pros":["E"],"cons":["E"]},{"value":"E2","label":"E"}]}]}`, "E", evil)
	text = strings.Replace(text, evil+"2", evil+" 2", 1)
	b := startBrowser(t)
	r := serve(t, text)
	p := b.open(r.Link(), false)
	p.wait(ready)
	p.wait(`document.querySelector(".excerpt .muted").textContent.includes("找不到")`)
	p.click("#item-1-0")
	p.click("#item-1-note")
	p.typeText("<img src=x onerror=window.evil=1>")
	p.click("#review")
	p.wait(`document.getElementById("summary").open`)
	p.shot("hostile")
	if p.text("window.evil") != "undefined" || p.text(`document.querySelectorAll("img, article script").length`) != "0" {
		t.Error("a text became HTML")
	}
	if got := p.text(`document.getElementById("task").textContent`); got != strings.ReplaceAll(evil, `\"`, `"`) {
		t.Errorf("the task is shown as %q", got)
	}
	p.reload()
	p.wait(ready + ` && document.querySelector("#item-1-note").value.startsWith("<img") && document.querySelector("#item-1-0").checked`)
	p.click("#review")
	p.wait(`document.getElementById("summary").open`)
	p.click("#send")
	p.wait(`!document.getElementById("end").hidden`)
	if p.text("window.evil") != "undefined" {
		t.Error("a text became a program")
	}
}

// TestBrowserMany holds that 200 items with long texts stay usable, on narrow
// and wide screens, in light and dark.
func TestBrowserMany(t *testing.T) {
	b := startBrowser(t)
	r := serve(t, many(200))
	p := b.open(r.Link(), false)
	p.wait(ready + ` && document.querySelectorAll("article").length === 200`)
	for _, width := range []int{320, 768, 1200, 1920} {
		p.size(width, 800)
		p.dark(width == 320 || width == 1920)
		p.wait(`innerWidth === ` + map[int]string{320: "320", 768: "768", 1200: "1200", 1920: "1920"}[width])
		p.eval(`scrollTo(0, 0)`, nil)
		if over := p.text(`document.documentElement.scrollWidth > innerWidth`); over != "false" {
			t.Errorf("%d px: the page is wider than the screen", width)
		}
		p.shot("many-" + map[int]string{320: "320-dark", 768: "768", 1200: "1200", 1920: "1920-dark"}[width])
	}
	p.size(320, 600)
	p.dark(false)
	p.eval(`document.getElementById("item-150").scrollIntoView({behavior: "instant"})`, nil)
	p.wait(`document.querySelector("#item-150 .line.meant")`)
	p.shot("many-320-item")
	p.click("#item-150-1")
	p.wait(`document.getElementById("count").textContent === "已决定 1 / 200"`)
	p.click("#next")
	p.wait(`document.activeElement.id === "item-151-title"`)
	// What has the focus is not behind the bar.
	if p.text(`document.activeElement.getBoundingClientRect().top >= 0 && document.activeElement.getBoundingClientRect().bottom < document.getElementById("bar").getBoundingClientRect().top`) != "true" {
		t.Error("the focus is behind the bar")
	}
	p.eval(`scrollTo(0, 0)`, nil)
	p.click("#accept")
	p.wait(`document.getElementById("count").textContent === "已决定 200 / 200"`)
	p.click("#review")
	p.wait(`document.getElementById("summary").open && document.querySelectorAll("#chosen li").length === 200`)
	p.shot("many-320-summary")
	p.click("#send")
	p.wait(`!document.getElementById("end").hidden`)
	within(t, "serving", r.ended)
	if len(r.decisions.Decisions) != 200 || r.decisions.Decisions[149].Chosen != "b" {
		t.Errorf("got %d decisions", len(r.decisions.Decisions))
	}
}

// TestBrowserToken holds that the token in a link opens everything, and stays
// out of Referer.
func TestBrowserToken(t *testing.T) {
	b := startBrowser(t)
	r := serve(t, two, func(c *decide.Config) { c.Settings.Token = true })
	bare, _, _ := strings.Cut(r.Link(), "?")
	p := b.open(bare, false)
	p.wait(`document.body.innerText.includes("请求被拒绝")`)
	p = b.open(r.Link(), false)
	p.wait(ready)
	p.reload()
	p.wait(ready)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.requests {
		if _, referer, _ := strings.Cut(q, " "); referer != "" {
			t.Errorf("the address went out as a Referer: %s", q)
		}
	}
}

// TestBrowserHostilePage holds that a page of another origin can neither read
// nor decide, nor show this one in a frame.
func TestBrowserHostilePage(t *testing.T) {
	b := startBrowser(t)
	r := serve(t, two)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>evil</title><iframe></iframe><form method=post enctype=text/plain target=_blank></form>")
	}))
	defer evil.Close()
	token := r.token(t)[len("X-Decide-Token: "):]
	for _, host := range []string{"127.0.0.1", "localhost"} {
		p := b.open(strings.Replace(evil.URL, "127.0.0.1", host, 1), false)
		for _, code := range []string{
			`fetch(T + "/").then((r) => r.text())`,
			`fetch(T + "/", {mode: "no-cors"}).then((r) => r.text()).then((s) => { if (!s) throw 1; return s; })`,
			`fetch(T + "/api/items", {headers: {"X-Decide-Token": K}}).then((r) => r.text())`,
			`fetch(T + "/api/submit", {method: "POST", headers: {"X-Decide-Token": K, "Content-Type": "application/json"}, body: D}).then((r) => r.text())`,
			`fetch(T + "/api/submit", {method: "POST", mode: "no-cors", body: D}).then((r) => r.text()).then((s) => { if (!s) throw 1; return s; })`,
			`new Promise((done, fail) => { const s = document.createElement("script"); s.onload = () => done("loaded"); s.onerror = fail; s.src = T + "/api/items"; document.body.append(s); })`,
			`new Promise((done, fail) => { const f = document.querySelector("iframe"); f.onload = () => { try { done(f.contentDocument.title); } catch (e) { fail(e); } }; f.src = T + "/"; })`,
		} {
			var got string
			p.eval(`(async () => { const T = `+quote(r.Link())+`, K = `+quote(token)+`, D = `+quote(good)+`; try { return "got: " + await (`+code+`); } catch { return ""; } })()`, &got)
			if got != "" {
				t.Errorf("%s: %s: %s", host, code, got)
			}
		}
		// A form of another page posts without asking.
		p.eval(`(() => { const f = document.querySelector("form"), i = document.createElement("input"); i.name = `+quote(good)+`; f.append(i); f.action = `+quote(r.Link()+"/api/submit")+`; f.submit(); })()`, nil)
	}
	p := b.open(r.Link(), false)
	p.wait(ready)
	if len(r.saved) > 0 {
		t.Errorf("saved %+v", r.saved)
	}
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestBrowserAccessible lets a public checker, axe-core, look at the page in
// all its states. DECIDE_AXE is the path of its axe.min.js.
func TestBrowserAccessible(t *testing.T) {
	path := os.Getenv("DECIDE_AXE")
	if path == "" {
		t.Skip("DECIDE_AXE names no axe.min.js; npm pack axe-core has one")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t)
	r := serve(t, two)
	p := b.open(r.Link(), false)
	p.wait(ready + lines)
	check := func(state string) {
		t.Helper()
		for _, dark := range []bool{false, true} {
			p.dark(dark)
			var found []string
			p.eval(string(axe)+`;axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html + n.failureSummary).join(" | ")))`, &found)
			for _, f := range found {
				t.Errorf("%s, dark %v: %s", state, dark, f)
			}
		}
	}
	check("open")
	p.size(320, 600)
	check("narrow")
	p.click("#accept")
	p.click("#item-2-0")
	check("decided")
	p.click("#review")
	p.wait(`document.getElementById("summary").open`)
	check("summary")
	p.click("#send")
	p.wait(`!document.getElementById("end").hidden`)
	check("end")
}
