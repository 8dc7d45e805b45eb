package openai

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/llm"
)

// FuzzAnswer feeds chunks as they may come from a hostile server.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"choices":[{"delta":{"content":"a\ud83d"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":-1,"id":"x","function":{"name":"f","arguments":"{"}},{"function":{"arguments":{}}}]}}]}`))
	f.Add([]byte("{\"error\":{\"code\":429,\"message\":\"\xff\"}}\n{\"choices\":[{\"delta\":{\"reasoning\":\"\\ude00\",\"refusal\":\"no\"}}]}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		last := 0
		b := llm.NewBuilder(llm.Model{}, llm.Message{}, func(ev llm.Event) bool {
			if ev.Type == llm.EventDone || ev.Type == llm.EventError {
				last++
			}
			if !utf8.ValidString(ev.Delta) || !utf8.ValidString(ev.Content) {
				t.Fatalf("event %+v is no UTF-8", ev)
			}
			return true
		})
		a := &answer{b: b}
		for line := range bytes.Lines(in) {
			if failed := a.Add(line); failed != nil {
				b.Fail(failed.Err)
				break
			}
		}
		if failed := a.End(); failed != nil {
			b.Fail(failed.Err)
		}
		if last != 1 {
			t.Fatalf("%d last events", last)
		}
	})
}
