package fakellm

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

// A Server is a fake model server that runs.
type Server struct {
	URL string // of the API, ends in /v1

	http *httptest.Server
	done chan struct{} // closed when the server stops

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when requests changes
	script   []Answer
	next     int // index in script
	used     int // how often script[next] was given
	requests []Request
	problems []string
	refused  map[string]bool
	conns    int
	unused   bool // answers may stay unused
}

// A Request is one call that the server got.
type Request struct {
	Number int // from 1, in the order of arrival
	Conn   int // number of the TCP connection, from 1
	Method string
	Path   string
	Header http.Header
	Body   []byte
}

// New starts a server for a test. It stops with the test, which fails if the
// server got a call too many or one too few.
func New(t testing.TB, script ...Answer) *Server {
	t.Helper()
	s := Start(script...)
	t.Cleanup(func() {
		s.Close()
		for _, p := range s.Problems() {
			t.Errorf("fakellm: %s", p)
		}
	})
	return s
}

// Start starts a server that the caller closes.
func Start(script ...Answer) *Server {
	s := &Server{done: make(chan struct{}), changed: make(chan struct{}), refused: map[string]bool{}}
	s.Add(script...)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.problem(fmt.Sprintf("unexpected %s %s", r.Method, r.URL.Path))
		writeError(w, http.StatusNotFound, "not_found", "no such path: "+r.URL.Path)
	})
	s.http = httptest.NewUnstartedServer(mux)
	s.http.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.conns++
		return context.WithValue(ctx, connKey{}, s.conns)
	}
	s.http.Start()
	s.URL = s.http.URL + "/v1"
	return s
}

type connKey struct{}

// Close stops the server and breaks what is still open.
func (s *Server) Close() {
	close(s.done)
	s.http.CloseClientConnections()
	s.http.Close()
}

// Refuse makes the server answer 400 to requests that enforce the form of the
// answer in these ways: "json_schema", "json_object", "strict_tool", "tool".
// They are recorded and use up no answer.
func (s *Server) Refuse(types ...string) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range types {
		s.refused[t] = true
	}
	return s
}

// AllowUnused makes answers that nobody fetched no problem.
func (s *Server) AllowUnused() *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unused = true
	return s
}

// Add puts answers behind the script.
func (s *Server) Add(answers ...Answer) {
	for _, a := range answers {
		if a.Refuse != nil {
			s.Refuse(a.Refuse...)
			continue
		}
		s.mu.Lock()
		s.script = append(s.script, a)
		s.mu.Unlock()
	}
}

// Requests gives the calls so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Connections is how many TCP connections there were.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// Await waits for the n-th call, from 1.
func (s *Server) Await(ctx context.Context, n int) (Request, error) {
	for {
		s.mu.Lock()
		if len(s.requests) >= n {
			defer s.mu.Unlock()
			return s.requests[n-1], nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("call %d did not come: %w", n, context.Cause(ctx))
		}
	}
}

// Problems says what was not as the script has it: unexpected calls, and
// answers that nobody fetched.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := slices.Clone(s.problems)
	if s.unused {
		return problems
	}
	left := 0
	for i := s.next; i < len(s.script); i++ {
		left += max(s.script[i].Times, 0)
		if s.script[i].Times == 0 {
			left++
		}
	}
	if left -= s.used; left > 0 {
		problems = append(problems, fmt.Sprintf("%d scripted answers were not fetched (%d calls came)", left, len(s.requests)))
	}
	return problems
}

func (s *Server) problem(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, text)
}

// take records a call and gives its answer. Refusal writes an error's body.
func (s *Server) take(r Request, format string, refusal func(kind, message string) string) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Number = len(s.requests) + 1
	s.requests = append(s.requests, r)
	close(s.changed)
	s.changed = make(chan struct{})
	if s.refused[format] {
		return Answer{Status: http.StatusBadRequest, Body: refusal("invalid_request_error",
			fmt.Sprintf("%s is not supported by this model", format))}
	}
	if s.next == len(s.script) {
		s.problems = append(s.problems, fmt.Sprintf("call %d is one too many: %s", r.Number, shorten(r.Body)))
		return Answer{Status: http.StatusBadRequest, Body: refusal("invalid_request_error",
			fmt.Sprintf("the script has no answer for call %d", r.Number))}
	}
	a := s.script[s.next]
	s.used++
	if a.Times >= 0 && s.used >= max(a.Times, 1) {
		s.next++
		s.used = 0
	}
	return a
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left while it asked
	}
	conn, _ := r.Context().Value(connKey{}).(int)
	var asked struct {
		Model          string `json:"model"`
		Stream         bool   `json:"stream"`
		ResponseFormat struct {
			Type string `json:"type"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		s.problem("a request is no JSON: " + err.Error())
	}
	request := Request{Conn: conn, Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	a := s.take(request, asked.ResponseFormat.Type, func(kind, message string) string {
		return errorBody(kind, "response_format: "+message)
	})
	if a.By != nil {
		a = a.By(request)
	}
	if !asked.Stream {
		a.Whole = true
	}
	e := &emitter{w: w, r: r, done: s.done, a: a, model: asked.Model}
	e.streams, e.documents, e.broken = e.stream, e.whole, e.fault
	e.send()
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"object":"list","data":[{"id":"fake","object":"model","owned_by":"fakellm"}]}`) //nolint:errcheck // the client may be gone
}

func shorten(b []byte) string {
	const most = 300
	if len(b) <= most {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:most]), "") + "…"
}
