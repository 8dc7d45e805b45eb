package google_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakewire"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/google"
)

// TestKeepAlive: one connection serves many calls, good and refused ones.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	var dialed atomic.Int32
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()
	p := newProvider(t, google.Config{HTTPClient: &http.Client{Transport: transport}})
	srv := fakewire.New(t, fakewire.Events(piece("a", "STOP")), fakewire.Status(500, "{}"), fakewire.Events(piece("a", "STOP")))
	for range 10 {
		llm.Complete(t.Context(), p, model(srv), hello, llm.Options{})
	}
	if n := dialed.Load(); n != 1 {
		t.Errorf("%d connections for 10 calls", n)
	}
}

// memoryTransport answers from memory, so that only the reading is measured.
type memoryTransport string

func (s memoryTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: req, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// BenchmarkEvents reads 1 MiB in 16,384 events.
func BenchmarkEvents(b *testing.B) {
	stream := strings.Repeat("data: "+piece(strings.Repeat("x", 64), "")+"\n\n", 1<<14) + "data: " + piece("", "STOP") + "\n\n"
	p := newProvider(b, google.Config{HTTPClient: &http.Client{Transport: memoryTransport(stream)}})
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		n := 0
		for ev := range p.Stream(b.Context(), llm.Model{ID: "m", BaseURL: "http://memory/v1beta"}, hello, llm.Options{}) {
			n += len(ev.Delta)
			events++
		}
		if n != 1<<20 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
