package openai

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// An answer gathers chunks and says what they mean.
type answer struct {
	b       *llm.Builder
	content call.Joiner
	thought call.Joiner
	refusal call.Joiner
	refused strings.Builder
	calls   []string // the id of each native call, in order of appearance
	slots   map[int]int
	finish  string // the finish reason; "" is none yet
	counted bool   // usage came
	size    call.Size
}

// Add takes one chunk.
func (a *answer) Add(data []byte) *call.Failure {
	var c chunk
	twice, err := call.Unmarshal(data, &c, "/choices")
	if err != nil {
		return call.Malformed("a piece of the stream is not the JSON that was expected", err)
	}
	if twice {
		a.b.Damaged()
	}
	if call.Present(c.Error) {
		return call.StreamError(call.ErrorText(c.Error))
	}
	if string(c.Object) == `"error"` {
		return call.StreamError(call.ErrorText(jsontext.Value(data)))
	}
	a.count(c.Usage)
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.Index != 0 {
			continue // only one was asked for
		}
		a.count(ch.Usage)
		for _, d := range []*delta{&ch.Delta, &ch.Message} {
			if err := a.delta(d); err != nil {
				return call.Malformed("a piece of the stream has something unexpected", err)
			}
		}
		// A reason to doubt the answer is not taken back by a later one.
		if ch.FinishReason != nil && *ch.FinishReason != "" && (a.finish == "" || endsByItself(a.finish)) {
			a.finish = *ch.FinishReason
		}
	}
	return nil
}

func (a *answer) delta(d *delta) error {
	if role := call.Unquoted(d.Role); speaksForOthers(role) {
		return fmt.Errorf("the role %q, expected assistant", role)
	}
	reasoning := d.ReasoningContent
	if !call.Present(reasoning) { // null or empty
		reasoning = d.Reasoning
	}
	thought, err := a.thought.Text(reasoning)
	if err != nil {
		return fmt.Errorf("reasoning: %w", err)
	}
	if err := a.size.Grow(a.b, len(thought)); err != nil {
		return err
	}
	a.b.Thinking(thought)
	text, err := a.content.Text(d.Content)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	a.damage()
	if err := a.size.Grow(a.b, len(text)); err != nil {
		return err
	}
	a.b.Text(text)
	no, err := a.refusal.Text(d.Refusal)
	if err != nil {
		return fmt.Errorf("refusal: %w", err)
	}
	if err := a.size.Grow(a.b, len(no)); err != nil {
		return err
	}
	a.refused.WriteString(no)
	for _, c := range d.ToolCalls {
		if err := a.call(c); err != nil {
			return err
		}
	}
	if f := d.FunctionCall; f != nil {
		return a.call(callDelta{Index: new(int), Function: *f})
	}
	return nil
}

// call adds to a native tool call. Its index says which; some servers leave
// that out, or use one index for all, and then the id does.
func (a *answer) call(c callDelta) error {
	index := 0
	if c.Index != nil {
		index = *c.Index
	} else if c.ID == "" {
		index = a.lastIndex()
	}
	slot, known := a.slots[index]
	if !known || (c.ID != "" && a.calls[slot] != "" && a.calls[slot] != c.ID) {
		slot = len(a.calls)
		a.calls = append(a.calls, c.ID)
		if a.slots == nil {
			a.slots = map[int]int{}
		}
		a.slots[index] = slot
	}
	if a.calls[slot] == "" {
		a.calls[slot] = c.ID
	}
	var arguments string
	if c.Function.Arguments.Kind() == '{' { // an object where its text is meant
		arguments = string(c.Function.Arguments)
	} else {
		var j call.Joiner
		var err error
		if arguments, err = j.Text(c.Function.Arguments); err != nil {
			return fmt.Errorf("arguments of a tool call: %w", err)
		}
		arguments += j.Flush()
	}
	if err := a.size.Grow(a.b, len(arguments)); err != nil {
		return err
	}
	a.b.ToolCall(strconv.Itoa(slot), c.ID, c.Function.Name, arguments)
	return nil
}

func (a *answer) lastIndex() int {
	for index, slot := range a.slots {
		if slot == len(a.calls)-1 {
			return index
		}
	}
	return 0
}

func (a *answer) count(raw jsontext.Value) {
	if !call.Present(raw) {
		return
	}
	var u usage
	if json.Unmarshal(raw, &u, call.Lenient()) != nil {
		return // counts are no reason to lose an answer
	}
	a.counted = true
	cached := min(max(u.In.Cached, u.CacheHit), u.Prompt)
	output := u.Completion
	if u.Out.Reasoning > 0 && u.Total == u.Prompt+u.Completion+u.Out.Reasoning {
		output += u.Out.Reasoning // counted apart
	}
	a.b.Usage(llm.Usage{Input: u.Prompt - cached, Output: output, CacheRead: cached, Total: u.Prompt + output})
}

func (a *answer) damage() {
	if a.content.Damaged || a.thought.Damaged || a.refusal.Damaged {
		a.b.Damaged()
	}
}

// State is complete when usage came too.
func (a *answer) State() (ended, complete bool) { return a.finish != "", a.finish != "" && a.counted }

// End gives the last event of an answer whose finish reason is known.
func (a *answer) End() *call.Failure {
	a.b.Thinking(a.thought.Flush())
	a.b.Text(a.content.Flush())
	a.damage()
	if a.refused.Len() > 0 {
		return call.Fail(llm.ErrRefusal, "the model refused to answer: %s", call.ForPeople(a.refused.String()))
	}
	if endsByItself(a.finish) {
		return a.done(llm.StopEnd)
	}
	switch a.finish {
	case "tool_calls", "function_call", "tool_use":
		return a.done(llm.StopToolUse)
	case "length", "max_tokens", "model_length":
		a.b.Done(llm.StopLength)
	case "content_filter", "safety", "SAFETY":
		return call.Fail(llm.ErrContentFilter, "the server's content filter ended the answer: ask in other words")
	case "error":
		return call.Fail(llm.ErrOverloaded, "the server ended the answer because of an error of its own")
	default:
		return call.Fail(llm.ErrIncomplete, "the answer ended for a reason that is not known: %q", call.ForPeople(a.finish))
	}
	return nil
}

// endsByItself knows the finish reasons of a model that was done.
func endsByItself(finish string) bool {
	switch finish {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence":
		return true
	}
	return false
}

func (a *answer) done(reason llm.StopReason) *call.Failure {
	if _, err := a.b.EndToolCalls(); err != nil {
		return call.Malformed("the model called a tool wrongly", err)
	}
	if a.b.HasToolCalls() {
		reason = llm.StopToolUse // some say "stop" all the same
	}
	a.b.Done(reason)
	return nil
}

// Whole takes an answer that is one JSON document.
func (a *answer) Whole(data []byte) *call.Failure {
	if !jsontext.Value(data).IsValid(call.Lenient()) {
		return call.Malformed("the answer is not one JSON document", nil)
	}
	if f := a.Add(data); f != nil {
		return f
	}
	if a.finish == "" {
		return call.Incomplete()
	}
	return a.End()
}
