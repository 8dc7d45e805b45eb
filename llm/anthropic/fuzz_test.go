package anthropic

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/llm"
)

// FuzzAnswer feeds events as they may come from a hostile server.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"type":"message_start","message":{"usage":{"input_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"\ud83d"}}
{"type":"content_block_stop","index":1}
{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
{"type":"message_stop"}`))
	f.Add([]byte(`{"type":"message_start","message":{}}
{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"reply","input":{"a":1}}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"f"}}
{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}
{"type":"content_block_stop","index":1}
{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
{"type":"message_stop"}`))
	f.Add([]byte("{\"type\":\"error\",\"error\":{\"message\":\"\xff\"}}"))
	f.Add([]byte(`{"type":"message","content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"t"}],"stop_reason":"refusal","stop_details":{"category":"c"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		run := func(feed func(*answer) error) {
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
			a := &answer{b: b, reply: "reply"}
			err := feed(a)
			done := b.Ended()
			if err != nil {
				b.Fail(&llm.Error{Kind: llm.ErrMalformed, Message: err.Error()})
			}
			if last != 1 {
				t.Fatalf("%d last events", last)
			}
			if reason := b.Message().StopReason; done && (a.open != nil || a.stop == "" || reason == llm.StopError) {
				t.Fatalf("a part of an answer ended with %q", reason)
			}
		}
		run(func(a *answer) error {
			for line := range bytes.Lines(in) {
				if f := a.Add(line); f != nil {
					return f.Err
				}
				if ended, _ := a.State(); ended {
					if f := a.End(); f != nil {
						return f.Err
					}
					return nil
				}
			}
			return llmIncomplete
		})
		run(func(a *answer) error {
			if f := a.Whole(in); f != nil {
				return f.Err
			}
			return nil
		})
	})
}

var llmIncomplete = &llm.Error{Kind: llm.ErrIncomplete, Message: "cut"}
