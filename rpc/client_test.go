package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/rpc"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/schemas"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/export"
	"github.com/holic512/plugin-ai/session/transcript"
)

// world is a server with all that it drives: a real model server on loopback,
// the real policy and executors, real files.
type world struct {
	t      testing.TB
	dir    string
	llm    *fakellm.Server
	client *client
	agent  *runner.Agent
	done   chan error
	stop   context.CancelFunc
}

// options of a world. The zero value keeps no session.
type options struct {
	sessions   bool
	delta      bool
	timeout    time.Duration
	full       bool
	now        func() time.Time
	input      []string
	window     int // of the models, in tokens
	models     []string
	notReady   error
	retries    int
	wait       func(context.Context, time.Duration) error
	recent     int // messages of earlier turns
	hooks      rpc.Hooks
	slash      func(*world) rpc.Commands
	maxSteps   int
	noShell    bool
	sessionDir string
	provider   func(base string) runner.Model
}

// start starts one. It ends with the test.
func start(t testing.TB, o options, script ...fakellm.Answer) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), llm: fakellm.New(t, script...), done: make(chan error, 1)}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	w.client = newClient(t, toServer, fromServer)
	if o.models == nil {
		o.models = []string{"m1"}
	}
	if o.maxSteps == 0 {
		o.maxSteps = 3
	}
	models := &models{url: w.llm.URL, dialect: schemas.OpenAIStrict}
	for _, id := range o.models {
		models.list = append(models.list, llm.Model{ID: id, API: "openai-completions", Provider: "mock", BaseURL: w.llm.URL, Input: o.input, ContextWindow: o.window, Reasoning: id == "thinker" || id == "thinker-codex-max"})
	}
	engine, err := policy.New(policy.Options{Home: w.dir, Workspace: w.dir, AllowWrite: true, AllowNetwork: true})
	if err != nil {
		t.Fatal(err)
	}
	exec, err := executors.NewExec(executors.ExecConfig{Grace: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	shell, err := executors.NewExec(executors.ExecConfig{MaxTailBytes: 50 << 10, MaxTailLines: 2000, Grace: 300 * time.Millisecond, SpoolDir: filepath.Join(w.dir, "spool")})
	if err != nil {
		t.Fatal(err)
	}
	window, err := contextmgr.New(contextmgr.Config{MaxRecentMessages: o.recent})
	if err != nil {
		t.Fatal(err)
	}
	window.ForModel(o.window)
	cfg := rpc.Config{
		In: in, Out: out, Models: models, Dir: w.dir, Hooks: o.hooks, Now: o.now,
		DialogTimeout: o.timeout, FullDialogs: o.full, DeltaOnly: o.delta,
		NotReady: func() error { return o.notReady },
	}
	if !o.noShell {
		cfg.Shell = func(ctx context.Context, command string) executors.Result {
			return shell.Run(ctx, executors.Command{Name: "sh", Path: "/bin/sh", Dir: w.dir, Args: []string{"-c", `exec sh -c "$1" 2>&1`, "sh", command}}, nil)
		}
	}
	if o.sessions {
		dir := o.sessionDir
		if dir == "" {
			dir = t.TempDir()
		}
		s := &sessions{store: session.NewStore(session.Config{Dir: dir}), dir: w.dir}
		if cfg.Session, err = s.Create(""); err != nil {
			t.Fatal(err)
		}
		cfg.Sessions = s
	}
	if o.slash != nil {
		cfg.Commands = o.slash(w)
	}
	server := rpc.New(cfg)
	asked := runner.Model(models)
	if o.provider != nil {
		asked = o.provider(w.llm.URL)
	}
	r, err := runner.New(runner.Config{
		Model: asked, Dialect: schemas.OpenAIStrict, Judge: engine, Exec: exec, Asker: server.UI(), Window: window, Events: server.Event,
		Dir: w.dir, Home: w.dir, MaxSteps: o.maxSteps, MaxRepairs: 2, MaxRetries: o.retries, AutoCompact: true,
		SteerAfter: runner.SteerAfterTurn, Wait: o.wait, Now: o.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.agent = runner.NewAgent(r)
	models.agent = w.agent
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go func() {
		err := server.Serve(ctx, rpc.Parts{Agent: w.agent, Window: window, Numbered: r.Numbered, AutoCompact: true})
		_ = out.Close()
		w.done <- err
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		go func() { // whatever is still written is read
			for range w.client.lines {
			}
		}()
		select {
		case <-w.done:
		case <-time.After(20 * time.Second):
			t.Error("the server does not end")
		}
		cancel()
	})
	return w
}

// models are models of one server.
type models struct {
	url     string
	dialect schemas.Dialect
	list    []llm.Model
	agent   *runner.Agent

	mu    sync.Mutex
	at    int
	level atomic.Value
}

func (m *models) Current() (rpc.Model, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return rpc.NewModel("mock", m.list[m.at]), true
}

func (m *models) Available() []rpc.Model {
	var out []rpc.Model
	for _, one := range m.list {
		out = append(out, rpc.NewModel("mock", one))
	}
	return out
}

func (m *models) Use(_ context.Context, provider, id string) (rpc.Model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, one := range m.list {
		if provider == "mock" && one.ID == id {
			m.at = i
			return rpc.NewModel("mock", one), nil
		}
	}
	return rpc.Model{}, rpc.ErrNoModel
}

func (m *models) Think(level string) { m.level.Store(level) }

func (m *models) Stream(ctx context.Context, c llm.Context) iter.Seq[llm.Event] {
	m.mu.Lock()
	model := m.list[m.at]
	m.mu.Unlock()
	options := llm.Options{}
	if level, _ := m.level.Load().(string); level != "" && level != "off" && model.Reasoning {
		options.Params = map[string]jsontext.Value{"reasoning_effort": jsontext.Value(`"` + level + `"`)}
	}
	return openai.New(openai.Config{}).Stream(ctx, model, c, options)
}

func (m *models) Summarize(ctx context.Context, c llm.Context) iter.Seq[llm.Event] {
	return m.Stream(ctx, c)
}

// sessions are real files.
type sessions struct {
	store *session.Store
	dir   string
}

func (s *sessions) Create(parent string) (*session.Session, error) {
	return s.store.Create(s.dir, parent)
}

func (s *sessions) Open(ctx context.Context, path string) (*session.Session, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	opened, err := s.store.Open(ctx, path)
	if err != nil || !opened.ReadOnly() {
		return opened, err
	}
	leaf, err := opened.Leaf()
	if err != nil {
		return nil, err
	}
	fresh, err := opened.Clone(ctx, leaf)
	return fresh, errors.Join(err, opened.Close())
}

func (s *sessions) Export(ctx context.Context, from *session.Session, w io.Writer) error {
	t, err := transcript.Read(ctx, from, func(s string) string { return s })
	if err != nil {
		return err
	}
	return export.Write(w, export.HTML, t, export.Options{})
}

// line is one line that the server wrote.
type line struct {
	raw  string
	m    map[string]any
	kind string
}

// client is the other end.
type client struct {
	t     testing.TB
	in    io.WriteCloser
	lines chan line
	seen  []line
	sent  func(string)
	got   func(line)
}

func newClient(t testing.TB, in io.WriteCloser, out io.Reader) *client {
	c := &client{t: t, in: in, lines: make(chan line, 4096), sent: func(string) {}, got: func(line) {}}
	go func() {
		defer close(c.lines)
		r := bufio.NewReaderSize(out, 1<<20)
		for {
			raw, err := r.ReadString('\n')
			if err != nil {
				if raw != "" {
					t.Errorf("half a line: %q", raw)
				}
				return
			}
			var m map[string]any
			if err := json.Unmarshal([]byte(raw), &m); err != nil {
				t.Errorf("a line that is no JSON: %v: %.200s", err, raw)
			}
			c.lines <- line{raw[:len(raw)-1], m, kindOf(m)}
		}
	}()
	return c
}

// kindOf names a line as recordings of pi do.
func kindOf(m map[string]any) string {
	typ, _ := m["type"].(string)
	role := func() string {
		message, _ := m["message"].(map[string]any)
		role, _ := message["role"].(string)
		return role
	}
	switch typ {
	case "response":
		command, _ := m["command"].(string)
		if m["success"] == true {
			return "response(" + command + ",True)"
		}
		return "response(" + command + ",False)"
	case "message_start", "message_end":
		return typ + "." + role()
	case "message_update":
		e, _ := m["assistantMessageEvent"].(map[string]any)
		kind, _ := e["type"].(string)
		return "upd." + kind
	case "extension_ui_request":
		method, _ := m["method"].(string)
		return "ui." + method
	}
	return typ
}

// send writes a line.
func (c *client) send(text string) {
	c.t.Helper()
	c.sent(text)
	if _, err := io.WriteString(c.in, text+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// next gives the next line; it is not ok at the end.
func (c *client) next() (line, bool) {
	c.t.Helper()
	select {
	case l, ok := <-c.lines:
		if ok {
			c.seen = append(c.seen, l)
			c.got(l)
		}
		return l, ok
	case <-time.After(20 * time.Second):
		c.t.Fatalf("nothing comes; last was %v", kinds(c.seen[max(0, len(c.seen)-8):]))
	}
	return line{}, false
}

// await reads up to a line of that kind.
func (c *client) await(kind string) line {
	c.t.Helper()
	for {
		l, ok := c.next()
		if !ok {
			c.t.Fatalf("the output ends before %s", kind)
		}
		if l.kind == kind {
			return l
		}
	}
}

// ask sends a command and reads up to its response.
func (c *client) ask(id, text string) map[string]any {
	c.t.Helper()
	c.send(text)
	for {
		l, ok := c.next()
		if !ok {
			c.t.Fatalf("the output ends before the response to %s", text)
		}
		if l.m["type"] == "response" && l.m["id"] == id {
			return l.m
		}
	}
}

func kinds(lines []line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, l.kind)
	}
	return out
}
