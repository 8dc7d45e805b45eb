package llm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/llm"
)

func TestMessageJSON(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]llm.Message{
		"user":  {Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "你好\n"}, llm.Image{Data: []byte{0, 255}, MIMEType: "image/png"}, llm.Image{URL: "https://example.com/a.png"}}, Timestamp: 5},
		"empty": llm.UserText(""),
		"tool":  {Role: llm.RoleToolResult, ToolCallID: "1", ToolName: "f", IsError: true, Content: []llm.Block{llm.Text{Text: "x"}}},
		"assistant": {
			Role: llm.RoleAssistant, API: "a", Provider: "p", Model: "m", StopReason: llm.StopToolUse, Enforced: llm.EnforceObject, Damaged: true,
			Usage: llm.Usage{Input: 1, Output: 2, Cost: llm.Cost{Total: 0.5}},
			Content: []llm.Block{
				llm.Thinking{Thinking: "hm", Signature: "s"}, llm.Thinking{Signature: "r", Redacted: true}, llm.Text{Text: "t"},
				llm.ToolCall{ID: "1", Name: "f", Arguments: []byte(`{"a":1}`), Signature: "s2"}, llm.ToolCall{ID: "2", Name: "g"},
			},
		},
		"error": {Role: llm.RoleAssistant, StopReason: llm.StopError, Err: &llm.Error{Kind: llm.ErrRateLimit, Status: 429, Message: "wait", RetryAfter: 1500 * time.Millisecond}},
	} {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var back llm.Message
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%s: %v in %s", name, err, b)
		}
		if d := cmp.Diff(m, back); d != "" {
			t.Errorf("%s: %s from %s", name, d, b)
		}
	}
}

func TestMessageJSONRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"role":"system","content":[]}`:                  "role",
		`{"role":"user","content":[{"type":"video"}]}`:    `"video"`,
		`{"role":"user","content":[{"type":"text"}]}`:     `"text"`,
		`{"role":"user","role":"assistant","content":[]}`: "duplicate",
		`{"role":"user"`: "EOF",
	} {
		var m llm.Message
		if err := json.Unmarshal([]byte(text), &m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
