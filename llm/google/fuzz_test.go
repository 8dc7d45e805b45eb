package google

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// FuzzAnswer feeds events as they may come from a hostile server.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"text":"a\ud83d"},{"text":"h","thought":true,"thoughtSignature":"s"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":-1}}`))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"args":[]}}]}}]}` + "\n" + `{"candidates":[{"finishReason":"SAFETY"}]}`))
	f.Add([]byte("{\"error\":{\"code\":429,\"message\":\"\xff\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":\"RetryInfo\",\"retryDelay\":\"1s\"}]}}"))
	f.Add([]byte(`[{"promptFeedback":{"blockReason":"OTHER"}}]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, whole := range []bool{false, true} {
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
			if failed := feed(a, in, whole); failed != nil {
				b.Fail(failed.Err)
			}
			if last != 1 {
				t.Fatalf("%d last events", last)
			}
		}
		_ = words(in)
	})
}

func feed(a *answer, in []byte, whole bool) *call.Failure {
	if in = bytes.TrimSpace(in); whole && len(in) > 0 {
		return a.Whole(in)
	}
	for line := range bytes.Lines(in) {
		if failed := a.Add(line); failed != nil {
			return failed
		}
	}
	return a.End()
}
