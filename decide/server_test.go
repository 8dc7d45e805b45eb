package decide_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/decide"
)

// A call is a request, with what may be put into it.
type call struct {
	method, path, body string
	headers            []string // "Name: value"; Host too
	trace              *httptrace.ClientTrace
}

const good = `{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"bcrypt","note":"说明"}]}`

// ask sends a request to a server and gives its answer.
func (r *running) ask(t testing.TB, c call) (code int, body string, headers http.Header) {
	t.Helper()
	code, body, headers, err := r.try(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return code, body, headers
}

func (r *running) try(t testing.TB, c call) (int, string, http.Header, error) {
	t.Helper()
	method := c.method
	if method == "" {
		method = http.MethodGet
	}
	trace := c.trace
	if trace == nil {
		trace = &httptrace.ClientTrace{}
	}
	at := fmt.Sprintf("http://127.0.0.1:%d%s", r.Port(), c.path)
	q, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), method, at, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	q.Host = fmt.Sprintf("localhost:%d", r.Port())
	for _, h := range c.headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			q.Host = value
		} else {
			q.Header.Set(name, value)
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(q)
	if err != nil {
		return 0, "", nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), answer.Header, err
}

// waits starts a request that waits for news, and comes back when the server
// has it.
func (r *running) waits(t *testing.T, token string) <-chan string {
	t.Helper()
	told, sent := make(chan string, 1), make(chan struct{})
	go func() {
		trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) }}
		_, body, _, _ := r.try(t, call{path: "/api/wait", headers: []string{token}, trace: trace})
		told <- body
	}()
	within(t, "asking", sent)
	r.ask(t, call{path: "/"}) // connections are taken in their order
	return told
}

