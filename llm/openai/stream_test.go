package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

const mixed = "Grüße, 你好 😀 \"x\" \\ \n\t</script> end"

func TestText(t *testing.T) {
	t.Parallel()
	usage := &fakellm.Usage{Prompt: 12, Completion: 3}
	for name, a := range map[string]fakellm.Answer{
		"one piece":         {},
		"pieces":            {Chunk: 2},
		"escapes":           {Chunk: 100, Escape: true},
		"escapes in halves": {Chunk: 1, Escape: true},
		"bytes":             {Chunk: 5, WireChunk: 1},
		"odd bytes":         {Chunk: 3, WireChunk: 7, Usage: usage},
		"CRLF":              {Chunk: 4, CRLF: true, WireChunk: 3},
		"comments":          {Chunk: 4, Comments: true},
		"blank lines":       {Chunk: 4, BlankLines: true, CRLF: true},
		"no DONE":           {NoDone: true},
		"usage, no DONE":    {NoDone: true, Usage: usage},
		"left open":         {NoDone: true, KeepOpen: true},
		"usage, left open":  {NoDone: true, KeepOpen: true, Usage: usage},
		"DONE, left open":   {KeepOpen: true},
		"whole":             {Whole: true, Usage: usage},
		"whole in bytes":    {Whole: true, WireChunk: 1},
		"mislabelled":       {Headers: map[string]string{"Content-Type": "application/json"}, Chunk: 3},
		"mislabelled whole": {Whole: true, Headers: map[string]string{"Content-Type": "text/event-stream"}},
		"byte order mark":   {Raw: []string{"\xef\xbb", "\xbfdata: " + chunk(mixed, "stop") + "\n\n"}},
		"no blank line":     {Raw: []string{"data: " + chunk(mixed, "") + "\n", "data: " + chunk("", "stop") + "\ndata: [DONE]\n"}},
		"no end of line":    {Raw: []string{"data:" + chunk(mixed, "stop")}},
		"many lines":        {Raw: []string{"event: x\nid: 1\ndata: {\"choices\":\n", "data: " + strings.TrimPrefix(chunk(mixed, "stop"), `{"choices":`) + "\n\n"}},
		"empty reasons":     {Raw: []string{"data: " + strings.Replace(chunk(mixed, ""), "null", `""`, 1) + "\n\ndata: " + chunk("", "stop") + "\n\n"}},
		"nulls":             {Raw: []string{"data: {\"error\":null,\"usage\":null,\"choices\":[{\"delta\":{\"content\":null,\"tool_calls\":null,\"refusal\":null}}]}\n\ndata: " + chunk(mixed, "stop") + "\n\n"}},
		"other choices":     {Raw: []string{"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"},\"finish_reason\":\"stop\"}]}\n\ndata: " + chunk(mixed, "stop") + "\n\n"}},
		"reset at the end":  {NoDone: true, Fault: fakellm.Cut, After: 99, Raw: []string{"data: " + chunk(mixed, "stop") + "\n\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.Text = mixed
			m := one(t, a)
			if m.Err != nil || m.StopReason != llm.StopEnd || m.Text() != mixed || m.Damaged {
				t.Errorf("stop %q, damaged %t, error %v, text %q", m.StopReason, m.Damaged, m.Err, m.Text())
			}
			if a.Usage != nil && (m.Usage.Input != 12 || m.Usage.Output != 3 || m.Usage.Total != 15) {
				t.Errorf("usage %+v", m.Usage)
			}
		})
	}
}

