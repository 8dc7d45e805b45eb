package decide_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/decide"
)

// two are questions of every kind, in Chinese.
const two = `{"task":"实现用户认证","source":"task.md","items":[
	{"id":1,"title":"会话如何保存?","location":{"file":"src/auth.go","start":4,"end":6},"context":"现有代码用 cookie。","recommend":"jwt",
	 "options":[{"value":"jwt","label":"JWT 令牌","score":90,"pros":["无状态","易扩展"],"cons":["难以撤销"]},{"value":"session","label":"服务端会话","score":70.5,"pros":null}]},
	{"id":2,"title":"密码散列","options":[{"value":"bcrypt","label":"bcrypt"},{"value":"argon2","label":"Argon2id","score":null}]}]}`

const source = "package auth\n\n// Check 检查密码。\nfunc Check(name string) bool {\n\treturn name == \"<b>x</b>\" // 42\n}\n"

func parse(t testing.TB, text string) *decide.Input {
	t.Helper()
	in, err := decide.ParseInput([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// freePort gives a port with nine free ones after it, for this moment.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return min(l.Addr().(*net.TCPAddr).Port, 65000)
}

func settings(t testing.TB) decide.Settings {
	t.Helper()
	return decide.Settings{Port: freePort(t), Bind: "127.0.0.1", Dir: ".aide/decisions"}
}

// running is a server that serves.
type running struct {
	*decide.Server
	end     context.CancelFunc
	ended   chan struct{}
	project string

	mu    sync.Mutex
	saved []decide.Decisions
	// fail makes saving fail as long as it is not nil.
	fail error
	// hold makes saving wait until it is closed; nil is no waiting.
	hold chan struct{}

	decisions decide.Decisions // when ended is closed
	err       error
}

func (r *running) save(_ context.Context, d decide.Decisions) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hold != nil {
		<-r.hold
	}
	if r.fail != nil {
		return r.fail
	}
	r.saved = append(r.saved, d)
	return nil
}

func serve(t testing.TB, text string, change ...func(*decide.Config)) *running {
	t.Helper()
	r := &running{project: t.TempDir(), ended: make(chan struct{})}
	if err := os.MkdirAll(filepath.Join(r.project, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.project, "src", "auth.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	c := decide.Config{Settings: settings(t), Project: r.project, Session: "2026-03-14T09-26-53", Input: parse(t, text), Save: r.save}
	for _, f := range change {
		f(&c)
	}
	var err error
	if r.Server, err = decide.Listen(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	go func() {
		defer close(r.ended)
		r.decisions, r.err = r.Serve(ctx)
	}()
	t.Cleanup(func() { cancel(); <-r.ended })
	return r
}

// many are n questions with long texts.
func many(n int) string {
	var b strings.Builder
	b.WriteString(`{"task":"很多问题","source":"plan.md","items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		long := strings.Repeat("这是一段很长的说明文字,用来检查页面在长文本下是否可用。A long sentence stands beside it. ", 12)
		word := strings.Repeat("verylongword", 12)
		fmt.Fprintf(&b, `{"id":%d,"title":"问题 %d: %s","context":%q,"recommend":"b","location":{"file":"src/auth.go","start":1,"end":6},"options":[{"value":"a","label":%q,"score":10,"pros":[%q],"cons":["x","y"]},{"value":"b","label":"B","score":99},{"value":"c","label":"C"}]}`,
			i+1, i+1, word[:40], long, word, long[:90])
	}
	b.WriteString("]}")
	return b.String()
}

// within fails where something takes longer than anybody would wait.
func within(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: it does not end", what)
	}
}