// token reads the token out of the page, as the page's program does.
func (r *running) token(t testing.TB) string {
	t.Helper()
	path := "/"
	if u, err := url.Parse(r.Link()); err == nil && u.RawQuery != "" {
		path = "/?" + u.RawQuery
	}
	_, body, _ := r.ask(t, call{path: path})
	found := regexp.MustCompile(`name="decide-token" content="([A-Z2-7]{20,})"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no token in the page: %.300s", body)
	}
	return "X-Decide-Token: " + found[1]
}

func TestLink(t *testing.T) {
	t.Parallel()
	r := serve(t, two)
	if want := "http://localhost:" + fmt.Sprint(r.Port()); r.Link() != want {
		t.Errorf("the link is %s, expected %s", r.Link(), want)
	}
	tokened := regexp.MustCompile(`^http://localhost:\d+/\?token=[A-Z2-7]{26}$`)
	if r = serve(t, two, func(c *decide.Config) { c.Settings.Token = true }); !tokened.MatchString(r.Link()) {
		t.Errorf("with a token: %s", r.Link())
	}
	if r = serve(t, two, func(c *decide.Config) { c.Settings.URL = "https://d.example" }); r.Link() != "https://d.example" {
		t.Errorf("with a URL: %s", r.Link())
	}
	outside := regexp.MustCompile(`^http://[0-9.a-z]+:\d+/\?token=[A-Z2-7]{26}$`)
	if r = serve(t, two, func(c *decide.Config) { c.Settings.Bind = "0.0.0.0" }); !outside.MatchString(r.Link()) {
		t.Errorf("for others: %s", r.Link())
	}
	proxied := regexp.MustCompile(`^https://d.example/x/\?token=[A-Z2-7]{26}$`)
	if r = serve(t, two, func(c *decide.Config) { c.Settings.Bind, c.Settings.URL = "0.0.0.0", "https://d.example/x/" }); !proxied.MatchString(r.Link()) {
		t.Errorf("for others with a URL: %s", r.Link())
	}
}

// TestRequests is the table of what is answered how.
func TestRequests(t *testing.T) {
	t.Parallel()
	r := serve(t, two)
	token := r.token(t)
	n := fmt.Sprint(r.Port())
	for _, tt := range []struct {
		name string
		call call
		code int
		says string
	}{
		{"the page", call{path: "/"}, 200, "<!doctype html>"},
		{"the page by name", call{path: "/index.html"}, 200, `lang="zh-CN"`},
		{"style", call{path: "/style.css"}, 200, ":root"},
		{"program", call{path: "/app.js"}, 200, "api/submit"},
		{"HEAD", call{method: "HEAD", path: "/"}, 200, ""},
		{"items", call{path: "/api/items", headers: []string{token}}, 200, `{"task":"实现用户认证","source":"task.md","items":[{"id":1,`},
		{"items without the token", call{path: "/api/items"}, 403, "token"},
		{"items with another token", call{path: "/api/items", headers: []string{"X-Decide-Token: " + strings.Repeat("A", 26)}}, 403, "token"},
		{"items with the token in the address", call{path: "/api/items?token=" + token[len("X-Decide-Token: "):]}, 403, "token"},
		{"a source", call{path: "/api/source?id=1", headers: []string{token}}, 200, `"first":1,"lines":["package auth"`},
		{"no source", call{path: "/api/source?id=2", headers: []string{token}}, 404, "未找到"},
		{"a source of nothing", call{path: "/api/source?id=x", headers: []string{token}}, 404, "未找到"},
		{"nothing", call{path: "/x"}, 404, `{"error":"未找到"}`},
		{"up", call{path: "/../store.go"}, 404, "未找到"},
		{"a folder", call{path: "/page/"}, 404, "未找到"},
		{"wrong method", call{method: "DELETE", path: "/api/items", headers: []string{token}}, 405, "方法"},
		{"GET to submit", call{path: "/api/submit", headers: []string{token}}, 405, "方法"},
		{"POST to the page", call{method: "POST", path: "/"}, 405, "方法"},
		{"OPTIONS", call{method: "OPTIONS", path: "/api/submit"}, 200, ""},
		{"the own origin", call{path: "/api/items", headers: []string{token, "Origin: http://localhost:" + n, "Sec-Fetch-Site: same-origin"}}, 200, "task"},
		{"by number", call{path: "/api/items", headers: []string{token, "Host: 127.0.0.1:" + n, "Origin: http://127.0.0.1:" + n}}, 200, "task"},
		{"by number of six", call{path: "/api/items", headers: []string{token, "Host: [::1]:" + n}}, 200, "task"},
		{"a link from elsewhere", call{path: "/", headers: []string{"Sec-Fetch-Site: cross-site"}}, 200, "html"},

		{"another host", call{path: "/", headers: []string{"Host: evil.example:" + n}}, 403, "Host"},
		{"another host, no port", call{path: "/", headers: []string{"Host: evil.example"}}, 403, "Host"},
		{"another port", call{path: "/", headers: []string{"Host: localhost:1"}}, 403, "Host"},
		{"a host that ends well", call{path: "/", headers: []string{"Host: localhost.evil.example:" + n}}, 403, "Host"},
		{"another address", call{path: "/", headers: []string{"Host: 10.0.0.1:" + n}}, 403, "Host"},
		{"another origin", call{path: "/api/items", headers: []string{token, "Origin: http://evil.example"}}, 403, "Origin"},
		{"another program's origin", call{path: "/api/items", headers: []string{token, "Origin: http://localhost:1"}}, 403, "Origin"},
		{"https", call{path: "/api/items", headers: []string{token, "Origin: https://localhost:" + n}}, 403, "Origin"},
		{"no origin", call{path: "/api/items", headers: []string{token, "Origin: null"}}, 403, "Origin"},
		{"a foreign page asks", call{path: "/api/items", headers: []string{token, "Sec-Fetch-Site: cross-site"}}, 403, "Sec-Fetch-Site"},
		{"a neighbour asks", call{path: "/api/items", headers: []string{token, "Sec-Fetch-Site: same-site"}}, 403, "Sec-Fetch-Site"},
		{"a foreign page posts", call{method: "POST", path: "/api/submit", body: good, headers: []string{"Origin: http://evil.example"}}, 403, "Origin"},
		{"a foreign page asks first", call{method: "OPTIONS", path: "/api/submit", headers: []string{"Origin: http://evil.example"}}, 403, "Origin"},
		{"post without the token", call{method: "POST", path: "/api/submit", body: good}, 403, "token"},

		{"bad JSON", call{method: "POST", path: "/api/submit", body: "{", headers: []string{token}}, 400, `{"error":"决策数据无效","detail":"`},
		{"an item missing", call{method: "POST", path: "/api/submit", body: `{"decisions":[{"id":1,"chosen":"jwt"}]}`, headers: []string{token}}, 400, "none for 2"},
		{"an unknown item", call{method: "POST", path: "/api/submit", body: `{"decisions":[{"id":9,"chosen":"jwt"}]}`, headers: []string{token}}, 400, "got 9"},
		{"an item twice", call{method: "POST", path: "/api/submit", body: `{"decisions":[{"id":1,"chosen":"jwt"},{"id":1,"chosen":"jwt"}]}`, headers: []string{token}}, 400, "a second time"},
		{"an unknown value", call{method: "POST", path: "/api/submit", body: strings.Replace(good, "bcrypt", "md5", 1), headers: []string{token}}, 400, `\"md5\"`},
		{"too large", call{method: "POST", path: "/api/submit", body: good + strings.Repeat(" ", decide.MaxBodyBytes), headers: []string{token}}, 413, "请求体过大"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, body, headers := r.ask(t, tt.call)
			if code != tt.code || !strings.Contains(body, tt.says) {
				t.Errorf("got %d %.300s", code, body)
			}
			for _, name := range []string{"Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy"} {
				if headers.Get(name) == "" {
					t.Errorf("no %s", name)
				}
			}
			for name := range headers {
				if strings.HasPrefix(name, "Access-Control") {
					t.Errorf("%s: %s", name, headers.Get(name))
				}
			}
			if headers.Get("Cache-Control") != "no-store" {
				t.Errorf("it may be kept: %q", headers.Get("Cache-Control"))
			}
		})
	}
	if len(r.saved) > 0 {
		t.Fatalf("something was saved: %+v", r.saved)
	}
	// After all that, what is right is taken, and the answer arrives whole.
	code, body, _ := r.ask(t, call{method: "POST", path: "/api/submit", body: good, headers: []string{token}})
	if code != 200 || body != `{"success":true,"message":"决策已保存"}` {
		t.Errorf("got %d %s", code, body)
	}
	within(t, "serving", r.ended)
	want := decide.Decisions{Decisions: []decide.Decision{{ID: 1, Chosen: "jwt"}, {ID: 2, Chosen: "bcrypt", Note: "说明"}}}
	if diff := cmp.Diff(want, r.decisions); diff != "" || r.err != nil {
		t.Errorf("-want +got:\n%s\n%v", diff, r.err)
	}
	if _, _, _, err := r.try(t, call{path: "/"}); err == nil {
		t.Error("the port is not free again")
	}
}

