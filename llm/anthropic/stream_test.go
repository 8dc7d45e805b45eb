package anthropic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
)

const mixed = "a \"quoted\" 你好 😀\r\nline"

// TestAnswer has answers in the forms that the API's reference shows.
func TestAnswer(t *testing.T) {
	t.Parallel()
	thinking := llm.Thinking{Thinking: "hm 想", Signature: "sig"}
	for name, c := range map[string]struct {
		answer fakellm.Answer
		want   []llm.Block
		stop   llm.StopReason
	}{
		"text":           {fakellm.Answer{Text: mixed, Chunk: 3}, []llm.Block{llm.Text{Text: mixed}}, llm.StopEnd},
		"CRLF, comments": {fakellm.Answer{Text: mixed, Chunk: 5, CRLF: true, Comments: true, BlankLines: true}, []llm.Block{llm.Text{Text: mixed}}, llm.StopEnd},
		"any pieces":     {fakellm.Answer{Text: mixed, WireChunk: 7}, []llm.Block{llm.Text{Text: mixed}}, llm.StopEnd},
		"halves":         {fakellm.Answer{Text: mixed, Escape: true, Chunk: 1}, []llm.Block{llm.Text{Text: mixed}}, llm.StopEnd},
		"thinking":       {fakellm.Answer{Reasoning: "hm 想", Signature: "sig", Text: "t", Chunk: 2}, []llm.Block{thinking, llm.Text{Text: "t"}}, llm.StopEnd},
		"nothing":        {fakellm.Answer{}, nil, llm.StopEnd},
		"cut by limit":   {fakellm.Answer{Text: "t", Finish: "max_tokens"}, []llm.Block{llm.Text{Text: "t"}}, llm.StopLength},
		"stop sequence":  {fakellm.Answer{Text: "t", Finish: "stop_sequence"}, []llm.Block{llm.Text{Text: "t"}}, llm.StopEnd},
		"tools": {fakellm.Answer{Text: "t", ToolCalls: []fakellm.ToolCall{{ID: "toolu_1", Name: "f", Arguments: `{"a":"你"}`}, {ID: "toolu_2", Name: "g", Arguments: `{}`}}, Chunk: 2},
			[]llm.Block{llm.Text{Text: "t"}, llm.ToolCall{ID: "toolu_1", Name: "f", Arguments: []byte(`{"a":"你"}`)}, llm.ToolCall{ID: "toolu_2", Name: "g", Arguments: []byte(`{}`)}}, llm.StopToolUse},
		"no arguments": {stream(begin, `content_block_start "index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}`, endBlock, stop("tool_use"), end),
			[]llm.Block{llm.ToolCall{ID: "1", Name: "f", Arguments: []byte(`{}`)}}, llm.StopToolUse},
		"arguments at once": {stream(begin, `content_block_start "index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{"a":1}}`, endBlock, stop("tool_use"), end),
			[]llm.Block{llm.ToolCall{ID: "1", Name: "f", Arguments: []byte(`{"a":1}`)}}, llm.StopToolUse},
		"a call cut by the limit": {stream(begin, `content_block_start "index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}`,
			`content_block_delta "index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}`, endBlock, stop("max_tokens"), end),
			[]llm.Block{llm.ToolCall{ID: "1", Name: "f"}}, llm.StopLength},
		"redacted and sealed": {stream(begin, `content_block_start "index":0,"content_block":{"type":"redacted_thinking","data":"ENC"}`, endBlock,
			`content_block_start "index":1,"content_block":{"type":"thinking","thinking":"","signature":""}`, `content_block_delta "index":1,"delta":{"type":"signature_delta","signature":"S"}`, `content_block_stop "index":1`,
			`content_block_start "index":2,"content_block":{"type":"text","text":"t"}`, `content_block_stop "index":2`, stop("end_turn"), end),
			[]llm.Block{llm.Thinking{Signature: "ENC", Redacted: true}, llm.Thinking{Signature: "S"}, llm.Text{Text: "t"}}, llm.StopEnd},
		"more after the end": {stream(begin, beginText, hi, endBlock, stop("end_turn"), end, `error "error":{"type":"api_error","message":"late"}`), []llm.Block{llm.Text{Text: "hi"}}, llm.StopEnd},
		"what is not known": {stream(`hello "x":1`, begin, "ping", `content_block_start "index":0,"content_block":{"type":"hologram","x":1}`, `content_block_delta "index":0,"delta":{"type":"ray_delta"}`, endBlock,
			`content_block_start "index":1,"content_block":{"type":"text","text":""}`, "ping", `content_block_delta "index":1,"delta":{"type":"citations_delta","citation":{}}`, `content_block_delta "index":1,"delta":{"type":"text_delta","text":"t"}`, `content_block_stop "index":1`, stop("end_turn"), end),
			[]llm.Block{llm.Text{Text: "t"}}, llm.StopEnd},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, c.answer)
			if d := cmp.Diff(c.want, m.Content); d != "" || m.StopReason != c.stop || m.Err != nil || m.Damaged {
				t.Errorf("stop %q, error %v, damaged %t, content %s", m.StopReason, m.Err, m.Damaged, d)
			}
			if m.API != anthropic.API || m.Provider != "fake" || m.Model != "m" {
				t.Errorf("the message is of %s/%s/%s", m.API, m.Provider, m.Model)
			}
		})
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakellm.Answer
		text   string
		stop   llm.StopReason
		kind   llm.ErrorKind
	}{
		"text":       {fakellm.Answer{Reasoning: "hm", Signature: "s", Text: mixed}, mixed, llm.StopEnd, ""},
		"length":     {fakellm.Answer{Text: "t", Finish: "max_tokens"}, "t", llm.StopLength, ""},
		"tool":       {fakellm.Answer{ToolCalls: []fakellm.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}}, "", llm.StopToolUse, ""},
		"no reason":  {fakellm.Answer{Text: "t", Finish: fakellm.NoFinish}, "t", llm.StopError, llm.ErrIncomplete},
		"error":      {fakellm.Raw(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "", llm.StopError, llm.ErrOverloaded},
		"no message": {fakellm.Raw(`{"type":"completion","completion":"t"}`), "", llm.StopError, llm.ErrMalformed},
		"cut":        {fakellm.Raw(`{"type":"message","role":"assistant","content":[{"type":"text","text":"t"}`), "", llm.StopError, llm.ErrMalformed},
		"a user":     {fakellm.Raw(`{"type":"message","role":"user","content":[{"type":"text","text":"t"}],"stop_reason":"end_turn"}`), "", llm.StopError, llm.ErrMalformed},
		"a page":     {fakellm.Raw(`<html></html>`), "", llm.StopError, llm.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, c.answer)
			m := final(ask(t, t.Context(), newProvider(t, anthropic.Config{}), model(srv), llm.Options{Whole: true}))
			if m.Text() != c.text || m.StopReason != c.stop || kind(m) != c.kind {
				t.Errorf("text %q, stop %q, error %v", m.Text(), m.StopReason, m.Err)
			}
			if body := string(srv.Requests()[0].Body); !strings.Contains(body, `"stream":false`) {
				t.Errorf("asked %s", body)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	m := one(t, stream(begin, beginText, hi, endBlock, stop("end_turn"), end))
	want := llm.Usage{Input: 10, Output: 5, CacheRead: 4, CacheWrite: 3, Total: 22}
	if m.Usage != want {
		t.Errorf("got %+v, want %+v", m.Usage, want)
	}
	// A later count stands above an earlier one, also of the input.
	m = one(t, stream(begin, `message_delta "delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":11,"cache_creation_input_tokens":-1,"cache_read_input_tokens":null,"output_tokens":6}`, end))
	want = llm.Usage{Input: 11, Output: 6, CacheRead: 4, CacheWrite: 3, Total: 24}
	if m.Usage != want {
		t.Errorf("got %+v, want %+v", m.Usage, want)
	}
}

// TestNotWhole cuts a good answer before each of its events: nothing but the
// whole of it is an answer.
func TestNotWhole(t *testing.T) {
	t.Parallel()
	events := []string{begin, beginText, hi, endBlock, stop("end_turn"), end}
	for n := range events {
		for _, last := range []string{"", "event: message_stop\n", "event: message_stop\ndata: {\"type\":\"message_"} {
			a := stream(events[:n]...)
			a.Raw[0] += last
			m := one(t, a)
			if kind(m) != llm.ErrIncomplete || m.StopReason != llm.StopError {
				t.Errorf("after %d events and %q: stop %q, error %v", n, last, m.StopReason, m.Err)
			}
		}
	}
	if m := one(t, stream(events...)); m.Err != nil {
		t.Error(m.Err)
	}
}

// TestEndings tells the ways apart in which an answer ends.
func TestEndings(t *testing.T) {
	t.Parallel()
	for reason, c := range map[string]struct {
		kind llm.ErrorKind
		says string
	}{
		"refusal":                       {llm.ErrRefusal, "refused"},
		"pause_turn":                    {llm.ErrIncomplete, "paused"},
		"model_context_window_exceeded": {llm.ErrContextLength, "too long"},
		"tired":                         {llm.ErrIncomplete, `"tired"`},
	} {
		m := one(t, stream(begin, beginText, hi, endBlock, stop(reason), end))
		if kind(m) != c.kind || !strings.Contains(m.Err.Message, c.says) || m.Text() != "hi" {
			t.Errorf("%s: %v", reason, m.Err)
		}
	}
	m := one(t, fakellm.Answer{Text: "I", Finish: "refusal", Refusal: "it is\nharmful"})
	if kind(m) != llm.ErrRefusal || !strings.Contains(m.Err.Message, "it is harmful") {
		t.Errorf("%v", m.Err)
	}
	// A reason to doubt the answer is not taken back by a later one.
	m = one(t, stream(begin, beginText, hi, endBlock, stop("refusal"), stop("end_turn"), end))
	if kind(m) != llm.ErrRefusal {
		t.Errorf("%v", m.Err)
	}
}

// TestHostile has streams that are not what the API promises. None is an
// answer.
func TestHostile(t *testing.T) {
	t.Parallel()
	tool := `content_block_start "index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}`
	for name, events := range map[string][]string{
		"no beginning":            {beginText, hi, endBlock, stop("end_turn"), end},
		"two answers":             {begin, beginText, hi, endBlock, begin, stop("end_turn"), end},
		"another role":            {`message_start "message":{"role":"user"}`, beginText, hi, endBlock, stop("end_turn"), end},
		"a delta without a block": {begin, hi, stop("end_turn"), end},
		"a delta of another":      {begin, beginText, strings.Replace(hi, "0", "1", 1), endBlock, stop("end_turn"), end},
		"a block in a block":      {begin, beginText, hi, strings.Replace(beginText, "0", "1", 1), endBlock, stop("end_turn"), end},
		"a block for another":     {begin, beginText, hi, strings.Replace(beginText, "0", "1", 1), strings.Replace(endBlock, "0", "1", 1), stop("end_turn"), end},
		"a block again":           {begin, beginText, hi, endBlock, beginText, hi, endBlock, stop("end_turn"), end},
		"a block after the end":   {begin, stop("end_turn"), beginText, hi, endBlock, end},
		"no end of a block":       {begin, beginText, hi, stop("end_turn"), end},
		"no reason":               {begin, beginText, hi, endBlock, end},
		"arguments as text":       {begin, beginText, `content_block_delta "index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}`, endBlock, stop("end_turn"), end},
		"text as arguments":       {begin, tool, hi, endBlock, stop("tool_use"), end},
		"a number as text":        {begin, beginText, `content_block_delta "index":0,"delta":{"type":"text_delta","text":1}`, endBlock, stop("end_turn"), end},
		"arguments that are none": {begin, tool, `content_block_delta "index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}`, endBlock, stop("tool_use"), end},
		"a negative index":        {begin, strings.Replace(beginText, "0", "-1", 1), stop("end_turn"), end},
		"no message":              {"message_start", beginText, hi, endBlock, stop("end_turn"), end},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, stream(events...))
			if k := kind(m); k != llm.ErrMalformed && k != llm.ErrIncomplete || m.StopReason != llm.StopError {
				t.Errorf("stop %q, error %v", m.StopReason, m.Err)
			}
			for _, b := range m.Content {
				if c, ok := b.(llm.ToolCall); ok && c.Arguments != nil && name != "text as arguments" {
					t.Errorf("a call is left: %+v", c)
				}
			}
		})
	}
}

