//go:build unix

package decide_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// patience is how long a test waits for what has to come.
const patience = 60 * time.Second

// A browser is a real one, driven through its debugging pipe: JSON, each
// message ended by a zero byte.
type browser struct {
	t   *testing.T
	in  io.Writer
	mu  sync.Mutex
	seq int
	// What waits for an answer, by number.
	waiting map[int]chan answer
	// tabs by session.
	tabs map[string]*tab
}

type answer struct {
	ID        int            `json:"id"`
	Method    string         `json:"method"`
	SessionID string         `json:"sessionId"`
	Result    jsontext.Value `json:"result"`
	Params    jsontext.Value `json:"params"`
	Error     jsontext.Value `json:"error"`
}

// startBrowser starts one; the test is skipped where none is installed.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no chromium is installed: apt-get install chromium")
	}
	home, err := os.MkdirTemp("", "decide-browser-") //nolint:usetesting // what the browser started may still write there when it has ended
	if err != nil {
		t.Fatal(err)
	}
	toIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-default-browser-check", "--user-data-dir="+home, "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+home, "LANG=C.UTF-8")
	cmd.ExtraFiles = []*os.File{toIn, fromOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = toIn.Close(), fromOut.Close()
	b := &browser{t: t, in: in, waiting: map[int]chan answer{}, tabs: map[string]*tab{}}
	read := make(chan struct{})
	go b.read(out, read)
	t.Cleanup(func() {
		// A browser whose pipe is closed ends.
		_ = in.Close()
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			<-done
		}
		_ = out.Close()
		<-read
		_ = os.RemoveAll(home)
	})
	return b
}

func (b *browser) read(out io.Reader, done chan<- struct{}) {
	defer close(done)
	r := bufio.NewReader(out)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(text[:len(text)-1], &a) != nil {
			continue
		}
		b.mu.Lock()
		waiting, tab := b.waiting[a.ID], b.tabs[a.SessionID]
		delete(b.waiting, a.ID)
		b.mu.Unlock()
		if a.ID != 0 && waiting != nil {
			waiting <- a
		} else if tab != nil {
			tab.happened(a)
		}
	}
}

func (b *browser) send(session, method string, params any) chan answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	text, err := json.Marshal(map[string]any{"id": b.seq, "method": method, "params": params, "sessionId": session}, json.Deterministic(true))
	if session == "" {
		text, err = json.Marshal(map[string]any{"id": b.seq, "method": method, "params": params}, json.Deterministic(true))
	}
	if err != nil {
		panic(err)
	}
	c := make(chan answer, 1)
	b.waiting[b.seq] = c
	_, _ = b.in.Write(append(text, 0))
	return c
}

func (b *browser) call(session, method string, params, into any) {
	b.t.Helper()
	select {
	case a := <-b.send(session, method, params):
		if a.Error != nil {
			b.t.Fatalf("%s: %s", method, a.Error)
		}
		if into != nil {
			if err := json.Unmarshal(a.Result, into); err != nil {
				b.t.Fatal(err)
			}
		}
	case <-time.After(patience):
		b.t.Fatalf("%s: no answer", method)
	}
}

// A tab is a page in the browser.
type tab struct {
	*browser
	session  string
	loaded   chan struct{} // one for each time that a page was loaded
	mu       sync.Mutex
	dialogs  []string // that asked, all of them answered with yes
	mistakes []string // that the browser found in the page
	requests []string // URLs with their Referer
}

// open opens a page in a new tab. A browser context of its own shares nothing
// with other tabs.
func (b *browser) open(url string, alone bool) *tab {
	b.t.Helper()
	params := map[string]any{"url": "about:blank"}
	if alone {
		var made struct {
			ID string `json:"browserContextId"`
		}
		b.call("", "Target.createBrowserContext", map[string]any{}, &made)
		params["browserContextId"] = made.ID
	}
	var target struct {
		ID string `json:"targetId"`
	}
	b.call("", "Target.createTarget", params, &target)
	var attached struct {
		ID string `json:"sessionId"`
	}
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached)
	p := &tab{browser: b, session: attached.ID, loaded: make(chan struct{}, 16)}
	b.mu.Lock()
	b.tabs[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		p.do(domain+".enable", nil, nil)
	}
	p.size(1200, 900)
	p.do("Page.navigate", map[string]any{"url": url}, nil)
	select {
	case <-p.loaded:
	case <-time.After(patience):
		b.t.Fatalf("%s does not load", url)
	}
	return p
}

func (p *tab) do(method string, params, into any) {
	p.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	p.call(p.session, method, params, into)
}