// TestTokenForEverything holds that nothing is shown without the token where
// others may reach the page.
func TestTokenForEverything(t *testing.T) {
	t.Parallel()
	r := serve(t, two, func(c *decide.Config) { c.Settings.Bind = "0.0.0.0" })
	n := fmt.Sprint(r.Port())
	local := "Host: 127.0.0.1:" + n
	for _, path := range []string{"/", "/index.html", "/style.css", "/app.js", "/api/items", "/api/wait", "/nothing", "/?token=", "/?token=x"} {
		if code, body, _ := r.ask(t, call{path: path, headers: []string{local}}); code != 403 || strings.Contains(body, r.Link()) {
			t.Errorf("%s: %d %.100s", path, code, body)
		}
	}
	token := r.token(t)
	query := "?token=" + token[len("X-Decide-Token: "):]
	_, body, _ := r.ask(t, call{path: "/" + query})
	for _, path := range []string{"style.css", "app.js", "texts.js", "items.js", "source.js", "draft.js"} {
		if !strings.Contains(body, `"`+path+query+`"`) {
			t.Errorf("the page asks for %s without the token", path)
		}
		if code, _, _ := r.ask(t, call{path: "/" + path + query}); code != 200 {
			t.Errorf("%s: %d", path, code)
		}
	}
	// A name that somebody else points here is refused also with the token.
	if code, _, _ := r.ask(t, call{path: "/" + query, headers: []string{"Host: evil.example:" + n}}); code != 403 {
		t.Errorf("another host: %d", code)
	}
	if code, _, _ := r.ask(t, call{method: "POST", path: "/api/submit", body: good, headers: []string{token}}); code != 200 {
		t.Errorf("submit: %d", code)
	}
}

