package anthropic_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
)

// memoryTransport answers from memory, so that only the reading is measured.
type memoryTransport string

func (s memoryTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: req, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// BenchmarkEvents reads 1 MiB in 16,384 deltas.
func BenchmarkEvents(b *testing.B) {
	piece := stream(`content_block_delta "index":0,"delta":{"type":"text_delta","text":"` + strings.Repeat("x", 64) + `"}`).Raw[0]
	all := stream(begin, beginText).Raw[0] + strings.Repeat(piece, 1<<14) + stream(endBlock, stop("end_turn"), end).Raw[0]
	p := newProvider(b, anthropic.Config{HTTPClient: &http.Client{Transport: memoryTransport(all)}})
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		n := 0
		for ev := range p.Stream(b.Context(), llm.Model{ID: "m", BaseURL: "http://memory"}, hello, llm.Options{}) {
			n += len(ev.Delta)
			events++
		}
		if n != 1<<20 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
