package protocol_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/schemas"
)

// A beginning that never comes to an object must not be read again and again:
// of millions of bytes in small pieces that would take minutes.
func TestDecoderReadsABeginningOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ first, piece string }{
		"spaces":       {"", strings.Repeat(" ", 16)},
		"a language":   {"```", strings.Repeat("j", 16)},
		"after a line": {"```\n", strings.Repeat("\n", 16)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d protocol.Decoder
			d.Feed(c.first)
			for range 1 << 18 {
				if shown := d.Feed(c.piece); shown != "" {
					t.Fatalf("%q is shown", shown)
				}
			}
			if _, err := d.Finish(protocol.Options{}); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// whole is what an answer may look like from which something runs.
var whole = regexp.MustCompile("(?s)^\ufeff?[ \t\r\n]*(?:```[ \t\r]*(?i:json)?[ \t\r]*\n[ \t\r\n]*(\\{.*\\})[ \t\r\n]*```|(\\{.*\\}))[ \t\r\n]*$")

// said reads a cmd from a text in another way than the decoder does: what is
// said in it to the letter, or false.
func said(text string) (data map[string]any, ok bool) {
	m := whole.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	object := jsontext.Value(m[1] + m[2])
	if !object.IsValid() { // UTF-8, no name twice, no half characters
		return nil, false
	}
	var tree map[string]any
	if json.Unmarshal(object, &tree) != nil || tree["type"] != "cmd" || len(tree) != 3 || strings.Contains(string(object), "\ufffd") {
		return nil, false
	}
	data, ok = tree["data"].(map[string]any)
	return data, ok
}

// FuzzExact: from no answer may anything run that was not said to the letter
// in one object, and what is shown depends neither on how the answer was cut
// nor differs from what the answer is.
func FuzzExact(f *testing.F) {
	for _, s := range []string{
		chat, cmd, every, "```json\n" + cmd + "\n```", "\ufeff \n```JSON \r\n" + cmd + "\r\n```\n", cmd + chat, "x" + cmd,
		`{"data":{"commands":[{"args":["a\u0000"],"program":"ls","requires":{"write":true}},{"tool":"exec","program":"\ud83d\ude00","args":["😀","\\\""]}]},"mess\u0061ge":"\ud83d\ude00\n","ty\u0070e":"c\u006dd"}`,
		`{"type":"cmd","message":"look","data":{"cwd":null,"commands":[{"tool":"exec","program":"git","args":["status"],"requires":null}],"expected_effect":null}}`,
		`{"type":"cmd","type":"chat","message":"m","data":{"commands":[{"program":"ls","program":"rm","args":[]}]}}`,
	} {
		f.Add(s, uint64(3))
	}
	f.Fuzz(func(t *testing.T, text string, cuts uint64) {
		var d, atOnce protocol.Decoder
		var shown strings.Builder
		for rest := text; rest != ""; cuts = cuts>>3 | cuts<<61 {
			k := min(int(cuts&7)+1, len(rest))
			shown.WriteString(d.Feed(rest[:k]))
			rest = rest[k:]
		}
		if once := atOnce.Feed(text); !strings.HasPrefix(once, shown.String()) && !strings.HasPrefix(shown.String(), once) {
			t.Fatalf("%q: in pieces %q is shown, at once %q", text, shown.String(), once)
		}
		for _, dialect := range []schemas.Dialect{schemas.Canonical, schemas.OpenAIStrict} {
			answer, err := d.Finish(protocol.Options{Dialect: dialect})
			if err != nil {
				continue
			}
			prose := strings.Contains(strings.Join(answer.Notes, "\n"), protocol.NoteProse)
			if m := answer.Reply.Message; !prose && m != shown.String() || !strings.HasPrefix(m, shown.String()) {
				t.Fatalf("%q: shown %q, the message is %q", text, shown.String(), m)
			}
			if answer.Reply.Cmd == nil {
				continue
			}
			data, ok := said(text)
			if !ok {
				t.Fatalf("%q is not exactly one cmd object, and is accepted", text)
			}
			list, _ := data["commands"].([]any)
			if len(list) != len(answer.Reply.Cmd.Steps) || len(list) == 0 {
				t.Fatalf("%q: %d commands became %d steps", text, len(list), len(answer.Reply.Cmd.Steps))
			}
			for i, step := range answer.Reply.Cmd.Steps {
				object, _ := list[i].(map[string]any)
				if step.Tool != protocol.ToolExec {
					continue
				}
				args, _ := object["args"].([]any)
				if object["program"] != step.Program || len(args) != len(step.Args) {
					t.Fatalf("%q: %v became %+v", text, object, step)
				}
				for j := range args {
					if args[j] != step.Args[j] || strings.Contains(step.Args[j], "\x00") {
						t.Fatalf("%q: argument %d became %q", text, j, step.Args[j])
					}
				}
			}
		}
	})
}
