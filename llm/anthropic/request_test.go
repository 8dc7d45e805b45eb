package anthropic_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/anthropic"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "/", "/v1", "/v1/messages", "/v1/messages/"} {
		srv := fakellm.New(t, fakellm.Text("t"))
		m := model(srv)
		m.BaseURL = strings.TrimSuffix(srv.URL, "/v1") + path
		got := final(ask(t, t.Context(), newProvider(t, anthropic.Config{UserAgent: "ua"}), m, llm.Options{APIKey: " " + key + "\n", Headers: map[string]string{"anthropic-beta": "b"}}))
		if got.Err != nil {
			t.Fatalf("%s: %v", path, got.Err)
		}
		r := srv.Requests()[0]
		for name, want := range map[string]string{"X-Api-Key": key, "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "b", "Content-Type": "application/json", "User-Agent": "ua", "Authorization": ""} {
			if h := r.Header.Get(name); h != want {
				t.Errorf("%s is %q, want %q", name, h, want)
			}
		}
		if r.Path != "/v1/messages" {
			t.Errorf("%s became %s", path, r.Path)
		}
	}
	srv := fakellm.New(t, fakellm.Text("t"))
	ask(t, t.Context(), newProvider(t, anthropic.Config{}), model(srv), llm.Options{})
	if _, there := srv.Requests()[0].Header[http.CanonicalHeaderKey("x-api-key")]; there {
		t.Error("an empty key is sent")
	}
}

