// Package fakewire is a model server for tests of any wire API: it gives
// scripted answers in order, exactly as they are written, and records what it
// was asked. What the bytes mean is the test's business.
//
// Nothing here waits for a time: an answer that stalls goes on when the client
// leaves.
package fakewire

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An Answer is what one call gets. The JSON names are the ones that [Parse]
// reads.
type Answer struct {
	Status  int               `json:"status,omitzero"` // 0 is 200
	Headers map[string]string `json:"headers,omitzero"`
	// Events are sent as server-sent events, each flushed by itself; one with
	// a "type" gets that as its name too.
	Events []jsontext.Value `json:"events,omitzero"`
	// Body is sent instead, as it is.
	Body string `json:"body,omitzero"`
	// Cut breaks the connection after that; Stall sends nothing more until the
	// client leaves.
	Cut   bool `json:"cut,omitzero"`
	Stall bool `json:"stall,omitzero"`
	// By makes the answer from the request; nil is this answer as it is.
	By func(Request) Answer `json:"-"`
}

// Events answers with events; each is JSON, or nearly.
func Events(events ...string) Answer {
	a := Answer{}
	for _, e := range events {
		a.Events = append(a.Events, jsontext.Value(e))
	}
	return a
}

// Status answers with an HTTP status and a body.
func Status(code int, body string) Answer { return Answer{Status: code, Body: body} }

// A Request is one that came.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                string
}

// A Server gives answers in their order, the last one for all the rest.
type Server struct {
	URL string

	http    *httptest.Server
	mu      sync.Mutex
	answers []Answer
	seen    []Request
	came    chan struct{} // has a value for each request
}

// New starts a server that ends with the test.
func New(t testing.TB, answers ...Answer) *Server {
	t.Helper()
	s := Start(answers...)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server.
func Start(answers ...Answer) *Server {
	s := &Server{answers: answers, came: make(chan struct{}, 1000)}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close ends the server and waits for its calls.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Requests are the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

// Came gives a value for each request that came.
func (s *Server) Came() <-chan struct{} { return s.came }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req := Request{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Clone(), string(body)}
	s.mu.Lock()
	a := Answer{Status: http.StatusNotImplemented, Body: "the script has no answer"}
	if n := len(s.answers); n > 0 {
		a = s.answers[min(len(s.seen), n-1)]
	}
	s.seen = append(s.seen, req)
	s.mu.Unlock()
	if a.By != nil {
		a = a.By(req)
	}
	s.came <- struct{}{}
	a.send(w, r)
}

func (a *Answer) send(w http.ResponseWriter, r *http.Request) {
	kind := "application/json"
	if a.Events != nil {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	for k, v := range a.Headers {
		w.Header().Set(k, v)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	flush := http.NewResponseController(w).Flush
	say := func(text string) {
		_, _ = io.WriteString(w, text) // the client may be gone
		_ = flush()
	}
	for _, e := range a.Events {
		var named struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(e, &named, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) == nil && named.Type != "" {
			say("event: " + named.Type + "\n")
		}
		say("data: " + string(e) + "\n\n")
	}
	if a.Body != "" {
		say(a.Body)
	}
	switch {
	case a.Stall:
		_ = flush()
		<-r.Context().Done()
	case a.Cut:
		panic(http.ErrAbortHandler)
	}
}

// Parse reads a script: one answer as JSON on each line.
func Parse(r io.Reader) ([]Answer, error) {
	var all []Answer
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		var a Answer
		if err := json.Unmarshal([]byte(text), &a, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, a)
	}
	return all, lines.Err()
}
