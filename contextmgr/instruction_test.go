package contextmgr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

func TestInstructionFollowsTheLanguage(t *testing.T) {
	t.Parallel()
	plain := newManager(t, contextmgr.Config{})
	plain.Ask("hi", "")
	language := window(t, plain).System[0]
	m := newManager(t, contextmgr.Config{
		Instruction: "Be a pirate. The word is hunter2.", Facts: func() string { return "Folder: /p." },
		Mask: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
	})
	m.Ask("hi", "")
	if diff := cmp.Diff([]string{language, "Be a pirate. The word is ***.", "Folder: /p."}, window(t, m).System); diff != "" {
		t.Error(diff)
	}

	long := newManager(t, contextmgr.Config{Instruction: "first " + strings.Repeat("说明\n", 40_000) + " last"})
	long.Ask(strings.Repeat("question ", 40_000), "")
	w := window(t, long)
	if w.Bytes > contextmgr.DefaultMaxBytes {
		t.Errorf("%d bytes", w.Bytes)
	}
	if said := w.System[1]; !strings.HasPrefix(said, "first ") || !strings.HasSuffix(said, " last") || !strings.Contains(said, "bytes left out") {
		t.Errorf("the instruction is cut to %.40q…", said)
	}
	if input := w.Messages[0].Text(); len(input) < 10_000 {
		t.Errorf("the input has %d bytes left", len(input))
	}
}

func TestPicturesGoWithTheirQuestion(t *testing.T) {
	t.Parallel()
	old, now := llm.Image{URL: "https://example.com/old.png"}, llm.Image{Data: []byte{1}, MIMEType: "image/png"}
	m := newManager(t, contextmgr.Config{})
	reply := chat("a cat")
	m.Restore(protocol.Summary{}, []contextmgr.Entry{{Question: "what is this?", Images: []llm.Image{old}}, {Reply: &reply}, {Images: []llm.Image{old, now}}})
	m.Ask("", "")
	m.Attach(now)
	w := window(t, m)
	want := [][]llm.Block{
		{llm.Text{Text: "what is this?"}, old},
		{llm.Text{Text: `{"type":"chat","message":"a cat"}`}},
		{old, now},
		{now},
	}
	var got [][]llm.Block
	for _, message := range w.Messages {
		got = append(got, message.Content)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongMessagesOfEarlierTurns(t *testing.T) {
	t.Parallel()
	m := newManager(t, contextmgr.Config{MaxMessageBytes: 12 << 10, MaxRecentMessages: 1 << 20})
	text := func(name string) string { return name + strings.Repeat(" 字\"", 1500) + " end of " + name }
	for _, turn := range []string{"first", "second", "third"} {
		m.Ask(text(turn), "")
		m.Answer(chat(text("answer to " + turn)))
	}
	m.Ask("now", "")
	all := strings.Join(lines(window(t, m)), "\n")
	for _, whole := range []string{"end of third", "end of answer to third", "end of second"} {
		if !strings.Contains(all, whole) {
			t.Errorf("%q is cut", whole)
		}
	}
	// What does not fit in full is there in short.
	if !strings.Contains(all, "user: first 字") || strings.Contains(all, "end of first") {
		t.Error("the first turn is not shortened")
	}
	m.Ask("now", strings.Repeat("x ", 40<<10))
	if w := window(t, m); w.Bytes > contextmgr.DefaultMaxBytes {
		t.Errorf("%d bytes", w.Bytes)
	}
}
