package decide

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

//go:embed page
var page embed.FS

// MaxBodyBytes is the largest body of a request.
const MaxBodyBytes = 1 << 20

// How long things may take. None of them holds up anybody else.
const (
	headerTime = 5 * time.Second  // a client may take for its headers
	bodyTime   = 15 * time.Second // for its body
	writeTime  = 15 * time.Second // to take an answer
	idleTime   = 2 * time.Minute  // between two requests
	waitTime   = 25 * time.Second // a page that waits for news is kept waiting
	closeTime  = 3 * time.Second  // to take the last answers
)

// Why a [Server] ended without decisions.
var ErrTimeout = errors.New("nobody decided in time")

// A Server shows questions on a page until somebody decides.
type Server struct {
	Config
	guard     *guard
	listeners []net.Listener

	mu      sync.Mutex
	state   state
	changed chan struct{} // closed when the state is no longer open
	result  Decisions
}

// Config is what a [Server] shows and where.
type Config struct {
	Settings Settings
	Project  string   // the folder whose files may be shown
	Session  string   // the name of the session
	Language Language // of the page
	Input    *Input
	// Save keeps the decisions. Where it fails, the person may try again.
	Save func(context.Context, Decisions) error
}

// state is what became of the questions; the page knows these words.
type state string

const (
	stateOpen    state = "open"
	stateDecided state = "decided"
	stateTimeout state = "timeout"
	stateStopped state = "stopped"
)

// Listen takes a port. The error is a [*PortsError] where all are taken. Serve
// or Close gives the port back.
func Listen(ctx context.Context, c Config) (*Server, error) {
	listeners, port, err := listen(ctx, c.Settings.Bind, c.Settings.Port)
	if err != nil {
		return nil, err
	}
	return &Server{Config: c, guard: newGuard(c.Settings, port, rand.Text()), listeners: listeners,
		state: stateOpen, changed: make(chan struct{})}, nil
}

// Link is what the person opens.
func (s *Server) Link() string { return s.guard.link() }

// Close gives the port back where Serve was not called.
func (s *Server) Close() {
	for _, l := range s.listeners {
		_ = l.Close()
	}
}

// Serve shows the page until somebody decided, and gives the decisions when
// they are saved. It ends with [ErrTimeout] after the time of the settings,
// and with the cause of ctx when that ends. All who have the page open are told. The port is free
// afterwards.
func (s *Server) Serve(ctx context.Context) (Decisions, error) {
	web := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // addresses hold the token
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	failed := make(chan error, len(s.listeners))
	for _, l := range s.listeners {
		go func() { failed <- web.Serve(l) }()
	}
	var timeout <-chan time.Time
	if s.Settings.Timeout > 0 {
		timer := time.NewTimer(s.Settings.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	var err error
	select {
	case <-s.changed:
	case <-timeout:
		err = s.end(stateTimeout, ErrTimeout)
	case <-ctx.Done():
		err = s.end(stateStopped, context.Cause(ctx))
	case err = <-failed:
		err = s.end(stateStopped, fmt.Errorf("the page: %w", err))
	}
	// The last answers go out, and nobody can make this wait for long.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if web.Shutdown(closing) != nil {
		_ = web.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.result, err
}

// end ends the questions without decisions. Where some are there already, or
// are just being saved, they count.
func (s *Server) end(how state, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == stateDecided {
		return nil
	}
	s.state = how
	close(s.changed)
	return err
}

// submit saves decisions, the first that come. taken tells that others were
// faster, or that it is too late.
func (s *Server) submit(ctx context.Context, d Decisions) (taken bool, err error) {
	// Saving is quick, and who comes second waits for what becomes of it.
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return true, nil
	}
	if err := s.Save(context.WithoutCancel(ctx), d); err != nil {
		return false, err
	}
	s.state, s.result = stateDecided, d
	return false, nil
}

// decided tells everybody, after the one who decided has the answer.
func (s *Server) decided() { close(s.changed) }

func (s *Server) handler() http.Handler {
	get := func(do http.HandlerFunc) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{http.MethodGet: do, http.MethodHead: do}
	}
	routes := map[string]map[string]http.HandlerFunc{
		"/":           get(s.index),
		"/index.html": get(s.index),
		"/style.css":  get(s.file("style.css", "text/css")),
		"/app.js":     get(s.file("app.js", "application/javascript")),
		"/texts.js":   get(s.file("texts.js", "application/javascript")),
		"/draft.js":   get(s.file("draft.js", "application/javascript")),
		"/source.js":  get(s.file("source.js", "application/javascript")),
		"/items.js":   get(s.file("items.js", "application/javascript")),
		"/api/items":  get(s.items),
		"/api/source": get(s.source),
		"/api/wait":   get(s.wait),
		"/api/submit": {http.MethodPost: s.post},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		// What a request does not need is not waited for.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
		if why := s.guard.refuses(r); why != "" {
			s.fail(w, http.StatusForbidden, s.text("请求被拒绝", "the request is refused"), why)
			return
		}
		methods, ok := routes[r.URL.Path]
		switch do := methods[r.Method]; {
		case !ok:
			s.fail(w, http.StatusNotFound, s.text("未找到", "not found"), "")
		case do != nil:
			do(w, r)
		default:
			w.Header().Set("Allow", allowed(methods))
			if r.Method == http.MethodOptions {
				w.WriteHeader(http.StatusOK)
				return
			}
			s.fail(w, http.StatusMethodNotAllowed, s.text("方法不被允许", "the method is not allowed"), "")
		}
	})
}

