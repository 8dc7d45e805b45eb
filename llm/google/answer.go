package google

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// An answer gathers events and says what they mean.
type answer struct {
	b       *llm.Builder
	said    call.Joiner
	thought call.Joiner
	calls   int
	id      string // of the answer, as the server has it
	finish  string // the finish reason; "" is none yet
	why     string // what the server says of it
	counted bool   // usage came with the finish reason, or after it
	size    call.Size
}

// Add takes one event.
func (a *answer) Add(data []byte) *call.Failure {
	var r response
	twice, err := call.Unmarshal(data, &r, "/candidates")
	if err != nil {
		return call.Malformed("a piece of the stream is not the JSON that was expected", err)
	}
	if twice {
		a.b.Damaged()
	}
	if call.Present(r.Error) {
		return call.StreamError(statusWords(r.Error))
	}
	if a.id == "" {
		a.id = r.ID
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Index != 0 {
			continue // only one was asked for
		}
		if c.Content.Role != "" && c.Content.Role != "model" {
			return call.Malformed(fmt.Sprintf("a piece of the stream has the role %q, expected model", call.ForPeople(c.Content.Role)), nil)
		}
		for _, p := range c.Content.Parts {
			if err := a.part(p); err != nil {
				return call.Malformed("a piece of the stream has something unexpected", err)
			}
		}
		// A reason to doubt the answer is not taken back by a later one.
		if c.FinishReason != "" && (a.finish == "" || a.finish == "STOP") {
			a.finish, a.why = c.FinishReason, c.FinishMessage
		}
	}
	if u := r.Usage; u != nil {
		a.counted = a.finish != ""
		cached := max(min(u.Cached, u.Prompt), 0)
		in, out := max(u.Prompt-cached+u.ToolUse, 0), max(u.Output+u.Thoughts, 0)
		a.b.Usage(llm.Usage{Input: in, Output: out, CacheRead: cached, Total: in + cached + out})
	}
	if reason := r.Feedback.BlockReason; reason != "" && reason != "BLOCK_REASON_UNSPECIFIED" {
		return call.Fail(llm.ErrContentFilter, "the server's filter did not let the question through (%s): ask in other words",
			withWords(reason, r.Feedback.Message))
	}
	return nil
}

func (a *answer) part(p givenPart) error {
	if p.Call != nil {
		return a.call(p)
	}
	into, say := &a.said, a.b.Text
	if p.Thought {
		into, say = &a.thought, a.b.Thinking
	}
	s, err := into.Text(p.Text)
	if err != nil {
		return fmt.Errorf("text: %w", err)
	}
	if a.said.Damaged || a.thought.Damaged {
		a.b.Damaged()
	}
	if err := a.size.Grow(a.b, len(s)); err != nil {
		return err
	}
	say(s)
	if p.Thought && p.Signature != "" {
		a.b.Signature(p.Signature)
	}
	return nil
}

// call takes a tool call, which always comes whole. One without an id gets
// one that no other answer has.
func (a *answer) call(p givenPart) error {
	c := p.Call
	key := strconv.Itoa(a.calls)
	a.calls++
	if c.ID == "" {
		c.ID = "call_" + a.id + "_" + key
	}
	if err := a.size.Grow(a.b, len(c.Args)); err != nil {
		return err
	}
	arguments := ""
	if call.Present(c.Args) {
		arguments = string(c.Args)
	}
	a.b.ToolCall(key, c.ID, c.Name, arguments)
	a.b.CallSignature(key, p.Signature)
	return nil
}

// State is said to be complete where usage came with the end.
func (a *answer) State() (ended, complete bool) { return a.finish != "", a.finish != "" && a.counted }

// End gives the last event.
func (a *answer) End() *call.Failure {
	a.b.Thinking(a.thought.Flush())
	a.b.Text(a.said.Flush())
	if a.said.Damaged || a.thought.Damaged {
		a.b.Damaged()
	}
	why := withWords(a.finish, a.why)
	switch a.finish {
	case "STOP":
		if _, err := a.b.EndToolCalls(); err != nil {
			return call.Malformed("the model called a tool wrongly", err)
		}
		reason := llm.StopEnd
		if a.b.HasToolCalls() {
			reason = llm.StopToolUse
		}
		a.b.Done(reason)
		return nil
	case "MAX_TOKENS":
		a.b.Done(llm.StopLength)
		return nil
	case "RECITATION", "IMAGE_RECITATION":
		return call.Fail(llm.ErrContentFilter, "the server ended the answer because it would repeat a known text (%s): ask in other words", why)
	case "LANGUAGE":
		return call.Fail(llm.ErrContentFilter, "the server ended the answer because it does not know the language (%s)", why)
	case "SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT":
		return call.Fail(llm.ErrContentFilter, "the server's content filter ended the answer (%s): ask in other words", why)
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE":
		return call.Malformed("the model called a tool wrongly", errors.New(why))
	case "MISSING_THOUGHT_SIGNATURE":
		return call.Fail(llm.ErrInvalid, "the server misses a signature in the conversation (%s)", why)
	}
	return call.Fail(llm.ErrIncomplete, "the answer ended for a reason that is not known (%s)", why)
}

// Whole takes an answer that is one JSON document: a response, or the array
// of responses of a server that was not asked for events.
func (a *answer) Whole(document []byte) *call.Failure {
	events := []jsontext.Value{document}
	if strings.HasPrefix(string(document[:1]), "[") {
		if err := json.Unmarshal(document, &events, call.Lenient()); err != nil {
			return call.Malformed("the answer is not one JSON document", err)
		}
	}
	for _, e := range events {
		if f := a.Add(e); f != nil {
			return f
		}
	}
	if a.finish == "" {
		return call.Incomplete()
	}
	return a.End()
}

func withWords(reason, message string) string {
	if message == "" {
		return call.ForPeople(reason)
	}
	return call.ForPeople(reason + ": " + message)
}
