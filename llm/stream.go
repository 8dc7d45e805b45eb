package llm

import (
	"context"
	"iter"
)

// EventType names what happened in a stream.
type EventType string

// The events of a stream, in their order: start, then for each block its
// start, deltas and end, then exactly one done or error.
const (
	EventStart         EventType = "start"
	EventTextStart     EventType = "text_start"
	EventTextDelta     EventType = "text_delta"
	EventTextEnd       EventType = "text_end"
	EventThinkingStart EventType = "thinking_start"
	EventThinkingDelta EventType = "thinking_delta"
	EventThinkingEnd   EventType = "thinking_end"
	EventToolCallStart EventType = "toolcall_start"
	EventToolCallDelta EventType = "toolcall_delta"
	EventToolCallEnd   EventType = "toolcall_end"
	EventDone          EventType = "done"
	EventError         EventType = "error"
)

// An Event is one thing that happened in a stream.
type Event struct {
	Type         EventType
	ContentIndex int       // of the block; 0 for start, done and error
	Delta        string    // of the *_delta events
	Content      string    // of text_end and thinking_end: the whole block
	ToolCall     *ToolCall // of toolcall_end
	// Message is the answer as far as it is known. It does not change after
	// the event was given out. With done and error it is the final message.
	Message *Message
}

// A Provider speaks one wire API.
type Provider interface {
	// API is the name of the wire API, such as "openai-completions".
	API() string
	// Stream asks the model and gives the answer's events. Failures are
	// events too: the sequence always ends with exactly one done or error,
	// unless the reader stops before. A reader that stops early frees the
	// connection. The request is sent when the sequence is first read; a
	// sequence is read once.
	Stream(ctx context.Context, model Model, conversation Context, options Options) iter.Seq[Event]
	// Request gives the body that Stream would send, and sends nothing.
	Request(model Model, conversation Context, options Options) ([]byte, error)
}

// Complete asks the model and gives the final message only. Its Err tells
// failures.
func Complete(ctx context.Context, p Provider, model Model, conversation Context, options Options) *Message {
	var last *Message
	for ev := range p.Stream(ctx, model, conversation, options) {
		last = ev.Message
	}
	return last
}
