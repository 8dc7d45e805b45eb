package openai

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// An answer gathers chunks and says what they mean.
type answer struct {
	b       *llm.Builder
	content joiner
	thought joiner
	refusal joiner
	refused strings.Builder
	calls   []string // the id of each native call, in order of appearance
	slots   map[int]int
	finish  string // the finish reason; "" is none yet
	counted bool   // usage came
	size    int    // bytes of text, thoughts and arguments
}

// Limits of an answer, far beyond what a model gives. They bound the memory
// that a server can make us use.
const (
	maxText   = 16 << 20 // bytes of text, thoughts and arguments
	maxBlocks = 1000     // turns between text, thoughts and tool calls
)

var errAnswerTooLong = fmt.Errorf("an answer of more than %d MiB or %d parts", maxText>>20, maxBlocks)

// add takes one chunk. An error means that the answer failed; more is false
// where the reader left.
func (a *answer) add(data []byte) (more bool, f *failure) {
	c, twice, err := readChunk(data)
	if err != nil {
		return true, malformed("a piece of the stream is not the JSON that was expected", err)
	}
	if twice {
		a.b.Damaged()
	}
	if present(c.Error) {
		return true, streamError(c.Error)
	}
	if string(c.Object) == `"error"` {
		return true, streamError(data)
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
				return !a.b.Ended(), malformed("a piece of the stream has something unexpected", err)
			}
		}
		// A reason to doubt the answer is not taken back by a later one.
		if ch.FinishReason != nil && *ch.FinishReason != "" && (a.finish == "" || endsByItself(a.finish)) {
			a.finish = *ch.FinishReason
		}
	}
	return !a.b.Ended(), nil
}

func (a *answer) delta(d *delta) error {
	if role := unquoted(d.Role); speaksForOthers(role) {
		return fmt.Errorf("the role %q, expected assistant", role)
	}
	reasoning := d.ReasoningContent
	if !present(reasoning) { // null or empty
		reasoning = d.Reasoning
	}
	thought, err := a.thought.text(reasoning)
	if err != nil {
		return fmt.Errorf("reasoning: %w", err)
	}
	if err := a.grow(len(thought)); err != nil {
		return err
	}
	a.b.Thinking(thought)
	text, err := a.content.text(d.Content)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	a.damage()
	if err := a.grow(len(text)); err != nil {
		return err
	}
	a.b.Text(text)
	no, err := a.refusal.text(d.Refusal)
	if err != nil {
		return fmt.Errorf("refusal: %w", err)
	}
	if err := a.grow(len(no)); err != nil {
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

// grow counts what is about to be kept.
func (a *answer) grow(n int) error {
	if a.size += n; a.size > maxText || a.b.Blocks() > maxBlocks {
		return errAnswerTooLong
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
		var j joiner
		var err error
		if arguments, err = j.text(c.Function.Arguments); err != nil {
			return fmt.Errorf("arguments of a tool call: %w", err)
		}
		arguments += j.flush()
	}
	if err := a.grow(len(arguments)); err != nil {
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
	if !present(raw) {
		return
	}
	var u usage
	if json.Unmarshal(raw, &u, lenient()) != nil {
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
	if a.content.damaged || a.thought.damaged || a.refusal.damaged {
		a.b.Damaged()
	}
}

// complete tells whether nothing is worth waiting for.
func (a *answer) complete() bool { return a.finish != "" && a.counted }

// end gives the last event of an answer whose finish reason is known.
func (a *answer) end() *failure {
	a.b.Thinking(a.thought.flush())
	a.b.Text(a.content.flush())
	a.damage()
	if a.refused.Len() > 0 {
		return &failure{err: &llm.Error{Kind: llm.ErrRefusal, Message: "the model refused to answer: " + forPeople(a.refused.String())}}
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
		return &failure{err: &llm.Error{Kind: llm.ErrContentFilter, Message: "the server's content filter ended the answer: ask in other words"}}
	case "error":
		return &failure{err: &llm.Error{Kind: llm.ErrOverloaded, Message: "the server ended the answer because of an error of its own"}}
	default:
		return &failure{err: &llm.Error{Kind: llm.ErrIncomplete, Message: fmt.Sprintf("the answer ended for a reason that is not known: %q", forPeople(a.finish))}}
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

func (a *answer) done(reason llm.StopReason) *failure {
	if _, err := a.b.EndToolCalls(); err != nil {
		return malformed("the model called a tool wrongly", err)
	}
	if a.b.HasToolCalls() {
		reason = llm.StopToolUse // some say "stop" all the same
	}
	a.b.Done(reason)
	return nil
}

// whole takes an answer that is one JSON document.
func (a *answer) whole(data []byte) *failure {
	if !jsontext.Value(data).IsValid(lenient()) {
		return malformed("the answer is not one JSON document", nil)
	}
	if _, f := a.add(bytes.TrimSpace(data)); f != nil {
		return f
	}
	if a.finish == "" {
		return incomplete()
	}
	return a.end()
}
