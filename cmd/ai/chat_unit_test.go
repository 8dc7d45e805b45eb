package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
)

func TestChatAsker(t *testing.T) {
	t.Parallel()
	const w, n, c, d, e = protocol.FactWrite, protocol.FactNetwork, protocol.FactCode, protocol.FactDestructive, protocol.FactElevated
	l1 := func(facts ...protocol.Fact) runner.Confirmation {
		return runner.Confirmation{Judgement: policy.Judgement{Level: protocol.Confirm, Facts: facts}}
	}
	with := func(q runner.Confirmation, change func(*runner.Confirmation)) runner.Confirmation {
		change(&q)
		return q
	}
	for _, tt := range []struct {
		name    string
		granted string
		q       runner.Confirmation
		yes     bool
		says    string
	}{
		{"nothing granted", "", l1(w), false, "--approve with write would allow it"},
		{"granted", "write", l1(w), true, ""},
		{"more than needed", "network,write", l1(w), true, ""},
		{"one of two", "write", l1(w, n), false, "--approve with network would allow it"},
		{"both", "write,network", l1(w, n), true, ""},
		{"code is more than writing", "write,network", l1(c), false, "--approve with code would allow it"},
		{"code can write", "code", l1(c), false, "--approve with write would allow it"},
		{"code and writing", "code,write", l1(c), true, ""},
		{"neither", "network", l1(c), false, "--approve with code,write would allow it"},
		{"a script without facts", "write", with(l1(), func(q *runner.Confirmation) { q.Step.Tool = protocol.ToolBashExec }), false, "--approve with code would allow it"},
		{"a script without facts, granted", "write,code", with(l1(), func(q *runner.Confirmation) { q.Step.Tool = protocol.ToolBashExec }), true, ""},
		{"destructive and write", "write", l1(d, w), false, "--approve with destructive would allow it"},
		{"several are missing", "code", l1(d, w), false, "--approve with destructive,write would allow it"},
		{"no facts", "write,network,code,destructive,secrets,unbounded", l1(), false, "no class"},
		{"more rights", "write", l1(w, e), false, "elevated"},
		{"refused for all", "write", with(l1(w), func(q *runner.Confirmation) { q.Judgement.Level = protocol.Block }), false, ""},
		{"a person's to look at", "write", with(l1(w), func(q *runner.Confirmation) { q.Person = true }), false, "only a person"},
		{"a screen", "write", with(l1(w), func(q *runner.Confirmation) { q.Screen = true }), false, "only a person"},
		{"without a sandbox from the start", "write", with(l1(w), func(q *runner.Confirmation) { q.Bare = true }), true, ""},
		{"again, wider", "write", with(l1(w), func(q *runner.Confirmation) { q.Again = true }), true, ""},
		{"again, without a sandbox", "write", with(l1(w), func(q *runner.Confirmation) { q.Again, q.Bare = true, true }), false, "only a person"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var names []string
			if tt.granted != "" {
				names = strings.Split(tt.granted, ",")
			}
			g, err := parseGrants(names)
			if err != nil {
				t.Fatal(err)
			}
			choice, err := chatAsker{granted: g}.Confirm(t.Context(), tt.q)
			if (choice == runner.Yes) != tt.yes || tt.yes && err != nil {
				t.Errorf("%v %v", choice, err)
			}
			if tt.says != "" && (!errors.Is(err, runner.ErrNobody) || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("it says %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if choice, err := (chatAsker{granted: grants{w}}).Confirm(ctx, l1(w)); choice == runner.Yes || err == nil {
		t.Error("a yes after the end")
	}
	for _, bad := range []string{"", "all", "Write", "elevated"} {
		if g, err := parseGrants([]string{bad}); err == nil {
			t.Errorf("%q: %v", bad, g)
		}
	}
}

// Cut into any pieces, a text is masked as it is in one.
func TestMaskedStream(t *testing.T) {
	t.Parallel()
	const key = "sk-test-0123456789abcdefghij"
	texts := []string{
		"", "short", "plain words, one after another, and so on until the line ends\nand another line\n",
		"the key is " + key + " and more words follow after it", key, key + key, "x" + key + "\n" + key,
		"Authorization: Bearer abcdef0123456789abcdef0123456789 and then\nmore",
		"password: Tr0ub4dor3x9 is what they chose, and the port is 8080, and the user is root",
		`{"api_key": "0f9e8d7c6b5a49382716", "name": "value", "other": [1, 2, 3]}` + strings.Repeat(` {"a": "b"}`, 20),
		"AWS_SECRET_ACCESS_KEY = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY and then some more text that goes on for a while",
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n-----END PRIVATE KEY-----\nand the words after it, which can be seen by all",
		"你好，世界。这是一个很长的回答，里面没有空格，所以要在汉字之间切开。密钥是" + key + "，请保密。后面还有很多很多的文字。",
		"postgres://admin:s3cr3tPassw0rd@db.example.com:5432/app?sslmode=disable is the address to use here",
		strings.Repeat("word ", 2000), strings.Repeat("没有空格", 500), strings.Repeat("x", 5000), strings.Repeat(" ", 500), "\xff\xfe broken \xff bytes " + key,
	}
	masker := mask.New(key)
	hide := func(s string) string { s, _ = masker.String(s); return s }
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range texts {
		want := hide(text)
		for range 200 {
			m := maskedStream{mask: hide}
			var shown strings.Builder
			longest := 0
			for rest := text; rest != ""; {
				n := min(len(rest), 1+rng.IntN(1+rng.IntN(60)))
				out := m.add(rest[:n])
				shown.WriteString(out)
				rest = rest[n:]
				longest = max(longest, len(m.held))
			}
			if got := shown.String(); got != m.shown || !strings.HasPrefix(want, got) {
				t.Fatalf("%.60q…: %q is not how %q begins", text, got, want)
			}
			if strings.HasPrefix(text, "word ") && longest > 200 || strings.HasPrefix(text, "没有") && longest > 200 {
				t.Fatalf("%.20q…: %d bytes are held back", text, longest)
			}
		}
	}
}

// A text without any place to part it costs no more the longer it is.
func BenchmarkMaskedStream(b *testing.B) {
	masker := mask.New("sk-test-0123456789abcdefghij")
	hide := func(s string) string { s, _ = masker.String(s); return s }
	for _, tt := range []struct{ name, piece string }{{"words", "word "}, {"one word", "xyz01"}, {"Chinese", "没有空"}} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(100_000 / 5 * int64(len(tt.piece)))
			for b.Loop() {
				m := maskedStream{mask: hide}
				for range 100_000 / 5 {
					m.add(tt.piece)
				}
			}
		})
	}
}