func (p *tab) happened(a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch a.Method {
	case "Page.javascriptDialogOpening":
		var d struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(a.Params, &d)
		p.dialogs = append(p.dialogs, d.Type)
		go p.send(p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": true})
	case "Page.loadEventFired":
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	case "Runtime.exceptionThrown", "Log.entryAdded":
		p.mistakes = append(p.mistakes, string(a.Params))
	case "Network.requestWillBeSent":
		var r struct {
			Request struct {
				URL     string            `json:"url"`
				Headers map[string]string `json:"headers"`
			} `json:"request"`
		}
		_ = json.Unmarshal(a.Params, &r)
		p.requests = append(p.requests, r.Request.URL+" "+r.Request.Headers["Referer"])
	}
}

// found gives what the browser found wrong, but what a word is in.
func (p *tab) found(but ...string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.mistakes), func(m string) bool {
		return slices.ContainsFunc(append(but, "favicon.ico"), func(b string) bool { return strings.Contains(m, b) })
	})
}

func (p *tab) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.dialogs)
}

// eval runs JavaScript and reads what it gives into a value.
func (p *tab) eval(code string, into any) {
	p.t.Helper()
	var r struct {
		Result struct {
			Value jsontext.Value `json:"value"`
		} `json:"result"`
		Exception jsontext.Value `json:"exceptionDetails"`
	}
	p.do("Runtime.evaluate", map[string]any{"expression": code, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &r)
	if r.Exception != nil {
		p.t.Fatalf("%s: %s", code, r.Exception)
	}
	if into != nil {
		if err := json.Unmarshal(r.Result.Value, into); err != nil {
			p.t.Fatalf("%s: %s: %v", code, r.Result.Value, err)
		}
	}
}

func (p *tab) text(code string) (s string) {
	p.t.Helper()
	p.eval("String("+code+")", &s)
	return s
}

// wait waits until a condition holds in the page.
func (p *tab) wait(condition string) {
	p.t.Helper()
	var ok bool
	p.eval(fmt.Sprintf(`new Promise((done) => {
		const from = Date.now();
		(function look() {
			let holds = false;
			try { holds = Boolean(%s); } catch {}
			if (holds || Date.now() - from > %d) return done(holds);
			setTimeout(look, 20);
		})();
	})`, condition, patience.Milliseconds()/2), &ok)
	if !ok {
		p.t.Fatalf("never: %s\n%s", condition, p.text("document.body.innerText"))
	}
}

// reload loads the page anew.
func (p *tab) reload() {
	p.t.Helper()
	for len(p.loaded) > 0 {
		<-p.loaded
	}
	p.do("Page.reload", nil, nil)
	select {
	case <-p.loaded:
	case <-time.After(patience):
		p.t.Fatal("the page does not load anew")
	}
}

func (p *tab) size(width, height int) {
	p.t.Helper()
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

func (p *tab) dark(yes bool) {
	p.t.Helper()
	value := map[bool]string{true: "dark", false: "light"}[yes]
	p.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// click clicks with the mouse into the middle of an element.
func (p *tab) click(selector string) {
	p.t.Helper()
	var at []float64
	p.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
}

// press presses keys, by their names in KeyboardEvent.key; "Ctrl+" and
// "Shift+" may stand before one.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, " ": 32, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "z": 90}
	for _, key := range keys {
		modifiers := 0
		if rest, ok := strings.CutPrefix(key, "Ctrl+"); ok {
			key, modifiers = rest, 2
		}
		if rest, ok := strings.CutPrefix(key, "Shift+"); ok {
			key, modifiers = rest, 8
		}
		text := map[string]string{"Enter": "\r", " ": " "}[key]
		if modifiers == 2 {
			text = ""
		}
		down := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key], "modifiers": modifiers}
		if text != "" {
			down["text"] = text
		} else {
			down["type"] = "rawKeyDown"
		}
		p.do("Input.dispatchKeyEvent", down, nil)
		p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": codes[key], "modifiers": modifiers}, nil)
	}
}

func (p *tab) typeText(text string) {
	p.t.Helper()
	p.do("Input.insertText", map[string]any{"text": text}, nil)
}

// shot keeps a picture of what is seen, where DECIDE_SHOTS names a folder: for
// people who look at the page.
func (p *tab) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("DECIDE_SHOTS")
	if dir == "" {
		return
	}
	var picture struct {
		Data string `json:"data"`
	}
	p.do("Page.captureScreenshot", map[string]any{"format": "png"}, &picture)
	data, err := base64.StdEncoding.DecodeString(picture.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600); err != nil {
		p.t.Fatal(err)
	}
}
