package contextmgr_test

import (
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/protocol"
)

// TestWordsMeanwhile holds the ceiling whatever is said and told, and keeps the
// order: what was told before the question, later words at the end.
func TestWordsMeanwhile(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 100, 20_000, 300_000} {
		m, err := contextmgr.New(contextmgr.Config{MaxBytes: 20 << 10})
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("中 words ", n/10+1)
		m.Ask("the question "+long, "")
		m.Tell("ran one "+long, "ran two")
		exact := func(last string) {
			w, err := m.Window()
			if err != nil {
				t.Fatal(err)
			}
			if w.Bytes > 20<<10 {
				t.Errorf("%d: %d bytes", n, w.Bytes)
			}
			var order []string
			for _, message := range w.Messages {
				order = append(order, message.Text()[:min(len(message.Text()), 12)])
			}
			if !strings.HasPrefix(order[0], "ran one") || order[1] != "ran two" || !strings.HasPrefix(order[len(order)-1], last) {
				t.Errorf("%d: %q", n, order)
			}
		}
		m.Say("first words " + long)
		exact("first")
		program := "ls"
		m.Commands(protocol.Reply{Type: protocol.KindCmd, Message: "why", Cmd: &protocol.Cmd{}}, []protocol.Observation{{ID: "cmd_001", Program: &program, StdoutTail: long}})
		m.Say("later words")
		exact("later")
		m.Abandon("it broke")
		if !m.Reopen() || m.Reopen() {
			t.Error("a turn is taken up again once")
		}
		exact("later")
		m.Answer(protocol.Reply{Type: protocol.KindChat, Message: "done"})
		if m.Reopen() || m.Empty() {
			t.Error("an answered turn is over")
		}
		m.Ask("next", "")
		w, err := m.Window()
		if err != nil || w.Bytes > 20<<10 {
			t.Error(w.Bytes, err)
		}
	}
}
