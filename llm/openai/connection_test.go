package openai_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakellm.Answer{
		"with DONE": {Text: "1"},
		"no DONE":   {Text: "1", NoDone: true},
		"usage":     {Text: "1", Usage: &fakellm.Usage{Prompt: 1}},
		"whole":     {Text: "1", Whole: true},
		"refused":   {Status: 429},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 20
			a.Times = n
			srv := fakellm.New(t, a)
			p := newProvider(t, openai.Config{})
			for range n {
				llm.Complete(t.Context(), p, model(srv), hello, llm.Options{})
			}
			if c := srv.Connections(); c != 1 {
				t.Errorf("%d connections for %d requests", c, n)
			}
		})
	}
}

// TestReaderLeaves stops at every event in turn, and by cancelling; afterwards
// no goroutine and no connection is left. It is not parallel, for it counts.
func TestReaderLeaves(t *testing.T) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	p := openai.New(openai.Config{HTTPClient: &http.Client{Transport: transport}})
	before := runtime.NumGoroutine()
	srv := fakellm.Start(fakellm.Answer{Text: "abc", Chunk: 1, KeepOpen: true, Finish: fakellm.NoFinish, NoDone: true, Times: -1})
	for stop := 1; stop <= 5; stop++ {
		n := 0
		for range p.Stream(t.Context(), model(srv), hello, llm.Options{}) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d events, want %d", n, stop)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for ev := range p.Stream(ctx, model(srv), hello, llm.Options{}) {
		if ev.Type == llm.EventTextDelta {
			cancel()
		}
	}
	cancel()
	srv.Close() // waits for the server's side of each connection
	transport.CloseIdleConnections()
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 1_000_000 {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Answer{Text: mixed, Chunk: 2, Times: 40}).Refuse("json_schema").AllowUnused()
	p := newProvider(t, openai.Config{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if m := llm.Complete(t.Context(), p, model(srv), hello, llm.Options{Format: format}); m.Err != nil || m.Text() != mixed {
				t.Errorf("error %v, text %q", m.Err, m.Text())
			}
		})
	}
	wg.Wait()
}

// TestRedirects: the key and the conversation stay with the host that was
// named, and within it a POST stays a POST.
func TestRedirects(t *testing.T) {
	t.Parallel()
	other := fakellm.New(t) // any call to it is a failure
	srv := fakellm.New(t, fakellm.Text("1"))
	for status, m := range map[int]*llm.Message{
		http.StatusTemporaryRedirect: redirected(t, http.StatusTemporaryRedirect, other.URL),
		http.StatusPermanentRedirect: redirected(t, http.StatusPermanentRedirect, other.URL),
		http.StatusFound:             redirected(t, http.StatusFound, other.URL),
	} {
		if m.Err == nil || m.Err.Status != status || !strings.Contains(m.Err.Message, other.URL) {
			t.Errorf("%d to another host: %v", status, m.Err)
		}
	}
	if m := redirected(t, http.StatusFound, ""); m.Err == nil || m.Err.Status != http.StatusFound {
		t.Errorf("302 on the same host: %v", m.Err)
	}
	if m := redirected(t, http.StatusTemporaryRedirect, ""); m.Err != nil || m.Text() != "moved" {
		t.Errorf("307 on the same host: %v, %q", m.Err, m.Text())
	}
	if m := final(ask(t, t.Context(), newProvider(t, openai.Config{}), model(srv), llm.Options{})); m.Err != nil {
		t.Error(m.Err)
	}
}

// redirected asks a server that redirects to base, or to itself.
func redirected(t *testing.T, status int, base string) *llm.Message {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		to := base + "/chat/completions"
		if base == "" {
			to = "/v2/chat/completions"
		}
		http.Redirect(w, r, to, status)
	})
	mux.HandleFunc("POST /v2/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" || r.ContentLength == 0 {
			t.Error("the key or the body is lost on the way")
		}
		w.Write([]byte("data: " + chunk("moved", "stop") + "\n\n")) //nolint:errcheck // a test
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	return final(ask(t, t.Context(), newProvider(t, openai.Config{}), llm.Model{ID: "m", BaseURL: srv.URL + "/v1"}, llm.Options{APIKey: key}))
}

// TestTransports has the answers that the transport unpacks: compressed ones,
// and HTTP/2.
func TestTransports(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var out io.Writer = w
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer func() { _ = z.Close() }()
			out = z
		}
		_, _ = io.WriteString(out, "data: "+chunk(mixed, "stop")+"\n\ndata: [DONE]\n\n")
		if r.ProtoMajor == 2 {
			_, _ = io.WriteString(out, ": HTTP/2\n\n")
		}
	})
	for _, h2 := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(handler)
		srv.EnableHTTP2 = h2
		srv.StartTLS()
		defer srv.Close()
		p := openai.New(openai.Config{HTTPClient: srv.Client()})
		for range 3 {
			m := final(ask(t, t.Context(), p, llm.Model{ID: "m", BaseURL: srv.URL + "/v1"}, llm.Options{}))
			if m.Err != nil || m.Text() != mixed || m.Damaged {
				t.Errorf("HTTP/2 %t: error %v, text %q", h2, m.Err, m.Text())
			}
		}
	}
}
