package responses

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// An answer gathers events and says what they mean.
type answer struct {
	b       *llm.Builder
	items   map[int]*open // by output index
	indexes map[string]int
	joiner  call.Joiner
	refused strings.Builder
	last    *response // the whole of it, after its end
	size    call.Size
}

// open is an item that was begun. One that came before under another index is
// nil: some servers say an item twice.
type open struct {
	kind   string
	phase  string
	part   int             // the content part that grows
	said   strings.Builder // of that part, or the arguments of a call
	any    bool            // something was said
	closed bool
}

func newAnswer(b *llm.Builder) *answer {
	return &answer{b: b, items: map[int]*open{}, indexes: map[string]int{}}
}

// Add takes one event.
func (a *answer) Add(data []byte) *call.Failure {
	var e event
	twice, err := call.Unmarshal(data, &e, "")
	if err != nil {
		return call.Malformed("a piece of the stream is not the JSON that was expected", err)
	}
	if twice {
		a.b.Damaged()
	}
	if a.last != nil {
		return nil // nothing counts after the end
	}
	if err := a.event(&e); err != nil {
		return call.Malformed("a piece of the stream has something unexpected", err)
	}
	switch e.Type {
	case "response.completed", "response.incomplete", "response.cancelled", "response.done":
		if e.Response == nil {
			return call.Malformed("the end of the stream has no response", nil)
		}
		return a.finish(e.Response)
	case "response.failed":
		if e.Response != nil && call.Present(e.Response.Error) {
			return call.StreamError(words(e.Response.Error))
		}
		return call.Fail(llm.ErrOverloaded, "the server ended the answer because of an error of its own")
	case "error", "":
		if call.Present(e.Error) {
			return call.StreamError(words(e.Error))
		}
		if e.Type == "error" {
			return call.StreamError(words(data))
		}
	}
	return nil
}

func (a *answer) event(e *event) error {
	switch e.Type {
	case "response.output_item.added", "response.output_item.done":
		if e.Item == nil {
			return fmt.Errorf("%s has no item", e.Type)
		}
		if e.Type == "response.output_item.added" {
			return a.begin(e.OutputIndex, e.Item)
		}
		return a.end(e.OutputIndex, e.Item)
	case "response.output_text.delta":
		return a.grow(e, a.speaker(e), false)
	case "response.output_text.done":
		return a.grow(e, a.speaker(e), true)
	case "response.refusal.delta":
		return a.grow(e, func(s string) { a.refused.WriteString(s) }, false)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if o := a.item(e); o != nil && o.any && o.part != e.SummaryIndex {
			a.think("\n\n")
			o.part = e.SummaryIndex
		}
		return a.grow(e, a.think, false)
	case "response.function_call_arguments.delta":
		return a.grow(e, func(s string) { a.b.ToolCall(strconv.Itoa(e.OutputIndex), "", "", s) }, false)
	}
	return nil
}

func (a *answer) think(s string) { a.b.Thinking(s) }
func (a *answer) say(s string)   { a.b.Text(s) }

// speaker says what is said in the item of an event: the answer, or words
// before it.
func (a *answer) speaker(e *event) func(string) {
	if o := a.item(e); o != nil && o.phase == "commentary" {
		return a.think
	}
	return a.say
}

// item finds the item of an event; nil is one that was said before. A server
// that does not say when an item begins is understood as well.
func (a *answer) item(e *event) *open {
	if e.ItemID != "" {
		if first, known := a.indexes[e.ItemID]; known && first != e.OutputIndex {
			return nil
		}
	}
	o, known := a.items[e.OutputIndex]
	if !known {
		o = &open{}
		a.items[e.OutputIndex] = o
		if e.ItemID != "" {
			a.indexes[e.ItemID] = e.OutputIndex
		}
	}
	return o
}

func (a *answer) begin(index int, it *item) error {
	if it.Type == "message" && it.Role != "" && it.Role != "assistant" {
		return fmt.Errorf("the role %q, expected assistant", call.ForPeople(it.Role))
	}
	if len(a.items) > 1000 {
		return fmt.Errorf("an answer of more than %d items", len(a.items)-1)
	}
	if first, known := a.indexes[it.ID]; known && it.ID != "" {
		if first != index {
			a.items[index] = nil
		}
		return nil
	}
	if _, known := a.items[index]; known {
		return fmt.Errorf("a second item in the place of %d", index)
	}
	if it.ID != "" {
		a.indexes[it.ID] = index
	}
	a.items[index] = &open{kind: it.Type, phase: it.Phase}
	if it.Type == "function_call" {
		a.b.ToolCall(strconv.Itoa(index), cmp.Or(it.CallID, it.ID), it.Name, "")
	}
	return nil
}

