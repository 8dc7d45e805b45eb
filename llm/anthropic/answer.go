package anthropic

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// An answer gathers events and says what they mean.
type answer struct {
	b     *llm.Builder
	reply string // the tool whose input is the answer

	begun, ended bool
	open         *part // nil is none
	last         int   // index of the last part, from 1
	stop         string
	details      stopDetails
	usage        llm.Usage
	badCall      error // of a call whose arguments are no object
	size         call.Size
}

// A part is a content block that is open.
type part struct {
	index     int
	kind      string // its type; those that are not known say nothing
	key       string // of a tool call; "" where its input is the answer
	joiner    call.Joiner
	grown     bool // something was said
	signature string
	input     jsontext.Value // that came with the start
}

func unexpected(format string, args ...any) *call.Failure {
	return call.Malformed("the stream is not what the API promises", fmt.Errorf(format, args...))
}

// State tells whether message_stop came.
func (a *answer) State() (ended, complete bool) { return a.ended, a.ended }

// Add takes one event.
func (a *answer) Add(data []byte) *call.Failure {
	var ev event
	twice, err := call.Unmarshal(data, &ev, "")
	if err != nil {
		return call.Malformed("a piece of the stream is not the JSON that was expected", err)
	}
	if twice {
		a.b.Damaged()
	}
	switch ev.Type {
	case "message_start":
		return a.begin(ev.Message)
	case "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop":
	case "error":
		return call.StreamError(words(data))
	default:
		return nil // a ping, or what a later version of the API says
	}
	if !a.begun {
		return unexpected("%s before message_start", ev.Type)
	}
	switch ev.Type {
	case "content_block_start":
		return a.start(ev.Index, ev.Block)
	case "content_block_delta":
		return a.grow(ev.Index, &ev.Delta)
	case "content_block_stop":
		return a.close(ev.Index)
	case "message_delta":
		a.count(ev.Usage)
		a.finish(ev.Delta.StopReason, ev.Delta.StopDetails)
	case "message_stop":
		a.ended = true
	}
	return nil
}

func (a *answer) begin(m *document) *call.Failure {
	switch {
	case a.begun:
		return unexpected("a second message_start")
	case m == nil:
		return unexpected("message_start without its message")
	case m.Role != "" && m.Role != "assistant":
		return unexpected("the role %q, expected assistant", call.ForPeople(m.Role))
	}
	a.begun = true
	a.count(m.Usage)
	return nil
}

func (a *answer) start(index *int, s *said) *call.Failure {
	switch {
	case index == nil || s == nil:
		return unexpected("content_block_start without its index or block")
	case a.open != nil:
		return unexpected("content block %d begins inside %d", *index, a.open.index)
	case *index < a.last:
		return unexpected("content block %d begins again", *index)
	case a.stop != "":
		return unexpected("content block %d begins after the end", *index)
	}
	if f := a.room(len(s.Data) + len(s.Signature)); f != nil {
		return f
	}
	a.last = *index + 1
	a.open = &part{index: *index, kind: s.Type, signature: s.Signature}
	switch s.Type {
	case "text":
		return a.say(s.Text)
	case "thinking":
		return a.say(s.Thinking)
	case "redacted_thinking":
		a.b.Sealed(s.Data, true)
	case "tool_use":
		a.open.input = s.Input
		if a.reply != "" && s.Name == a.reply {
			return nil // its input is said as text
		}
		a.open.key = strconv.Itoa(*index)
		a.b.ToolCall(a.open.key, s.ID, s.Name, "")
	}
	return nil
}

// grow takes a delta. One that is not of its block's kind would put words into
// a wrong mouth.
func (a *answer) grow(index *int, d *delta) *call.Failure {
	if a.open == nil || index == nil || *index != a.open.index {
		return unexpected("a delta of a content block that is not open")
	}
	var of string
	var raw jsontext.Value
	switch d.Type {
	case "text_delta":
		of, raw = "text", d.Text
	case "thinking_delta":
		of, raw = "thinking", d.Thinking
	case "signature_delta":
		of = "thinking"
		a.open.signature += d.Signature
		if f := a.room(len(d.Signature)); f != nil {
			return f
		}
	case "input_json_delta":
		of, raw = "tool_use", d.PartialJSON
		if a.open.kind == "server_tool_use" {
			return nil
		}
	default:
		return nil
	}
	if of != a.open.kind {
		return unexpected("a %s in a block of %s", d.Type, call.ForPeople(a.open.kind))
	}
	return a.say(raw)
}

// say adds to the open block.
func (a *answer) say(raw jsontext.Value) *call.Failure {
	text, err := a.open.joiner.Text(raw)
	if err != nil {
		return call.Malformed("a piece of the stream has something unexpected", fmt.Errorf("%s: %w", a.open.kind, err))
	}
	return a.add(text)
}

