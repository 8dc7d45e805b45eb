package openai_test

import (
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
)

func events(data ...string) fakellm.Answer {
	return fakellm.Raw("data: " + strings.Join(data, "\n\ndata: ") + "\n\ndata: [DONE]\n\n")
}

// A reason to doubt an answer counts, whatever comes after it.
func TestTheWorstFinishReasonCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reasons []string
		stop    llm.StopReason
		kind    llm.ErrorKind
	}{
		"length, stop":    {[]string{"length", "stop"}, llm.StopLength, ""},
		"stop, length":    {[]string{"stop", "length"}, llm.StopLength, ""},
		"filter, stop":    {[]string{"content_filter", "stop"}, llm.StopError, llm.ErrContentFilter},
		"stop twice":      {[]string{"stop", "stop"}, llm.StopEnd, ""},
		"unknown, stop":   {[]string{"tired", "stop"}, llm.StopError, llm.ErrIncomplete},
		"tool use, stop":  {[]string{"tool_calls", "stop"}, llm.StopToolUse, ""},
		"stop, end, stop": {[]string{"stop", "eos", "stop"}, llm.StopEnd, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pieces := []string{chunk("text", "")}
			for _, r := range c.reasons {
				pieces = append(pieces, chunk("", r))
			}
			m := one(t, events(pieces...))
			var kind llm.ErrorKind
			if m.Err != nil {
				kind = m.Err.Kind
			}
			if m.StopReason != c.stop || kind != c.kind {
				t.Errorf("stop %q, error %v", m.StopReason, m.Err)
			}
		})
	}
}

// What somebody else says is not the model's answer.
func TestOtherRolesAreNoAnswer(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"user", "tool", "system", "developer", "function", "User"} {
		piece := strings.Replace(chunk("text", "stop"), `"delta":{`, `"delta":{"role":"`+role+`",`, 1)
		for name, a := range map[string]fakellm.Answer{
			"first": events(piece),
			"later": events(chunk("te", ""), piece),
			"whole": fakellm.Raw(strings.Replace(piece, "delta", "message", 1)),
		} {
			m := one(t, a)
			if m.Err == nil || m.Err.Kind != llm.ErrMalformed || !strings.Contains(m.Err.Message, "role") {
				t.Errorf("%s, %s: stop %q, error %v", role, name, m.StopReason, m.Err)
			}
		}
	}
	for _, role := range []string{`"assistant"`, `"model"`, `""`, `null`, `1`} {
		m := one(t, events(strings.Replace(chunk("text", "stop"), `"delta":{`, `"delta":{"role":`+role+`,`, 1)))
		if m.Err != nil || m.Text() != "text" {
			t.Errorf("%s: %v", role, m.Err)
		}
	}
}

// Of a field that is there twice nobody can say which one was meant.
func TestFieldsThereTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		piece   string
		damaged bool
	}{
		"content":       {`{"choices":[{"index":0,"delta":{"content":"no","content":"text"},"finish_reason":"stop"}]}`, true},
		"finish reason": {`{"choices":[{"index":0,"delta":{"content":"text"},"finish_reason":"length","finish_reason":"stop"}]}`, true},
		"choices":       {`{"choices":[{"index":0,"delta":{"content":"no"}}],"choices":[{"index":0,"delta":{"content":"text"},"finish_reason":"stop"}]}`, true},
		"elsewhere":     {`{"id":"1","id":"2","choices":[{"index":0,"delta":{"content":"text"},"finish_reason":"stop"}]}`, false},
	} {
		for way, a := range map[string]fakellm.Answer{"stream": events(c.piece), "whole": fakellm.Raw(strings.Replace(c.piece, "delta", "message", 1))} {
			m := one(t, a)
			if m.Err != nil || m.Text() != "text" || m.Damaged != c.damaged {
				t.Errorf("%s, %s: text %q, damaged %t, error %v", name, way, m.Text(), m.Damaged, m.Err)
			}
		}
	}
}

// A server must not be able to fill the memory.
func TestAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	thought := `{"choices":[{"index":0,"delta":{"reasoning":"t"}}]}`
	times := func(n int, pieces ...string) fakellm.Answer {
		var all []string
		for range n {
			all = append(all, pieces...)
		}
		return events(append(all, chunk("", "stop"))...)
	}
	for name, a := range map[string]fakellm.Answer{
		"text":      times(17, chunk(long, "")),
		"thoughts":  times(17, strings.Replace(chunk(long, ""), "content", "reasoning", 1)),
		"refusal":   times(17, strings.Replace(chunk(long, ""), "content", "refusal", 1)),
		"parts":     times(600, chunk("a", ""), thought),
		"arguments": times(17, `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"`+long+`"}}]}}]}`),
		"whole":     fakellm.Raw(strings.Replace(chunk(strings.Repeat(long, 17), "stop"), "delta", "message", 1)),
		"one event": events(chunk(strings.Repeat(long, 17), "stop")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, a)
			if m.Err == nil || m.Err.Kind != llm.ErrMalformed || len(m.Text()) > 16<<20 {
				t.Errorf("%d bytes of text, error %v", len(m.Text()), m.Err)
			}
		})
	}
}