// TestDamage has answers whose bytes are not what the model said.
func TestDamage(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]fakellm.Answer{
		"not UTF-8":      fakellm.Answer{Text: "ab", Chunk: 1}.Fail(fakellm.InvalidUTF8, 1),
		"split bytes":    {Text: "你好", SplitRunes: true, Chunk: 1},
		"half a letter":  stream(begin, beginText, `content_block_delta "index":0,"delta":{"type":"text_delta","text":"\ud83d"}`, endBlock, stop("end_turn"), end),
		"said two times": stream(begin, beginText, `content_block_delta "index":0,"delta":{"type":"text_delta","text":"a","text":"b"}`, endBlock, stop("end_turn"), end),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if m := one(t, a); !m.Damaged || m.Err != nil {
				t.Errorf("damaged %t, error %v", m.Damaged, m.Err)
			}
		})
	}
}

// A server must not be able to fill the memory.
func TestEndless(t *testing.T) {
	t.Parallel()
	piece := `content_block_delta "index":0,"delta":{"type":"text_delta","text":"` + strings.Repeat("x", 1<<20) + `"}`
	events := append([]string{begin, beginText}, slices.Repeat([]string{piece}, 17)...)
	m := one(t, stream(append(events, endBlock, stop("end_turn"), end)...))
	if kind(m) != llm.ErrMalformed || len(m.Text()) > 16<<20 {
		t.Errorf("%d bytes, error %v", len(m.Text()), m.Err)
	}
	m = one(t, fakellm.Raw(`data: {"type":"`, strings.Repeat("x", 17<<20)))
	if kind(m) != llm.ErrMalformed {
		t.Errorf("error %v", m.Err)
	}
}