func (a *answer) add(text string) *call.Failure {
	if a.open.joiner.Damaged {
		a.b.Damaged()
	}
	if f := a.room(len(text)); f != nil {
		return f
	}
	if text == "" {
		return nil
	}
	a.open.grown = true
	switch {
	case a.open.kind == "thinking":
		a.b.Thinking(text)
	case a.open.key != "":
		a.b.ToolCall(a.open.key, "", "", text)
	default:
		a.b.Text(text) // said, or the input of the tool that takes the answer
	}
	return nil
}

// room counts what is about to be kept.
func (a *answer) room(n int) *call.Failure {
	if err := a.size.Grow(a.b, n); err != nil {
		return call.Malformed("the answer is of no use", err)
	}
	return nil
}

func (a *answer) close(index *int) *call.Failure {
	if a.open == nil || index == nil || *index != a.open.index {
		return unexpected("the end of a content block that is not open")
	}
	if f := a.add(a.open.joiner.Flush()); f != nil {
		return f
	}
	if a.open.kind == "tool_use" && !a.open.grown && call.Present(a.open.input) {
		if f := a.add(string(a.open.input)); f != nil { // not streamed
			return f
		}
	}
	p := a.open
	a.open = nil
	switch {
	case p.kind == "thinking" && !p.grown && p.signature != "":
		a.b.Sealed(p.signature, false)
	case p.kind == "thinking":
		a.b.Signature(p.signature)
		a.b.EndBlock()
	case p.key != "":
		// One that the output limit cut is no object; why it ended comes later.
		if _, err := a.b.EndToolCall(p.key); err != nil && a.badCall == nil {
			a.badCall = err
		}
	default:
		a.b.EndBlock()
	}
	return nil
}

// finish notes why the answer ended. A reason to doubt it is not taken back by
// a later one.
func (a *answer) finish(reason *string, details *stopDetails) {
	if reason == nil || *reason == "" || a.stop != "" && !endsByItself(a.stop) {
		return
	}
	a.stop = *reason
	if details != nil {
		a.details = *details
	}
}

func endsByItself(stop string) bool {
	switch stop {
	case "end_turn", "stop_sequence", "tool_use":
		return true
	}
	return false
}

func (a *answer) count(u *usage) {
	if u == nil {
		return
	}
	for _, c := range []struct {
		to   *int
		from *int
	}{{&a.usage.Input, u.Input}, {&a.usage.Output, u.Output}, {&a.usage.CacheRead, u.CacheRead}, {&a.usage.CacheWrite, u.CacheWrite}} {
		if c.from != nil && *c.from >= 0 {
			*c.to = *c.from
		}
	}
	a.usage.Total = a.usage.Input + a.usage.Output + a.usage.CacheRead + a.usage.CacheWrite
	a.b.Usage(a.usage)
}

// End gives the last event, if the answer is good.
func (a *answer) End() *call.Failure {
	if a.open != nil || a.stop == "" {
		return call.Incomplete()
	}
	switch a.stop {
	case "max_tokens":
		a.b.Done(llm.StopLength)
		return nil
	case "model_context_window_exceeded":
		return call.Fail(llm.ErrContextLength, "the conversation and its answer are too long for the model: its window is full")
	case "refusal":
		why := a.details.Explanation
		if why == "" {
			why = a.details.Category
		}
		if why != "" {
			why = ": " + call.ForPeople(why)
		}
		return call.Fail(llm.ErrRefusal, "the model refused to answer%s", why)
	case "pause_turn":
		return call.Fail(llm.ErrIncomplete, "the server paused the answer before the model was done")
	}
	if !endsByItself(a.stop) {
		return call.Fail(llm.ErrIncomplete, "the answer ended for a reason that is not known: %q", call.ForPeople(a.stop))
	}
	if a.badCall != nil {
		return call.Malformed("the model called a tool wrongly", a.badCall)
	}
	if a.b.HasToolCalls() {
		a.b.Done(llm.StopToolUse)
		return nil
	}
	a.b.Done(llm.StopEnd)
	return nil
}

// Whole takes an answer that is one JSON document.
func (a *answer) Whole(data []byte) *call.Failure {
	var m document
	twice, err := call.Unmarshal(data, &m, "")
	switch {
	case err != nil:
		return call.Malformed("the answer is not the JSON that was expected", err)
	case m.Type == "error":
		return call.StreamError(words(data))
	case m.Type != "message":
		return call.Malformed("the answer is of no use", fmt.Errorf("expected a message, got %q", call.ForPeople(m.Type)))
	case twice:
		a.b.Damaged()
	}
	if f := a.begin(&m); f != nil {
		return f
	}
	for i := range m.Content {
		if f := a.start(&i, &m.Content[i]); f != nil {
			return f
		}
		if f := a.close(&i); f != nil {
			return f
		}
	}
	a.finish(m.StopReason, m.StopDetails)
	return a.End()
}

// words reads an error, of an answer's body or inside a stream.
func words(body []byte) call.Words {
	w := call.ErrorText(body)
	if w.Status == 0 {
		w.Status = statusOf(w.Type)
	}
	if kind := kindOf(w.Message); kind != "" {
		w.Kind = kind
	}
	return w
}