// grow adds to an item. With whole, the event has the whole text of the part:
// it counts where no piece of it came, and else must be what the pieces were.
func (a *answer) grow(e *event, say func(string), whole bool) error {
	o := a.item(e)
	if o == nil || o.closed {
		return nil
	}
	if whole {
		all, err := a.text(e.Text)
		if err != nil || !call.Present(e.Text) {
			return err
		}
		if !o.any || o.part != e.ContentIndex {
			return a.piece(o, e.ContentIndex, all, say)
		}
		if all != o.said.String() {
			a.b.Damaged()
		}
		return nil
	}
	s, err := a.joiner.Text(e.Delta)
	if err != nil {
		return err
	}
	part := e.ContentIndex
	if o.any && o.kind == "reasoning" {
		part = o.part
	}
	return a.piece(o, part, s, say)
}

func (a *answer) piece(o *open, part int, s string, say func(string)) error {
	if a.joiner.Damaged {
		a.b.Damaged()
	}
	if err := a.size.Grow(a.b, len(s)); err != nil {
		return err
	}
	if part != o.part {
		o.said.Reset()
		o.part = part
	}
	if s == "" {
		return nil
	}
	o.any = true
	o.said.WriteString(s)
	say(s)
	return nil
}

// text reads a text that is whole.
func (a *answer) text(raw jsontext.Value) (string, error) {
	var j call.Joiner
	s, err := j.Text(raw)
	s += j.Flush()
	if j.Damaged {
		a.b.Damaged()
	}
	return s, err
}

func (a *answer) flush() {
	if s := a.joiner.Flush(); s != "" {
		a.b.Damaged()
	}
}

// finish takes the end. Where a server gave nothing but the end, that has it
// all.
func (a *answer) finish(r *response) *call.Failure {
	a.flush()
	if len(a.items) == 0 {
		for i := range r.Output {
			if err := a.end(i, &r.Output[i]); err != nil {
				return call.Malformed("the answer has something unexpected", err)
			}
		}
	}
	if u := r.Usage; u != nil {
		in, out := max(u.Input, 0), max(u.Output, 0)
		cached := max(min(u.In.Cached, in), 0)
		a.b.Usage(llm.Usage{Input: in - cached, Output: out, CacheRead: cached, Total: in + out})
	}
	a.last = r
	return nil
}

// State is complete with the end: usage comes with it.
func (a *answer) State() (ended, complete bool) { return a.last != nil, a.last != nil }

// End gives the last event.
func (a *answer) End() *call.Failure {
	if a.refused.Len() > 0 {
		return call.Fail(llm.ErrRefusal, "the model refused to answer: %s", call.ForPeople(a.refused.String()))
	}
	switch a.last.Status {
	case "completed":
		if _, err := a.b.EndToolCalls(); err != nil {
			return call.Malformed("the model called a tool wrongly", err)
		}
		reason := llm.StopEnd
		if a.b.HasToolCalls() {
			reason = llm.StopToolUse
		}
		a.b.Done(reason)
		return nil
	case "incomplete":
		switch a.last.Incomplete.Reason {
		case "max_output_tokens", "max_tokens":
			a.b.Done(llm.StopLength)
			return nil
		case "content_filter":
			return call.Fail(llm.ErrContentFilter, "the server's content filter ended the answer: ask in other words")
		}
	}
	return call.Fail(llm.ErrIncomplete, "the answer ended for a reason that is not known: %q",
		call.ForPeople(cmp.Or(a.last.Incomplete.Reason, a.last.Status)))
}

// Whole takes an answer that is one JSON document.
func (a *answer) Whole(document []byte) *call.Failure {
	var r response
	twice, err := call.Unmarshal(document, &r, "")
	if err != nil {
		return call.Malformed("the answer is not one JSON document", err)
	}
	if twice {
		a.b.Damaged()
	}
	if r.Status == "failed" || r.Status == "" && call.Present(r.Error) {
		return call.StreamError(words(r.Error))
	}
	if r.Status == "" || r.Status == "in_progress" || r.Status == "queued" {
		return call.Incomplete()
	}
	if f := a.finish(&r); f != nil {
		return f
	}
	return a.End()
}