// chunk is one piece of a stream; finish "" is none.
func chunk(text, finish string) string {
	f := "null"
	if finish != "" {
		f = `"` + finish + `"`
	}
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	return `{"choices":[{"index":0,"delta":{"content":"` + r.Replace(text) + `"},"finish_reason":` + f + `}]}`
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakellm.Answer
		stop   llm.StopReason
		kind   llm.ErrorKind
		text   string
	}{
		"stop":             {fakellm.Answer{Text: "ab"}, llm.StopEnd, "", "ab"},
		"length":           {fakellm.Answer{Text: "ab", Finish: "length"}, llm.StopLength, "", "ab"},
		"filter":           {fakellm.Answer{Text: "ab", Finish: "content_filter"}, llm.StopError, llm.ErrContentFilter, "ab"},
		"refusal":          {fakellm.Answer{Refusal: "I will not.", Chunk: 3}, llm.StopError, llm.ErrRefusal, ""},
		"unknown":          {fakellm.Answer{Text: "ab", Finish: "bored"}, llm.StopError, llm.ErrIncomplete, "ab"},
		"no reason":        {fakellm.Answer{Text: "ab", Finish: fakellm.NoFinish}, llm.StopError, llm.ErrIncomplete, "ab"},
		"bare end":         {fakellm.Answer{Text: "ab", Finish: fakellm.NoFinish, NoDone: true}, llm.StopError, llm.ErrIncomplete, "ab"},
		"empty":            {fakellm.Raw(""), llm.StopError, llm.ErrIncomplete, ""},
		"whole, no reason": {fakellm.Answer{Text: "ab", Whole: true, Finish: fakellm.NoFinish}, llm.StopError, llm.ErrIncomplete, "ab"},
		"whole, cut":       {fakellm.Raw(`{"choices":[{"message":{"content":"ab"},`), llm.StopError, llm.ErrMalformed, ""},
		"cut":              {fakellm.Answer{Text: "abcd", Chunk: 1}.Fail(fakellm.Cut, 2), llm.StopError, llm.ErrNetwork, "ab"},
		"cut in a line":    {fakellm.Answer{Raw: []string{"data: " + chunk("ab", "") + "\n\ndata: {\"choi"}}, llm.StopError, llm.ErrIncomplete, "ab"},
		"malformed":        {fakellm.Answer{Text: "abcd", Chunk: 1}.Fail(fakellm.Malformed, 2), llm.StopError, llm.ErrMalformed, "ab"},
		"no JSON":          {fakellm.Answer{Text: "abcd", Chunk: 1}.Fail(fakellm.InvalidJSON, 2), llm.StopError, llm.ErrMalformed, "ab"},
		"wrong type":       {fakellm.Raw("data: {\"choices\":[{\"delta\":{\"content\":{\"a\":1}}}]}\n\n"), llm.StopError, llm.ErrMalformed, ""},
		"choices a string": {fakellm.Raw("data: {\"choices\":\"x\"}\n\n"), llm.StopError, llm.ErrMalformed, ""},
		"error":            {fakellm.Answer{Text: "abcd", Chunk: 1}.Fail(fakellm.StreamError, 2), llm.StopError, llm.ErrOverloaded, "ab"},
		"error as text":    {fakellm.Raw("data: {\"error\":\"context length exceeded: maximum context length is 10\"}\n\n"), llm.StopError, llm.ErrContextLength, ""},
		"error with code":  {fakellm.Raw("data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n"), llm.StopError, llm.ErrRateLimit, ""},
		"error, old vLLM":  {fakellm.Raw("data: {\"object\":\"error\",\"message\":\"bad\",\"code\":400}\n\n"), llm.StopError, llm.ErrInvalid, ""},
		"error, llama.cpp": {fakellm.Raw("error: {\"code\":500,\"message\":\"bad\"}\n\n"), llm.StopError, llm.ErrOverloaded, ""},
		"web page":         {fakellm.Answer{Raw: []string{"<!doctype html><title>Hi</title>"}}, llm.StopError, llm.ErrMalformed, ""},
		"reset":            {fakellm.Text("x").Fail(fakellm.Reset, 0), llm.StopError, llm.ErrNetwork, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, c.answer)
			var kind llm.ErrorKind
			if m.Err != nil {
				kind = m.Err.Kind
				if m.Err.Message == "" {
					t.Error("the error has no message")
				}
			}
			if m.StopReason != c.stop || kind != c.kind || m.Text() != c.text {
				t.Errorf("stop %q, error %v (%s), text %q", m.StopReason, m.Err, kind, m.Text())
			}
		})
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakellm.Answer
		text   string
	}{
		"bytes":           {fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.InvalidUTF8, 1), "a\uFFFD\uFFFDbc"},
		"split character": {fakellm.Answer{Text: "你", Chunk: 2, SplitRunes: true}, ""},
		"half escape":     {fakellm.Raw("data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d\"},\"finish_reason\":\"stop\"}]}\n\n"), "a\uFFFD"},
		"wrong halves":    {fakellm.Raw("data: {\"choices\":[{\"delta\":{\"content\":\"\\ude00\\ud83dx\\\"\"},\"finish_reason\":\"stop\"}]}\n\n"), "\uFFFD\uFFFDx\""},
		"whole":           {fakellm.Raw("{\"choices\":[{\"message\":{\"content\":\"a\xff\"},\"finish_reason\":\"stop\"}]}"), "a\uFFFD"},
		"cut character":   {fakellm.Raw("data: " + chunk("a", "stop") + "\n\n: \xe4\xbd"), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, c.answer)
			if !m.Damaged || m.Err != nil {
				t.Errorf("damaged %t, error %v", m.Damaged, m.Err)
			}
			if got := m.Text(); (c.text != "" && got != c.text) || strings.ToValidUTF8(got, "") != got {
				t.Errorf("text %q, want %q", got, c.text)
			}
		})
	}
}

func TestReasoning(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"reasoning", "reasoning_content", "both"} {
		srv := fakellm.New(t, fakellm.Answer{Reasoning: "嗯, {\"type\":\"cmd\"}", ReasoningField: field, Text: "ok", Chunk: 3,
			Usage: &fakellm.Usage{Prompt: 100, Cached: 40, Completion: 20, Reasoning: 15}})
		m := final(ask(t, t.Context(), newProvider(t, openai.Config{}), model(srv), llm.Options{}))
		want := []llm.Block{llm.Thinking{Thinking: "嗯, {\"type\":\"cmd\"}"}, llm.Text{Text: "ok"}}
		if d := cmp.Diff(want, m.Content); d != "" || m.Text() != "ok" {
			t.Errorf("%s: %s", field, d)
		}
		if u := m.Usage; u.Input != 60 || u.CacheRead != 40 || u.Output != 20 || u.Total != 120 {
			t.Errorf("usage %+v", u)
		}
	}
}

