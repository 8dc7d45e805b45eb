package openai_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

const key = "sk-test-0123456789abcdefXYZ"

var hello = llm.Context{System: []string{"be short"}, Messages: []llm.Message{llm.UserText("hello")}}

// newProvider makes a provider whose connections end with the test.
func newProvider(t testing.TB, config openai.Config) *openai.Provider {
	t.Helper()
	if config.HTTPClient == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		t.Cleanup(transport.CloseIdleConnections)
		config.HTTPClient = &http.Client{Transport: transport}
	}
	if config.ResponseTimeout == 0 {
		config.ResponseTimeout = time.Minute
	}
	return openai.New(config)
}

func model(srv *fakellm.Server) llm.Model {
	return llm.Model{ID: "m", Provider: "fake", BaseURL: srv.URL}
}

// ask gives all events of one call.
func ask(t testing.TB, ctx context.Context, p *openai.Provider, m llm.Model, o llm.Options) []llm.Event {
	t.Helper()
	var events []llm.Event
	for ev := range p.Stream(ctx, m, hello, o) {
		events = append(events, ev)
	}
	check(t, events)
	return events
}

// check demands the order that the event types promise.
func check(t testing.TB, events []llm.Event) {
	t.Helper()
	if len(events) < 2 || events[0].Type != llm.EventStart {
		t.Fatalf("%d events, the first not start", len(events))
	}
	open := map[int]string{}
	for i, ev := range events {
		last := i == len(events)-1
		if ev.Message == nil {
			t.Fatalf("event %d has no message", i)
		}
		switch ev.Type {
		case llm.EventDone, llm.EventError:
			if !last {
				t.Fatalf("event %d of %d is %s", i, len(events), ev.Type)
			}
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
		case llm.EventToolCallEnd:
			delete(open, ev.ContentIndex)
		}
		if last != (ev.Type == llm.EventDone || ev.Type == llm.EventError) {
			t.Fatalf("the last event is %s", ev.Type)
		}
	}
	end := events[len(events)-1]
	if failed := end.Type == llm.EventError; failed != (end.Message.Err != nil) {
		t.Fatalf("%s with error %v", end.Type, end.Message.Err)
	}
}

func final(events []llm.Event) *llm.Message { return events[len(events)-1].Message }

// one asks a new server once.
func one(t *testing.T, a fakellm.Answer) *llm.Message {
	t.Helper()
	srv := fakellm.New(t, a)
	return final(ask(t, t.Context(), newProvider(t, openai.Config{}), model(srv), llm.Options{APIKey: key}))
}
