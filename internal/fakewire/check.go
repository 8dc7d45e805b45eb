package fakewire

import (
	"testing"

	"github.com/holic512/plugin-ai/llm"
)

// Collect reads a stream to its end and demands the order that the event types
// promise.
func Collect(t testing.TB, events func(func(llm.Event) bool)) []llm.Event {
	t.Helper()
	var all []llm.Event
	for ev := range events {
		all = append(all, ev)
	}
	Check(t, all)
	return all
}

// Check demands the order that the event types promise: start, then for each
// block its start, deltas and end, then exactly one done or error.
func Check(t testing.TB, events []llm.Event) {
	t.Helper()
	if len(events) < 2 || events[0].Type != llm.EventStart {
		t.Fatalf("%d events, the first not start", len(events))
	}
	open := map[int]string{}
	for i, ev := range events {
		if ev.Message == nil {
			t.Fatalf("event %d has no message", i)
		}
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
		case llm.EventToolCallEnd:
			delete(open, ev.ContentIndex)
		}
		final := ev.Type == llm.EventDone || ev.Type == llm.EventError
		if final != (i == len(events)-1) {
			t.Fatalf("event %d of %d is %s", i, len(events), ev.Type)
		}
		if final && (ev.Type == llm.EventError) != (ev.Message.Err != nil) {
			t.Fatalf("%s with error %v", ev.Type, ev.Message.Err)
		}
	}
}

// Final is the message of the last event.
func Final(events []llm.Event) *llm.Message { return events[len(events)-1].Message }