func allowed(methods map[string]http.HandlerFunc) string {
	if methods[http.MethodPost] != nil {
		return "OPTIONS, POST"
	}
	return "GET, HEAD, OPTIONS"
}

func (s *Server) text(zh, en string) string {
	if s.Language == English {
		return en
	}
	return zh
}

// index is the page, with what its program must know.
func (s *Server) index(w http.ResponseWriter, r *http.Request) {
	text, err := page.ReadFile("page/index.html")
	if err != nil {
		s.fail(w, http.StatusInternalServerError, s.text("内部错误", "an internal error"), err.Error())
		return
	}
	query, language := "", "zh-CN"
	if s.Settings.guarded() {
		query = "?token=" + s.guard.token
	}
	if s.Language == English {
		language = "en"
	}
	out := strings.NewReplacer(
		"{{language}}", language, "{{query}}", query, "{{token}}", s.guard.token,
		"{{session}}", html.EscapeString(s.Session), "{{title}}", s.text("待定项决策", "Decisions"),
	).Replace(string(text))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, out)
}

func (s *Server) file(name, contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		text, err := page.ReadFile("page/" + name)
		if err != nil {
			s.fail(w, http.StatusInternalServerError, s.text("内部错误", "an internal error"), err.Error())
			return
		}
		w.Header().Set("Content-Type", contentType+"; charset=utf-8")
		_, _ = w.Write(text)
	}
}

func (s *Server) items(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, s.Input.raw)
}

// source shows the lines that an item is about.
func (s *Server) source(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.URL.Query().Get("id"), 10, 64)
	for _, item := range s.Input.Items {
		if err == nil && item.ID == id && item.Location != nil {
			replyJSON(w, http.StatusOK, source(s.Project, *item.Location))
			return
		}
	}
	s.fail(w, http.StatusNotFound, s.text("未找到", "not found"), "")
}

// wait answers when the questions are no longer open, and after a while
// otherwise.
func (s *Server) wait(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Now().Add(waitTime + writeTime))
	timer := time.NewTimer(waitTime)
	defer timer.Stop()
	select {
	case <-s.changed:
	case <-timer.C:
	case <-r.Context().Done():
		return
	}
	s.mu.Lock()
	now := s.state
	s.mu.Unlock()
	replyJSON(w, http.StatusOK, struct {
		State state `json:"state"`
	}{now})
}

// post takes the decisions.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	invalid := s.text("决策数据无效", "the decisions are not valid")
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBodyBytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		s.fail(w, http.StatusRequestEntityTooLarge, s.text("请求体过大", "the body is too large"), fmt.Sprintf("> %d", MaxBodyBytes))
		return
	case err != nil:
		s.fail(w, http.StatusBadRequest, invalid, err.Error())
		return
	}
	d, err := ParseDecisions(s.Input, text)
	if err != nil {
		s.fail(w, http.StatusBadRequest, invalid, err.Error())
		return
	}
	taken, err := s.submit(r.Context(), d)
	switch {
	case err != nil:
		s.fail(w, http.StatusInternalServerError, s.text("保存失败", "the decisions could not be saved"), err.Error())
	case taken:
		s.fail(w, http.StatusConflict, s.text("已由其他页面提交", "another page was faster"), "")
	default:
		defer s.decided()
		replyJSON(w, http.StatusOK, struct {
			Success bool   `json:"success"`
			Message string `json:"message"`
		}{true, s.text("决策已保存", "the decisions are saved")})
		_ = http.NewResponseController(w).Flush()
	}
}

func (s *Server) fail(w http.ResponseWriter, code int, what, detail string) {
	replyJSON(w, code, struct {
		Error  string `json:"error"`
		Detail string `json:"detail,omitzero"`
	}{what, detail})
}

func replyJSON(w http.ResponseWriter, code int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		code, text = http.StatusInternalServerError, []byte(`{"error":"internal"}`)
	}
	reply(w, code, text)
}

func reply(w http.ResponseWriter, code int, text []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(text)
}