func TestUsageForms(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]llm.Usage{
		`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_cache_hit_tokens":4}`:                                   {Input: 6, CacheRead: 4, Output: 2, Total: 12},
		`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":17,"completion_tokens_details":{"reasoning_tokens":5}}`:            {Input: 10, Output: 7, Total: 17},
		`{"prompt_tokens":1,"prompt_tokens_details":null,"completion_tokens_details":{"reasoning_tokens":null},"queue_time":1.25e1}`: {Input: 1, Total: 1},
		`{"prompt_tokens":"many"}`: {},
	} {
		m := one(t, fakellm.Raw("data: "+chunk("a", "stop")+"\n\ndata: {\"choices\":[],\"usage\":"+raw+"}\n\ndata: [DONE]\n\n"))
		if d := cmp.Diff(want, m.Usage); d != "" || m.Err != nil {
			t.Errorf("%s: %s %v", raw, d, m.Err)
		}
	}
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	two := []llm.Block{
		llm.ToolCall{ID: "a", Name: "f", Arguments: []byte(`{"x":"你好"}`)},
		llm.ToolCall{ID: "b", Name: "g", Arguments: []byte(`{}`)},
	}
	line := func(s string) string { return `data: {"choices":[{"delta":{"tool_calls":[` + s + `]}}]}` + "\n\n" }
	end := "data: " + chunk("", "stop") + "\n\n"
	for name, c := range map[string]struct {
		answer fakellm.Answer
		want   []llm.Block
	}{
		"streamed": {fakellm.Answer{Chunk: 4, ToolCalls: []fakellm.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":"你好"}`}, {ID: "b", Name: "g"}}}, two},
		"whole":    {fakellm.Answer{Whole: true, ToolCalls: []fakellm.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":"你好"}`}, {ID: "b", Name: "g"}}}, two},
		"mixed": {fakellm.Raw(line(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}},{"index":1,"id":"b","function":{"name":"g"}}`),
			line(`{"index":1,"function":{"arguments":"{}"}},{"index":0,"function":{"arguments":"\"你好\"}"}}`), end), two},
		"one index":  {fakellm.Raw(line(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"你好\"}"}}`), line(`{"index":0,"id":"b","function":{"name":"g","arguments":""}}`), end), two},
		"no index":   {fakellm.Raw(line(`{"id":"a","function":{"name":"f","arguments":"{\"x\":"}}`), line(`{"function":{"arguments":"\"你好\"}"}}`), line(`{"id":"b","function":{"name":"g","arguments":{}}}`), end), two},
		"old":        {fakellm.Raw(`data: {"choices":[{"delta":{"function_call":{"name":"f","arguments":"{"}}}]}`+"\n\n", `data: {"choices":[{"delta":{"function_call":{"arguments":"}"}},"finish_reason":"function_call"}]}`+"\n\n"), []llm.Block{llm.ToolCall{Name: "f", Arguments: []byte(`{}`)}}},
		"after text": {fakellm.Answer{Text: "look", ToolCalls: []fakellm.ToolCall{{ID: "b", Name: "g"}}}, []llm.Block{llm.Text{Text: "look"}, two[1]}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := one(t, c.answer)
			if d := cmp.Diff(c.want, m.Content); d != "" || m.StopReason != llm.StopToolUse || m.Err != nil {
				t.Errorf("stop %q, error %v: %s", m.StopReason, m.Err, d)
			}
		})
	}
	for name, a := range map[string]fakellm.Answer{
		"broken arguments": {ToolCalls: []fakellm.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":`}}},
		"cut by length":    {Finish: "length", ToolCalls: []fakellm.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":1}`}}},
	} {
		m := one(t, a)
		if c, ok := m.Content[0].(llm.ToolCall); !ok || c.Arguments != nil || m.StopReason == llm.StopToolUse {
			t.Errorf("%s: stop %q, call %+v", name, m.StopReason, m.Content[0])
		}
	}
}

// TestAtOnce holds the server back after each piece: an event that needs more
// than the bytes of its piece would never come.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	step := make(chan struct{}, 1)
	srv := fakellm.New(t, fakellm.Answer{Text: "abcdef", Chunk: 1, Step: step})
	step <- struct{}{}
	n := 0
	for ev := range newProvider(t, openai.Config{}).Stream(t.Context(), model(srv), hello, llm.Options{}) {
		if ev.Type == llm.EventTextDelta {
			n++
			if n < 6 {
				step <- struct{}{}
			}
		}
		if ev.Message.Err != nil {
			t.Fatal(ev.Message.Err)
		}
	}
	if n != 6 {
		t.Errorf("%d deltas", n)
	}
}
