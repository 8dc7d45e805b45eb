package responses

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/internal/call"
)

// FuzzAnswer feeds events as they may come from a hostile server.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message"}}
{"type":"response.output_text.delta","item_id":"m","delta":"a\ud83d"}
{"type":"response.output_text.done","item_id":"m","text":"b"}
{"type":"response.output_item.done","item":{"id":"m","type":"message","content":[{"type":"refusal","refusal":"no"}]}}
{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":-1}}}`))
	f.Add([]byte(`{"type":"response.output_item.done","output_index":-1,"item":{"id":"r","type":"reasoning","summary":[{"text":"a"},{"text":"b"}],"encrypted_content":"x"}}
{"type":"response.output_item.done","output_index":2,"item":{"id":"c","type":"function_call","arguments":"{}"}}
{"type":"response.function_call_arguments.delta","output_index":3,"delta":"["}
{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`))
	f.Add([]byte("{\"type\":\"error\",\"message\":\"\xff\",\"code\":429}"))
	f.Add([]byte(`{"status":"completed","output":[{"id":"m","type":"message","phase":"commentary","content":[{"type":"output_text","text":"a"}]},{"id":"m","type":"message"}]}`))
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
			if failed := feed(newAnswer(b), in, whole); failed != nil {
				b.Fail(failed.Err)
			}
			if last != 1 {
				t.Fatalf("%d last events", last)
			}
		}
	})
}

func feed(a *answer, in []byte, whole bool) *call.Failure {
	if in = bytes.TrimSpace(in); whole {
		return a.Whole(in)
	}
	for line := range bytes.Lines(in) {
		if failed := a.Add(line); failed != nil {
			return failed
		}
	}
	if ended, _ := a.State(); !ended {
		return call.Incomplete()
	}
	return a.End()
}
