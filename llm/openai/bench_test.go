package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

// long is 1 MiB of text in chunks of 64 bytes, as one stream.
func long() string {
	line := "data: " + chunk(strings.Repeat("x", 64), "") + "\n\n"
	return strings.Repeat(line, 1<<14) + "data: " + chunk("", "stop") + "\n\ndata: [DONE]\n\n"
}

// memoryTransport answers from memory, so that only the reading is measured.
type memoryTransport string

func (s memoryTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: req, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// BenchmarkEvents reads 1 MiB in 16,384 chunks.
func BenchmarkEvents(b *testing.B) {
	p := newProvider(b, openai.Config{HTTPClient: &http.Client{Transport: memoryTransport(long())}})
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		n := 0
		for ev := range p.Stream(b.Context(), llm.Model{ID: "m", BaseURL: "http://memory/v1"}, hello, llm.Options{}) {
			n += len(ev.Delta)
			events++
		}
		if n != 1<<20 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkFirstChunk compares the time from a request to its first text with
// that of a bare HTTP client which reads until the text is there.
func BenchmarkFirstChunk(b *testing.B) {
	answer := fakellm.Chat("hello")
	answer.Times = -1
	srv := fakellm.New(b, answer)
	p := newProvider(b, openai.Config{})
	body, err := p.Request(model(srv), hello, llm.Options{})
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	defer client.CloseIdleConnections()
	var bare, full time.Duration
	for b.Loop() {
		start := time.Now()
		res, err := client.Post(srv.URL+"/chat/completions", "application/json", strings.NewReader(string(body)))
		if err != nil {
			b.Fatal(err)
		}
		buf, n := make([]byte, 32<<10), 0
		for !strings.Contains(string(buf[:n]), "hello") {
			m, err := res.Body.Read(buf[n:])
			if n += m; err != nil && m == 0 {
				b.Fatal(err)
			}
		}
		bare += time.Since(start)
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()

		start = time.Now()
		for ev := range p.Stream(b.Context(), model(srv), hello, llm.Options{}) {
			if ev.Type == llm.EventTextDelta {
				full += time.Since(start)
			}
		}
	}
	b.ReportMetric(float64(bare.Microseconds())/float64(b.N), "bare-µs")
	b.ReportMetric(float64(full.Microseconds())/float64(b.N), "first-text-µs")
}
