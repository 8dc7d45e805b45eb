package offline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
	"github.com/holic512/plugin-ai/protocol"
)

// TestSummary folds real conversations again and again.
func TestSummary(t *testing.T) {
	t.Parallel()
	m, err := contextmgr.New(contextmgr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	say := func(question string) {
		m.Ask(question, "")
		m.Answer(protocol.Reply{Type: protocol.KindChat, Message: "answer"})
	}
	fold := func() {
		t.Helper()
		c, ok := m.Compaction("", true)
		if !ok {
			t.Fatal("there is nothing to fold")
		}
		options := llm.Options{Format: &llm.AnswerFormat{Name: "summary"}}
		answer := llm.Complete(t.Context(), offline.New(offline.Config{}), llm.Model{}, c.Request, options)
		s, err := protocol.DecodeSummary([]byte(answer.Text()), protocol.Options{})
		if err != nil {
			t.Fatalf("%v: %s", err, answer.Text())
		}
		if err := m.Fold(c, s); err != nil {
			t.Fatal(err)
		}
	}
	say("My name is Wei.")
	say("which files are the largest?")
	say("记住端口是 7117")
	say("my files?")
	fold()
	want := "Asked before: which files are the largest?\nKey facts:\n- My name is Wei.\n- 记住端口是 7117"
	if diff := cmp.Diff(strings.Replace(want, "Asked before: ", "之前问过：", 1), m.State().Summary); diff != "" {
		t.Error(diff)
	}
	say("what changed?")
	fold()
	if diff := cmp.Diff(strings.Replace(want, "largest?", "largest?; my files?", 1), m.State().Summary); diff != "" {
		t.Error(diff)
	}
	for i := range 200 {
		say(fmt.Sprintf("what is in the file number %d?", i))
	}
	fold()
	if s := m.State().Summary; !strings.Contains(s, "Wei") || !strings.Contains(s, "number 197") || len(s) > 3000 {
		t.Errorf("the summary is %s", s)
	}
}

// TestSummaryOfNothing: a request that is none gets an answer all the same.
func TestSummaryOfNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", "[1]", `{"conversation":"x"}`, `{"conversation":[{"role":"user","content":{"a":1}}]}`} {
		options := llm.Options{Format: &llm.AnswerFormat{Name: "summary"}}
		answer := llm.Complete(t.Context(), offline.New(offline.Config{}), llm.Model{}, llm.Context{Messages: []llm.Message{llm.UserText(text)}}, options)
		if _, err := protocol.DecodeSummary([]byte(answer.Text()), protocol.Options{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