// body is the request that would be sent, in a canonical form.
func body(t *testing.T, m llm.Model, c llm.Context, o llm.Options) string {
	t.Helper()
	b, err := anthropic.New(anthropic.Config{}).Request(m, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return canonical(t, string(b))
}

func canonical(t *testing.T, s string) string {
	t.Helper()
	v := jsontext.Value(s)
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return string(v)
}

func TestRequest(t *testing.T) {
	t.Parallel()
	m := llm.Model{ID: "claude-sonnet-4-5", Provider: "anthropic"}
	temperature := 0.5
	own := llm.Message{Role: llm.RoleAssistant, API: anthropic.API, Provider: "anthropic", Model: "claude-sonnet-4-5"}
	thought := []llm.Block{llm.Thinking{Thinking: "hm", Signature: "s"}, llm.Thinking{Thinking: "lost"}, llm.Thinking{Signature: "r", Redacted: true}, llm.Thinking{Signature: "o"}, llm.Text{Text: "t"}}
	another := own
	another.Model, another.Content = "claude-opus-4-5", thought
	own.Content = thought
	calls := llm.Message{Role: llm.RoleAssistant, Content: []llm.Block{llm.ToolCall{ID: "1", Name: "f", Arguments: []byte(`{"a":1}`)}, llm.ToolCall{ID: "2", Name: "f", Arguments: []byte(`{}`)}, llm.ToolCall{ID: "3", Name: "cut"}}}
	result := func(id, text string, failed bool) llm.Message {
		return llm.Message{Role: llm.RoleToolResult, ToolCallID: id, IsError: failed, Content: []llm.Block{llm.Text{Text: text}}}
	}
	user := func(blocks ...llm.Block) llm.Message { return llm.Message{Role: llm.RoleUser, Content: blocks} }
	for name, c := range map[string]struct {
		context llm.Context
		options llm.Options
		want    string // without model, stream and max_tokens
	}{
		"system and user": {hello, llm.Options{}, `{"system":[{"type":"text","text":"be short","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}`},
		"more system parts": {llm.Context{System: []string{"constant", " ", "facts"}, Messages: []llm.Message{llm.UserText("q")}}, llm.Options{Temperature: &temperature},
			`{"system":[{"type":"text","text":"constant","cache_control":{"type":"ephemeral"}},{"type":"text","text":"facts"}],"temperature":0.5,"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]}`},
		"one side twice": {llm.Context{Messages: []llm.Message{llm.UserText("a"), llm.UserText(" \n"), llm.UserText("b"), llm.AssistantText(""), llm.UserText("c")}}, llm.Options{},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]}]}`},
		"the model first": {llm.Context{Messages: []llm.Message{llm.AssistantText("a"), llm.UserText("b")}}, llm.Options{},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"(what was said before is left out)"}]},{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"b"}]}]}`},
		"own thoughts": {llm.Context{Messages: []llm.Message{llm.UserText("q"), own}}, llm.Options{},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"r"},{"type":"thinking","thinking":"","signature":"o"},{"type":"text","text":"t"}]}]}`},
		"another's thoughts": {llm.Context{Messages: []llm.Message{llm.UserText("q"), another}}, llm.Options{},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"assistant","content":[{"type":"text","text":"t"}]}]}`},
		"tools": {llm.Context{Messages: []llm.Message{llm.UserText("q"), calls, result("1", "一", false), result("2", "no", true), llm.UserText("go on")},
			Tools: []llm.ToolDefinition{{Name: "f", Description: "d", Parameters: []byte(`{"type":"object","properties":{}}`)}, {Name: "g"}}}, llm.Options{},
			`{"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}}},{"name":"g","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1}},{"type":"tool_use","id":"2","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"一"}]},{"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":"no"}]},{"type":"text","text":"go on"}]}]}`},
		"images": {llm.Context{Messages: []llm.Message{user(llm.Text{Text: "look"}, llm.Image{Data: []byte("abc"), MIMEType: "image/png"}, llm.Image{URL: "https://a.test/b.png"})}}, llm.Options{},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"YWJj"}},{"type":"image","source":{"type":"url","url":"https://a.test/b.png"}}]}]}`},
		"parameters": {llm.Context{Messages: []llm.Message{llm.UserText("q")}}, llm.Options{Temperature: &temperature, Params: map[string]jsontext.Value{"top_k": jsontext.Value("5"), "temperature": jsontext.Value("1")}},
			`{"top_k":5,"temperature":1,"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]}`},
		"not UTF-8": {llm.Context{Messages: []llm.Message{llm.UserText("a\xffb")}}, llm.Options{}, `{"messages":[{"role":"user","content":[{"type":"text","text":"a�b"}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := strings.Replace(c.want, "{", `{"model":"claude-sonnet-4-5","stream":true,"max_tokens":32000,`, 1)
			if d := cmp.Diff(canonical(t, want), body(t, m, c.context, c.options)); d != "" {
				t.Error(d)
			}
		})
	}
	long := m
	long.MaxTokens = 64000
	for most, want := range map[int]string{0: `"max_tokens":64000`, 7: `"max_tokens":7`} {
		if got := body(t, long, hello, llm.Options{MaxTokens: most}); !strings.Contains(got, want) {
			t.Errorf("%d: %s", most, got)
		}
	}
	if got := body(t, long, hello, llm.Options{Params: map[string]jsontext.Value{"max_tokens": jsontext.Value("9")}}); !strings.Contains(got, `"max_tokens":9,`) {
		t.Error(got)
	}
	blind := m
	blind.Input = []string{"text"}
	if got := body(t, blind, llm.Context{Messages: []llm.Message{user(llm.Image{Data: []byte("abc"), MIMEType: "image/png"})}}, llm.Options{}); !strings.Contains(got, "[an image (image/png, 3 bytes) is left out: this model takes text only]") {
		t.Error(got)
	}
}

func TestRequestRefuses(t *testing.T) {
	t.Parallel()
	p := anthropic.New(anthropic.Config{})
	for name, c := range map[string]struct {
		model   llm.Model
		context llm.Context
		options llm.Options
		says    string
	}{
		"own parameter": {llm.Model{}, hello, llm.Options{Params: map[string]jsontext.Value{"messages": jsontext.Value("[]")}}, `"messages"`},
		"a role":        {llm.Model{}, llm.Context{Messages: []llm.Message{{Role: "system"}}}, llm.Options{}, `"system"`},
		"a schema":      {llm.Model{}, hello, llm.Options{Format: &llm.AnswerFormat{Name: "n", Schema: []byte("{")}}, "not JSON"},
		"an address":    {llm.Model{BaseURL: "ftp://user:secret@a.test"}, hello, llm.Options{}, "http://"},
	} {
		if b, err := p.Request(c.model, c.context, c.options); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %s", name, err, b)
		}
		m := llm.Complete(t.Context(), p, c.model, c.context, c.options)
		if kind(m) != llm.ErrInvalid || !strings.Contains(m.Err.Message, c.says) {
			t.Errorf("%s: %v", name, m.Err)
		}
	}
}

// TestThinking has each level with models that count tokens, and with models
// that decide by themselves.
func TestThinking(t *testing.T) {
	t.Parallel()
	const older, newer = "claude-sonnet-4-5-20250929", "claude-opus-5-5"
	temperature := 0.5
	for name, c := range map[string]struct {
		model llm.Model
		level llm.Level
		most  int // of the answer
		want  string
	}{
		"nothing said":       {llm.Model{ID: older, Reasoning: true}, "", 0, `{"max_tokens":32000,"temperature":0.5}`},
		"does not think":     {llm.Model{ID: older}, llm.LevelHigh, 0, `{"max_tokens":32000,"temperature":0.5}`},
		"no level":           {llm.Model{ID: older, Reasoning: true}, "very", 0, `{"max_tokens":32000,"temperature":0.5}`},
		"off":                {llm.Model{ID: older, Reasoning: true}, llm.LevelOff, 0, `{"max_tokens":32000,"temperature":0.5,"thinking":{"type":"disabled"}}`},
		"minimal":            {llm.Model{ID: older, Reasoning: true}, llm.LevelMinimal, 0, `{"max_tokens":33024,"thinking":{"type":"enabled","budget_tokens":1024}}`},
		"low":                {llm.Model{ID: older, Reasoning: true}, llm.LevelLow, 0, `{"max_tokens":34048,"thinking":{"type":"enabled","budget_tokens":2048}}`},
		"medium":             {llm.Model{ID: older, Reasoning: true}, llm.LevelMedium, 0, `{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}`},
		"high":               {llm.Model{ID: older, Reasoning: true}, llm.LevelHigh, 0, `{"max_tokens":48384,"thinking":{"type":"enabled","budget_tokens":16384}}`},
		"xhigh":              {llm.Model{ID: older, Reasoning: true}, llm.LevelXHigh, 0, `{"max_tokens":48384,"thinking":{"type":"enabled","budget_tokens":16384}}`},
		"a small model":      {llm.Model{ID: older, Reasoning: true, MaxTokens: 8192}, llm.LevelHigh, 0, `{"max_tokens":8192,"thinking":{"type":"enabled","budget_tokens":7168}}`},
		"a tiny model":       {llm.Model{ID: older, Reasoning: true, MaxTokens: 2000}, llm.LevelHigh, 0, `{"max_tokens":2000,"temperature":0.5}`},
		"a large model":      {llm.Model{ID: older, Reasoning: true, MaxTokens: 64000}, llm.LevelHigh, 0, `{"max_tokens":64000,"thinking":{"type":"enabled","budget_tokens":16384}}`},
		"a short answer":     {llm.Model{ID: older, Reasoning: true}, llm.LevelLow, 500, `{"max_tokens":2548,"thinking":{"type":"enabled","budget_tokens":1524}}`},
		"no version":         {llm.Model{ID: "my-model", Reasoning: true}, llm.LevelLow, 0, `{"max_tokens":34048,"thinking":{"type":"enabled","budget_tokens":2048}}`},
		"decides, minimal":   {llm.Model{ID: newer, Reasoning: true}, llm.LevelMinimal, 0, `{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}`},
		"decides, medium":    {llm.Model{ID: newer, Reasoning: true}, llm.LevelMedium, 0, `{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}`},
		"decides, xhigh":     {llm.Model{ID: newer, Reasoning: true}, llm.LevelXHigh, 0, `{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"xhigh"}}`},
		"the first to do so": {llm.Model{ID: "claude-opus-4-6", Reasoning: true}, llm.LevelXHigh, 0, `{"max_tokens":32000,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}}`},
		"old order":          {llm.Model{ID: "claude-3-7-sonnet-20250219", Reasoning: true}, llm.LevelLow, 0, `{"max_tokens":34048,"thinking":{"type":"enabled","budget_tokens":2048}}`},
		"of a vendor":        {llm.Model{ID: "anthropic/claude-sonnet-4.6", Reasoning: true}, llm.LevelLow, 0, `{"max_tokens":32000,"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}}`},
		"only a major":       {llm.Model{ID: "claude-sonnet-5@20260630", Reasoning: true}, llm.LevelLow, 0, `{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := jsontext.Value(body(t, c.model, hello, llm.Options{Level: c.level, MaxTokens: c.most, Temperature: &temperature}))
			var all map[string]jsontext.Value
			if err := json.Unmarshal(got, &all); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"model", "stream", "system", "messages"} {
				delete(all, name)
			}
			b, err := json.Marshal(all, json.Deterministic(true))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(canonical(t, c.want), canonical(t, string(b))); d != "" {
				t.Error(d)
			}
		})
	}
	m := llm.Model{ID: newer, Reasoning: true}
	both := body(t, m, hello, llm.Options{Level: llm.LevelHigh, Format: format})
	if !strings.Contains(both, `"output_config":{"effort":"high","format":{"schema":{"type":"object"},"type":"json_schema"}}`) {
		t.Error(both)
	}
	if own := body(t, m, hello, llm.Options{Level: llm.LevelHigh, Params: map[string]jsontext.Value{"thinking": jsontext.Value(`{"type":"disabled"}`)}}); !strings.Contains(own, `"thinking":{"type":"disabled"}`) || strings.Contains(own, "effort") {
		t.Error(own)
	}
	// A tool that must be called and thinking do not go together.
	srv := fakellm.New(t, fakellm.Text("1")).Refuse("json_schema")
	ask(t, t.Context(), newProvider(t, anthropic.Config{}), llm.Model{ID: newer, Reasoning: true, BaseURL: srv.URL}, llm.Options{Level: llm.LevelHigh, Format: format})
	if second := string(srv.Requests()[1].Body); strings.Contains(second, "thinking") || strings.Contains(second, "effort") {
		t.Error(second)
	}
}