func TestReverseProxy(t *testing.T) {
	t.Parallel()
	r := serve(t, two, func(c *decide.Config) { c.Settings.URL = "https://d.example/x/" })
	token := r.token(t)
	for _, tt := range []struct {
		headers []string
		code    int
	}{
		{[]string{token, "Host: d.example", "Origin: https://d.example"}, 200},
		{[]string{token, "Host: d.example:443"}, 200},
		{[]string{token, "Origin: https://d.example"}, 200}, // the proxy asks with its own host
		{[]string{token, "Host: d.example", "Origin: http://d.example"}, 403},
		{[]string{token, "Host: x.example"}, 403},
	} {
		if code, body, _ := r.ask(t, call{path: "/api/items", headers: tt.headers}); code != tt.code {
			t.Errorf("%q: %d %.100s", tt.headers[1:], code, body)
		}
	}
}

// TestFirstAnswerWins posts from many at once.
func TestFirstAnswerWins(t *testing.T) {
	t.Parallel()
	r := serve(t, two)
	token := r.token(t)
	told := r.waits(t, token)
	r.hold = make(chan struct{})
	var mu sync.Mutex
	codes := map[int]int{}
	var group, sent sync.WaitGroup
	sent.Add(20)
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent.Done() }}
	for i := range 20 {
		group.Go(func() {
			body := strings.Replace(good, "说明", fmt.Sprint("Nr. ", i), 1)
			code, _, _, err := r.try(t, call{method: "POST", path: "/api/submit", body: body, headers: []string{token}, trace: trace})
			if err != nil {
				code = 0 // the server read it too late
			}
			mu.Lock()
			defer mu.Unlock()
			codes[code]++
		})
	}
	// The server has all of them before the first is saved.
	sent.Wait()
	r.ask(t, call{path: "/"})
	close(r.hold)
	group.Wait()
	within(t, "serving", r.ended)
	if codes[200] != 1 || codes[200]+codes[409]+codes[0] != 20 || len(r.saved) != 1 {
		t.Fatalf("answers %v, saved %d", codes, len(r.saved))
	}
	if diff := cmp.Diff(r.saved[0], r.decisions); diff != "" {
		t.Error(diff)
	}
	if got := <-told; got != `{"state":"decided"}` {
		t.Errorf("who waits is told %q", got)
	}
}

// TestSavingFails holds that the person may try again.
func TestSavingFails(t *testing.T) {
	t.Parallel()
	r := serve(t, two)
	token := r.token(t)
	r.mu.Lock()
	r.fail = errors.New("the disk is full")
	r.mu.Unlock()
	post := call{method: "POST", path: "/api/submit", body: good, headers: []string{token}}
	if code, body, _ := r.ask(t, post); code != 500 || !strings.Contains(body, "the disk is full") {
		t.Errorf("got %d %s", code, body)
	}
	r.mu.Lock()
	r.fail = nil
	r.mu.Unlock()
	if code, _, _ := r.ask(t, post); code != 200 {
		t.Errorf("a second time: %d", code)
	}
}

func TestTimeoutAndEnd(t *testing.T) {
	t.Parallel()
	r := serve(t, two, func(c *decide.Config) { c.Settings.Timeout = time.Second })
	_, body, _ := r.ask(t, call{path: "/api/wait", headers: []string{r.token(t)}})
	within(t, "serving", r.ended)
	if !errors.Is(r.err, decide.ErrTimeout) || body != `{"state":"timeout"}` || len(r.decisions.Decisions) > 0 {
		t.Errorf("got %v, %s, %+v", r.err, body, r.decisions)
	}
	r = serve(t, two)
	token := r.token(t)
	told := r.waits(t, token)
	r.end()
	within(t, "serving", r.ended)
	if !errors.Is(r.err, context.Canceled) {
		t.Errorf("got %v", r.err)
	}
	if got := <-told; got != `{"state":"stopped"}` {
		t.Errorf("who waits is told %q", got)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+fmt.Sprint(r.Port()))
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	_ = l.Close()
}

