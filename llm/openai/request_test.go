package openai_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
)

func body(t *testing.T, m llm.Model, c llm.Context, o llm.Options) string {
	t.Helper()
	p := newProvider(t, openai.Config{})
	b, err := p.Request(m, c, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if again, err := p.Request(m, c, o); err != nil || string(again) != string(b) {
			t.Fatalf("the second body is another: %s %v", again, err)
		}
	}
	return string(b)
}

func wantJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("%s\n%s", d, got)
	}
}

func TestRequestSmall(t *testing.T) {
	t.Parallel()
	got := body(t, llm.Model{ID: "m"}, llm.Context{System: []string{"a <b> & c", "你"}, Messages: []llm.Message{llm.UserText("hello")}}, llm.Options{APIKey: key})
	want := `{"messages":[{"content":"a <b> & c","role":"system"},{"content":"你","role":"system"},{"content":"hello","role":"user"}],"model":"m","stream_options":{"include_usage":true},"stream":true}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRequestAll(t *testing.T) {
	t.Parallel()
	zero := 0.0
	image := llm.Image{Data: []byte{1, 2}, MIMEType: "image/png"}
	c := llm.Context{
		Messages: []llm.Message{
			{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "see"}, image}},
			{Role: llm.RoleAssistant, Content: []llm.Block{llm.Thinking{Thinking: "hm"}, llm.Text{Text: "I "}, llm.Text{Text: "look"},
				llm.ToolCall{ID: "1", Name: "f", Arguments: []byte(`{"a": 1}`)}, llm.ToolCall{ID: "2", Name: "cut off"}}},
			{Role: llm.RoleToolResult, ToolCallID: "1", Content: []llm.Block{llm.Text{Text: "done"}, image}},
			{Role: llm.RoleAssistant, Content: []llm.Block{llm.Thinking{Thinking: "only"}}, StopReason: llm.StopError},
			llm.UserText("on"),
		},
		Tools: []llm.ToolDefinition{{Name: "f", Description: "does", Parameters: []byte(`{"type":"object","properties":{"z":{},"a":{}}}`)}, {Name: "g"}},
	}
	o := llm.Options{Temperature: &zero, MaxTokens: 7, Format: &llm.AnswerFormat{Name: "reply", Schema: []byte(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"null"}}}`)}}
	got := body(t, llm.Model{ID: "m", BaseURL: "http://localhost/v1"}, c, o)
	wantJSON(t, got, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0,"max_tokens":7,
		"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"null"}}}}},
		"tools":[{"type":"function","function":{"name":"f","description":"does","parameters":{"type":"object","properties":{"z":{},"a":{}}}}},{"type":"function","function":{"name":"g"}}],
		"messages":[
			{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQI="}}]},
			{"role":"assistant","content":"I look","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},
			{"role":"tool","tool_call_id":"1","content":"done"},
			{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AQI="}}]},
			{"role":"user","content":"on"}]}`)
	if !strings.Contains(got, `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"null"}}}`) {
		t.Errorf("the schema's order is lost, but answers follow it: %s", got)
	}
}

func TestRequestHosts(t *testing.T) {
	t.Parallel()
	o := llm.Options{Format: format}
	for base, want := range map[string]string{
		"":                             `"max_completion_tokens":9`,
		"https://api.openai.com/v1":    `"max_completion_tokens":9`,
		"http://localhost:1/v1":        `"max_tokens":9`,
		"https://openrouter.ai/api/v1": `"provider":{"require_parameters":true}`,
	} {
		if got := body(t, llm.Model{ID: "m", BaseURL: base, MaxTokens: 9}, hello, o); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", base, want, got)
		}
	}
}

func TestRequestRefuses(t *testing.T) {
	t.Parallel()
	p := newProvider(t, openai.Config{})
	for name, c := range map[string]struct {
		c llm.Context
		o llm.Options
	}{
		"role":       {c: llm.Context{Messages: []llm.Message{{Role: "robot"}}}},
		"parameters": {c: llm.Context{Tools: []llm.ToolDefinition{{Name: "f", Parameters: []byte(`{`)}}}},
		"schema":     {o: llm.Options{Format: &llm.AnswerFormat{Name: "n", Schema: []byte(`{`)}}},
	} {
		if _, err := p.Request(llm.Model{ID: "m"}, c.c, c.o); err == nil {
			t.Errorf("%s was taken", name)
		}
		var last *llm.Message
		for ev := range p.Stream(t.Context(), llm.Model{ID: "m"}, c.c, c.o) {
			last = ev.Message
		}
		if last.Err == nil || last.Err.Kind != llm.ErrInvalid {
			t.Errorf("%s: error %v", name, last.Err)
		}
	}
}

func TestImageForTextModel(t *testing.T) {
	t.Parallel()
	c := llm.Context{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Block{llm.Image{Data: []byte{1}, MIMEType: "image/png"}}}}}
	if got := body(t, llm.Model{ID: "m", Input: []string{"text"}}, c, llm.Options{}); strings.Contains(got, "base64") || !strings.Contains(got, "left out") {
		t.Error(got)
	}
}

// TestOnTheWire has what the server gets.
func TestOnTheWire(t *testing.T) {
	t.Parallel()
	for _, tail := range []string{"", "///", "/chat/completions", "?api-version=1"} {
		srv := fakellm.New(t, fakellm.Text("1"))
		m := model(srv)
		m.BaseURL += tail
		p := newProvider(t, openai.Config{UserAgent: "ai/1"})
		if last := final(ask(t, t.Context(), p, m, llm.Options{APIKey: " " + key + "\n", Headers: map[string]string{"X-Title": "t"}})); last.Err != nil {
			t.Fatal(last.Err)
		}
		r := srv.Requests()[0]
		h := r.Header
		if h.Get("Authorization") != "Bearer "+key || h.Get("X-Title") != "t" || h.Get("User-Agent") != "ai/1" || h.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", h)
		}
		for name := range h {
			if strings.HasPrefix(name, "X-Stainless") {
				t.Errorf("the header %s tells about this machine", name)
			}
		}
		want, err := p.Request(m, hello, llm.Options{})
		if err != nil || string(want) != string(r.Body) {
			t.Errorf("sent %s\nRequest gives %s %v", r.Body, want, err)
		}
	}
}

func TestRequestParams(t *testing.T) {
	t.Parallel()
	warm := 0.9
	o := llm.Options{Temperature: &warm, Whole: true, Params: map[string]jsontext.Value{
		"temperature": []byte("0.10"), "max_tokens": []byte("7"), "stop": []byte(`["a.b",null]`), "user.name": []byte(`"你 <x>"`),
	}}
	m := llm.Model{ID: "m", MaxTokens: 100, BaseURL: "https://api.openai.com/v1"}
	got := body(t, m, llm.Context{Messages: []llm.Message{llm.UserText("hi")}}, o)
	// They stand above what else was said, and their spelling stays.
	wantJSON(t, got, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false,
		"temperature":0.1,"max_tokens":7,"stop":["a.b",null],"user.name":"你 <x>"}`)
	if !strings.Contains(got, `"temperature":0.10`) {
		t.Errorf("the number is spelled anew: %s", got)
	}
	for _, own := range []string{"model", "messages", "stream", "response_format", "tools", "n", ""} {
		o.Params = map[string]jsontext.Value{own: []byte("1")}
		if b, err := newProvider(t, openai.Config{}).Request(m, hello, o); err == nil {
			t.Errorf("%q is overwritten: %s", own, b)
		}
	}
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("at once"))
	events := ask(t, t.Context(), newProvider(t, openai.Config{}), model(srv), llm.Options{Whole: true})
	last := events[len(events)-1]
	if last.Type != llm.EventDone || last.Message.Text() != "at once" {
		t.Errorf("%v %+v", last.Type, last.Message)
	}
	deltas := 0
	for _, ev := range events {
		if ev.Type == llm.EventTextDelta {
			deltas++
		}
	}
	if deltas != 1 {
		t.Errorf("%d deltas", deltas)
	}
	if b := string(srv.Requests()[0].Body); !strings.Contains(b, `"stream":false`) || strings.Contains(b, "stream_options") {
		t.Error(b)
	}
}

func TestImageByAddress(t *testing.T) {
	t.Parallel()
	c := llm.Context{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "what?"}, llm.Image{URL: "https://example.com/a.png"}}}}}
	got := body(t, llm.Model{ID: "m"}, c, llm.Options{})
	if !strings.Contains(got, `{"image_url":{"url":"https://example.com/a.png"},"type":"image_url"}`) {
		t.Error(got)
	}
}
