package openai

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

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
			if _, failed := a.add(line); failed != nil {
				b.Fail(failed.err)
				break
			}
		}
		if failed := a.end(); failed != nil {
			b.Fail(failed.err)
		}
		if last != 1 {
			t.Fatalf("%d last events", last)
		}
	})
}

func FuzzUTF8Check(f *testing.F) {
	f.Add([]byte("a你\xff😀"), 1)
	f.Add([]byte("😀\xf0\x9f"), 3)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		var c utf8Check
		for rest := in; len(rest) > 0; {
			n := min(max(size, 1), len(rest))
			c.write(rest[:n])
			rest = rest[n:]
		}
		c.end()
		if c.bad == utf8.Valid(in) {
			t.Fatalf("%q in pieces of %d: bad %t", in, size, c.bad)
		}
	})
}

// FuzzJoiner cuts a JSON string between any two of its characters or escapes.
func FuzzJoiner(f *testing.F) {
	f.Add("a\\ud83d\\ude00b", 1)
	f.Add("\\ud83dx\\n\\u4f60\\\"", 2)
	f.Fuzz(func(t *testing.T, inside string, pieces int) {
		raw := jsontext.Value(`"` + inside + `"`)
		if raw.Kind() != '"' || !raw.IsValid(lenient()) {
			t.Skip("no JSON string")
		}
		var whole joiner
		want, err := whole.text(raw)
		if err != nil {
			t.Fatal(err)
		}
		want += whole.flush()
		lone, err := jsontext.AppendUnquote(nil, raw)
		if err == nil && (string(lone) != want || whole.damaged) {
			t.Fatalf("%q, the decoder reads %q", want, lone)
		}
		if !utf8.ValidString(inside) {
			return
		}
		var parts joiner
		var got strings.Builder
		for rest := inside; rest != ""; {
			n := 0
			for range max(1, pieces%5) {
				if rest[n:] == "" {
					break
				}
				if rest[n] == '\\' {
					_, size := unescape([]byte(rest[n:]))
					n += size
				} else {
					_, size := utf8.DecodeRuneInString(rest[n:])
					n += size
				}
			}
			s, err := parts.text(jsontext.Value(`"` + rest[:n] + `"`))
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(s)
			rest = rest[n:]
		}
		got.WriteString(parts.flush())
		if got.String() != want || parts.damaged != whole.damaged {
			t.Fatalf("in pieces %q (damaged %t), whole %q (damaged %t)", got.String(), parts.damaged, want, whole.damaged)
		}
	})
}