// TestSlowClients holds that clients that say nothing, or half of what they
// have to say, keep nobody from deciding, and nothing from ending.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	r := serve(t, two)
	token := r.token(t)
	address := "127.0.0.1:" + fmt.Sprint(r.Port())
	for i := range 300 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		switch i % 3 {
		case 0: // says nothing
		case 1: // half its headers
			fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nX-", address)
		case 2: // half its body
			fmt.Fprintf(c, "POST /api/submit HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Length: 500\r\n\r\n{\"decisions\"", address, token)
		}
	}
	if code, _, _ := r.ask(t, call{path: "/api/items", headers: []string{token}}); code != 200 {
		t.Errorf("items: %d", code)
	}
	if code, _, _ := r.ask(t, call{method: "POST", path: "/api/submit", body: good, headers: []string{token}}); code != 200 {
		t.Errorf("submit: %d", code)
	}
	within(t, "serving", r.ended)
	if len(r.saved) != 1 || r.err != nil {
		t.Errorf("saved %d, %v", len(r.saved), r.err)
	}
}

// TestHalfOpen holds that a client that never ends its headers is let go.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	r := serve(t, two)
	c, err := net.Dial("tcp", "127.0.0.1:"+fmt.Sprint(r.Port()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost\r\n")
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	text, err := io.ReadAll(bufio.NewReader(c))
	if err != nil {
		t.Fatalf("it is kept: %v", err)
	}
	if strings.Contains(string(text), "html") {
		t.Errorf("got %s", text)
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	var taken []net.Listener
	defer func() {
		for _, l := range taken {
			_ = l.Close()
		}
	}()
	// Ten ports that belong to nobody, one after another.
	first := 0
	for try := 0; first == 0; try++ {
		if try == 100 {
			t.Fatal("no ten free ports")
		}
		start := freePort(t)
		for i := range 10 {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", start+i))
			if err != nil {
				break
			}
			taken = append(taken, l)
		}
		if len(taken) == 10 {
			first = start
			break
		}
		for _, l := range taken {
			_ = l.Close()
		}
		taken = nil
	}
	c := decide.Config{Settings: decide.Settings{Port: first, Bind: "127.0.0.1"}, Input: parse(t, two)}
	_, err := decide.Listen(t.Context(), c)
	var ports *decide.PortsError
	if !errors.As(err, &ports) || ports.First != first || ports.Last != first+9 {
		t.Fatalf("got %v", err)
	}
	_ = taken[4].Close()
	s, err := decide.Listen(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("http://localhost:%d", first+4); s.Link() != want {
		t.Errorf("got %s, want %s", s.Link(), want)
	}
	s.Close()
	c.Settings.Bind = "192.0.2.1" // no address of any machine
	if _, err := decide.Listen(t.Context(), c); err == nil || errors.As(err, &ports) {
		t.Errorf("got %v", err)
	}
}

// TestLinkOfAnotherLoopback listens at an address that localhost is not: the
// link leads there.
func TestLinkOfAnotherLoopback(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8")
	}
	in, err := decide.ParseInput([]byte(`{"task":"t","source":"s","items":[{"id":1,"title":"q","context":"c","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}],"recommend":null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := decide.Listen(t.Context(), decide.Config{
		Settings: decide.Settings{Port: freePort(t), Bind: "127.0.0.9"}, Project: t.TempDir(), Session: "s", Language: decide.Chinese, Input: in,
		Save: func(context.Context, decide.Decisions) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _, _ = s.Serve(ctx) }()
	defer func() { cancel(); <-done }()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Link(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", s.Link(), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", s.Link(), resp.Status)
	}
}