// FuzzChatHistory reads lines of other programs into a window: whatever they
// say, there is one, below its ceiling.
func FuzzChatHistory(f *testing.F) {
	for _, content := range []string{
		`"text"`, `{"type":"text","text":"a"}`, `[{"type":"image_url","image_url":{"url":"https://a/b.png"}},{"type":"text"}]`,
		`["a",7,null,{"type":"image_url","image_url":"x"},{"type":"audio"}]`, `{"stdout":"a","exitCode":0}`, `[]`, `{}`,
		`"{\"_event\":\"tool_result\",\"id\":\"cmd_999\",\"tool\":\"cmd\",\"args\":null,\"parsed\":{\"kind\":\"x\",\"items\":[1]}}"`,
		`"{\"_event\":\"tool_result\",\"id\":\"x\",\"verdict\":{\"level\":\"L9\"}}"`, `"\ud800 half"`,
	} {
		f.Add(content, "call_1", 3)
	}
	f.Fuzz(func(t *testing.T, content, id string, n int) {
		var entries []contextmgr.Entry
		for _, role := range []string{session.Tool, session.User, session.Assistant, session.Tool, session.Tool} {
			draft := session.Blocks(role, jsontext.Value(content)).With("tool_call_id", strings.ToValidUTF8(id, "?"))
			if n%2 == 1 {
				draft = draft.With("tool_calls", []int{n})
			}
			l, err := session.NewLine(draft, time.Unix(0, 0))
			if err != nil {
				return // no line of a session
			}
			c := contentOf(l)
			switch role {
			case session.User:
				entries = append(entries, contextmgr.Entry{Question: c.text + "?"})
			case session.Assistant:
				reply := replyOf(l, c.text)
				entries = append(entries, contextmgr.Entry{Reply: &reply})
			case session.Tool:
				o := observationOf(l, c.text)
				entries = append(entries, contextmgr.Entry{Observation: &o})
			}
			for _, image := range c.images {
				if !strings.Contains(image.url, "://") { // no files and no servers
					_, _ = readImage("data:"+image.url, "/", 100)
				}
			}
		}
		m, err := contextmgr.New(contextmgr.Config{MaxBytes: contextmgr.MinMaxBytes})
		if err != nil {
			t.Fatal(err)
		}
		m.Restore(protocol.Summary{}, entries)
		m.Ask("and now?", "")
		w, err := m.Window()
		if err != nil || w.Bytes > contextmgr.MinMaxBytes {
			t.Fatalf("%d bytes, %v", w.Bytes, err)
		}
	})
}
