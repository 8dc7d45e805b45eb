package anthropic_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
)

const key = "sk-ant-api03-0123456789abcdefXYZ"

var hello = llm.Context{System: []string{"be short"}, Messages: []llm.Message{llm.UserText("hello")}}

// newProvider makes a provider whose connections end with the test.
func newProvider(t testing.TB, config anthropic.Config) *anthropic.Provider {
	t.Helper()
	if config.HTTPClient == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		t.Cleanup(transport.CloseIdleConnections)
		config.HTTPClient = &http.Client{Transport: transport}
	}
	if config.ResponseTimeout == 0 {
		config.ResponseTimeout = time.Minute
	}
	return anthropic.New(config)
}

func model(srv *fakellm.Server) llm.Model {
	return llm.Model{ID: "m", Provider: "fake", BaseURL: srv.URL}
}

// ask gives all events of one call, in the order that their types promise.
func ask(t testing.TB, ctx context.Context, p *anthropic.Provider, m llm.Model, o llm.Options) []llm.Event {
	t.Helper()
	var events []llm.Event
	for ev := range p.Stream(ctx, m, hello, o) {
		events = append(events, ev)
	}
	open := map[int]string{}
	for i, ev := range events {
		switch ev.Type {
		case llm.EventTextStart, llm.EventThinkingStart, llm.EventToolCallStart:
			open[ev.ContentIndex] = ""
		case llm.EventTextDelta, llm.EventThinkingDelta, llm.EventToolCallDelta:
			so, ok := open[ev.ContentIndex]
			if !ok {
				t.Fatalf("event %d is a delta of block %d, which is not open", i, ev.ContentIndex)
			}
			open[ev.ContentIndex] = so + ev.Delta
		case llm.EventTextEnd, llm.EventThinkingEnd:
			if open[ev.ContentIndex] != ev.Content {
				t.Fatalf("block %d ends with %q, its deltas were %q", ev.ContentIndex, ev.Content, open[ev.ContentIndex])
			}
			delete(open, ev.ContentIndex)
		}
		if last := ev.Type == llm.EventDone || ev.Type == llm.EventError; last != (i == len(events)-1) {
			t.Fatalf("event %d of %d is %s", i, len(events), ev.Type)
		}
	}
	end := events[len(events)-1]
	if events[0].Type != llm.EventStart || (end.Type == llm.EventError) != (end.Message.Err != nil) {
		t.Fatalf("%d events from %s to %s with error %v", len(events), events[0].Type, end.Type, end.Message.Err)
	}
	return events
}

func final(events []llm.Event) *llm.Message { return events[len(events)-1].Message }

// one asks a new server once.
func one(t *testing.T, a fakellm.Answer) *llm.Message {
	t.Helper()
	srv := fakellm.New(t, a)
	return final(ask(t, t.Context(), newProvider(t, anthropic.Config{}), model(srv), llm.Options{APIKey: key}))
}

// stream is a stream of these events, given by their type and the rest.
func stream(events ...string) fakellm.Answer {
	var b strings.Builder
	for _, ev := range events {
		name, rest, _ := strings.Cut(ev, " ")
		if rest != "" {
			rest = "," + rest
		}
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", name, name, rest)
	}
	return fakellm.Raw(b.String())
}

// The events that most streams have.
const (
	begin     = `message_start "message":{"role":"assistant","content":[],"usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":1}}`
	beginText = `content_block_start "index":0,"content_block":{"type":"text","text":""}`
	hi        = `content_block_delta "index":0,"delta":{"type":"text_delta","text":"hi"}`
	endBlock  = `content_block_stop "index":0`
	end       = `message_stop`
)

func stop(reason string) string {
	return `message_delta "delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":5}`
}

func kind(m *llm.Message) llm.ErrorKind {
	if m.Err == nil {
		return ""
	}
	return m.Err.Kind
}
