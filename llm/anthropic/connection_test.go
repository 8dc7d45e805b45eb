package anthropic_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
)

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakellm.Answer{
		"stream":  {Text: "1"},
		"whole":   {Text: "1", Whole: true},
		"refused": {Status: 429},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 20
			a.Times = n
			srv := fakellm.New(t, a)
			p := newProvider(t, anthropic.Config{})
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
// no goroutine is left. It is not parallel, for it counts.
func TestReaderLeaves(t *testing.T) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	p := anthropic.New(anthropic.Config{HTTPClient: &http.Client{Transport: transport}})
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
	for stop := 1; stop <= 5; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		for range p.Stream(ctx, model(srv), hello, llm.Options{}) {
			if n++; n == stop {
				cancel()
			}
		}
		cancel()
	}
	transport.CloseIdleConnections()
	srv.Close()
	for runtime.NumGoroutine() > before {
		if t.Context().Err() != nil {
			t.Fatal("goroutines are left")
		}
		runtime.Gosched()
	}
}

// TestTransports has what net/http does by itself: compression and HTTP/2.
func TestTransports(t *testing.T) {
	t.Parallel()
	answer := stream(begin, beginText, hi, endBlock, stop("end_turn"), end).Raw[0]
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept-Encoding") != "gzip" || (r.ProtoMajor == 2) != h2 {
					t.Errorf("%s with %v", r.Proto, r.Header)
				}
				w.Header().Set("Content-Type", "text/event-stream")
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				_, _ = io.WriteString(z, answer)
				_ = z.Close()
			}))
			srv.EnableHTTP2 = h2
			srv.StartTLS()
			defer srv.Close()
			m := final(ask(t, t.Context(), anthropic.New(anthropic.Config{HTTPClient: srv.Client()}), llm.Model{ID: "m", BaseURL: srv.URL}, llm.Options{}))
			if m.Err != nil || m.Text() != "hi" {
				t.Errorf("error %v, text %q", m.Err, m.Text())
			}
		})
	}
}

// TestTogether has many calls of one provider at the same time, which all
// learn that the server takes no schema.
func TestTogether(t *testing.T) {
	t.Parallel()
	const n = 20
	srv := fakellm.New(t, fakellm.Answer{Text: mixed, Chunk: 2, Times: n}).Refuse("json_schema", "strict_tool", "tool")
	p := newProvider(t, anthropic.Config{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			m := final(ask(t, t.Context(), p, model(srv), llm.Options{Format: format}))
			if m.Err != nil || m.Text() != mixed || m.Enforced != llm.EnforcePrompt {
				t.Errorf("error %v, text %q, enforced %q", m.Err, m.Text(), m.Enforced)
			}
		})
	}
	all.Wait()
}
