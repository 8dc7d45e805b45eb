package contextmgr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/schemas"
)

// TestState is the object of the document, and its schema.
func TestState(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{MaxRecentMessages: 6})
	for i := range 6 {
		m.Ask(fmt.Sprintf("question %d", i), "")
		m.Answer(chat("a"))
	}
	fold(t, m, false, "a fact")
	m.Ask("what changed?", "")
	m.Commands(cmd("Looking.", "git", "status"), []protocol.Observation{ran(1, "clean\n", "git", "status")})
	b, err := json.Marshal(m.State())
	if err != nil {
		t.Fatal(err)
	}
	if text := string(b); strings.Contains(text, "what changed") {
		t.Errorf("the turn under way is in it: %s", text)
	}
	m.Answer(chat("Nothing."))
	if b, err = json.Marshal(m.State()); err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"summary":"We talked.\nKey facts:\n- a fact\nOpen tasks:\n- go on","recent":[{"role":"user","content":"question 5"},{"role":"assistant","content":"{\"type\":\"chat\",\"message\":\"a\"}"},{"role":"user","content":"what changed?"},{"role":"assistant","content":"{\"type\":\"cmd\",\"message\":\"Looking.\",\"ran\":[\"git status (cmd_001, exit 0)\"]}"},{"role":"assistant","content":"{\"type\":\"chat\",\"message\":\"Nothing.\"}"}],"toolDigest":[{"program":"git","args":["status"],"exitCode":0,"stdoutTail":"clean\n","stderrTail":""}]}`
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Error(diff)
	}
	for i := range 9 {
		m.Ask(fmt.Sprintf("more %d", i), "")
		m.Answer(chat("a"))
	}
	schema, err := schemas.Load("state")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*contextmgr.Manager{m, newManager(t, contextmgr.Config{})} {
		b, err := json.Marshal(m.State())
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(b, &value); err != nil {
			t.Fatal(err)
		}
		for _, v := range schema.Check(value) {
			t.Errorf("%s: %s", b, v)
		}
	}
}

// TestDigestIsBounded: of a long result a tail is kept, or its structure where
// that is all of it.
func TestDigestIsBounded(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{MaxDigestBytes: 600})
	m.Ask("list", "")
	parsed := ran(2, strings.Repeat("M  a.go\n", 200), "git", "status")
	parsed.Parsed = &protocol.Parsed{Kind: protocol.ParsedGitStatus, Total: 1, Items: nil}
	parsed.Parsed.Items = append(parsed.Parsed.Items, []byte(`{"path":"a.go"}`))
	m.Commands(cmd("why", "seq"), []protocol.Observation{ran(1, strings.Repeat("0123456789\n", 10000)+"the end\n", "seq"), parsed})
	m.Answer(chat("ok"))
	digests := m.State().Digest
	if len(digests) != 2 || len(digests[0].StdoutTail) > 600 || len(digests[0].StdoutTail) < 100 || !strings.HasSuffix(digests[0].StdoutTail, "the end\n") || digests[1].StdoutTail != "" {
		t.Errorf("the digests are %+v", digests)
	}
	m.Ask("next", "")
	w := window(t, m)
	if text := w.System[len(w.System)-1]; !strings.Contains(text, `"items":[{"path":"a.go"}]`) || !strings.Contains(text, "the end") {
		t.Errorf("the digest is %s", text)
	}
}

// TestRestore: a conversation that is put back is what it was.
func TestRestore(t *testing.T) {
	t.Parallel()
	first := newManager(t, contextmgr.Config{})
	var entries []contextmgr.Entry
	reply := func(r protocol.Reply) contextmgr.Entry { return contextmgr.Entry{Reply: &r} }
	for i := range 4 {
		question := fmt.Sprintf("question %d", i)
		first.Ask(question, "")
		entries = append(entries, contextmgr.Entry{Question: question})
		for j := range i {
			o := []protocol.Observation{ran(10*i+j, "out\n", "ls"), ran(10*i+j, "more\n", "pwd")}
			first.Commands(cmd("why", "ls"), o)
			entries = append(entries, reply(cmd("why", "ls")), contextmgr.Entry{Observation: &o[0]}, contextmgr.Entry{Observation: &o[1]})
		}
		if i < 3 {
			first.Answer(chat("answer"))
			entries = append(entries, reply(chat("answer")))
		}
	}
	second := newManager(t, contextmgr.Config{})
	second.Ask("gone", "")
	s := protocol.Summary{Text: "Earlier.", KeyFacts: []string{"a fact"}}
	second.Restore(s, entries)
	first.Ask("the turn under way", "")
	got, want := second.State(), first.State()
	want.Summary = "Earlier.\nKey facts:\n- a fact"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRestoreOfHalfATurn: what has lost its question or its reply is kept.
func TestRestoreOfHalfATurn(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{})
	o := ran(1, "out\n", "ls")
	answer := chat("late")
	m.Restore(protocol.Summary{}, []contextmgr.Entry{{Observation: &o}, {Reply: &answer}, {Question: "next"}, {Observation: &o}})
	state := m.State()
	var got []string
	for _, line := range state.Recent {
		got = append(got, string(line.Role)+": "+line.Content)
	}
	want := []string{
		"user: (what was asked here is not kept)",
		`assistant: {"type":"cmd","message":"","ran":["ls (cmd_001, exit 0)"]}`,
		`assistant: {"type":"chat","message":"late"}`,
		"user: next",
		`assistant: {"type":"cmd","message":"","ran":["ls (cmd_001, exit 0)"]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
