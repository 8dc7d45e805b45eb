package llm_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/llm"
)

func collect(build func(*llm.Builder)) []llm.Event {
	var events []llm.Event
	b := llm.NewBuilder(llm.Model{ID: "m", Provider: "p", Cost: llm.Cost{Input: 2, Output: 10}}, llm.Message{API: "a"}, func(ev llm.Event) bool {
		events = append(events, ev)
		return true
	})
	build(b)
	return events
}

func TestBuilderOrder(t *testing.T) {
	t.Parallel()
	events := collect(func(b *llm.Builder) {
		b.Thinking("h")
		b.Thinking("m")
		b.Signature("s")
		b.Text("你")
		b.ToolCall("0", "c1", "f", `{"a"`)
		b.ToolCall("1", "c2", "g", ``)
		b.ToolCall("0", "", "", `:1}`)
		b.EndToolCalls() //nolint:errcheck // both are valid
		b.Text("好")
		b.Usage(llm.Usage{Input: 1_000_000, Output: 100_000})
		b.Done(llm.StopToolUse)
		b.Done(llm.StopEnd)
		b.Fail(&llm.Error{Kind: llm.ErrNetwork})
		b.Text("late")
	})
	var got []string
	for _, ev := range events {
		got = append(got, fmt.Sprint(ev.Type, " ", ev.ContentIndex, " ", ev.Delta, ev.Content))
	}
	want := []string{
		"start 0 ", "thinking_start 0 ", "thinking_delta 0 h", "thinking_delta 0 m", "thinking_end 0 hm",
		"text_start 1 ", "text_delta 1 你", "text_end 1 你",
		`toolcall_start 2 `, `toolcall_delta 2 {"a"`, `toolcall_start 3 `, `toolcall_delta 2 :1}`, `toolcall_end 2 `, `toolcall_end 3 `,
		"text_start 4 ", "text_delta 4 好", "text_end 4 好", "done 0 ",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	last := events[len(events)-1].Message
	wantContent := []llm.Block{
		llm.Thinking{Thinking: "hm", Signature: "s"}, llm.Text{Text: "你"},
		llm.ToolCall{ID: "c1", Name: "f", Arguments: []byte(`{"a":1}`)}, llm.ToolCall{ID: "c2", Name: "g", Arguments: []byte(`{}`)},
		llm.Text{Text: "好"},
	}
	if d := cmp.Diff(wantContent, last.Content); d != "" {
		t.Error(d)
	}
	if last.StopReason != llm.StopToolUse || last.Usage.Cost.Total != 3 || last.Model != "m" || last.API != "a" || last.Role != llm.RoleAssistant {
		t.Errorf("last message %+v", last)
	}
}

// TestBuilderSnapshots keeps every snapshot and looks at it at the end, while
// another goroutine reads it and the builder goes on.
func TestBuilderSnapshots(t *testing.T) {
	t.Parallel()
	const n = 2000
	seen := make(chan *llm.Message, n*2)
	wrong := make(chan string, 1)
	go func() {
		defer close(wrong)
		for m := range seen {
			if s := m.Text(); strings.Trim(s, "x") != "" {
				wrong <- s
			}
		}
	}()
	var texts []*llm.Message
	b := llm.NewBuilder(llm.Model{}, llm.Message{}, func(ev llm.Event) bool {
		seen <- ev.Message
		if ev.Type == llm.EventTextDelta {
			texts = append(texts, ev.Message)
		}
		return true
	})
	for range n {
		b.Text("x")
	}
	b.Fail(&llm.Error{Kind: llm.ErrCancelled})
	close(seen)
	if s, bad := <-wrong; bad {
		t.Errorf("snapshot %q", s)
	}
	for i, m := range texts {
		if got := len(m.Text()); got != i+1 || m.StopReason != "" {
			t.Fatalf("snapshot %d has %d bytes, stop %q", i, got, m.StopReason)
		}
	}
}

func TestBuilderFail(t *testing.T) {
	t.Parallel()
	for kind, want := range map[llm.ErrorKind]llm.StopReason{llm.ErrNetwork: llm.StopError, llm.ErrCancelled: llm.StopAborted} {
		events := collect(func(b *llm.Builder) {
			b.Text("half")
			b.Fail(&llm.Error{Kind: kind, Message: "it broke"})
		})
		last := events[len(events)-1]
		if last.Type != llm.EventError || last.Message.StopReason != want || last.Message.Text() != "half" || last.Message.Err.Kind != kind {
			t.Errorf("%s ended with %+v", kind, last)
		}
	}
	events := collect(func(b *llm.Builder) { b.Fail(&llm.Error{Kind: llm.ErrNetwork}) })
	if len(events) != 2 || events[0].Type != llm.EventStart {
		t.Errorf("a failure at once gave %v", events)
	}
}

func TestBuilderBadToolCall(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{`{"a":`, `[1]`, `1`, `{} {}`, "{\"a\":\"\xff\"}"} {
		var err error
		events := collect(func(b *llm.Builder) {
			b.ToolCall("0", "id", "rm", arguments)
			_, err = b.EndToolCalls()
			if b.HasToolCalls() {
				t.Errorf("%s counts as complete", arguments)
			}
			b.Fail(&llm.Error{Kind: llm.ErrMalformed})
		})
		if err == nil {
			t.Errorf("%s was taken", arguments)
		}
		if slices.ContainsFunc(events, func(ev llm.Event) bool { return ev.Type == llm.EventToolCallEnd }) {
			t.Errorf("%s was given as complete", arguments)
		}
	}
}

// TestBuilderReaderLeaves stops the reader at each event in turn.
func TestBuilderReaderLeaves(t *testing.T) {
	t.Parallel()
	for stop := 1; stop < 12; stop++ {
		n := 0
		b := llm.NewBuilder(llm.Model{}, llm.Message{}, func(llm.Event) bool {
			if n++; n > stop {
				t.Fatalf("event %d after the reader left at %d", n, stop)
			}
			return n < stop
		})
		b.Thinking("a")
		b.Text("b")
		b.ToolCall("0", "", "f", "{}")
		b.EndToolCalls() //nolint:errcheck // valid
		b.Fail(&llm.Error{Err: errors.New("x")})
		if n != min(stop, 11) || !b.Ended() {
			t.Errorf("stop at %d: %d events, ended %t", stop, n, b.Ended())
		}
	}
}

func BenchmarkBuilder(b *testing.B) {
	delta := strings.Repeat("x", 64)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		s := llm.NewBuilder(llm.Model{}, llm.Message{}, func(ev llm.Event) bool {
			n += len(ev.Delta)
			return true
		})
		for range 1 << 14 {
			s.Text(delta)
		}
		s.Done(llm.StopEnd)
		if n != 1<<20 {
			b.Fatal(n)
		}
	}
}

// TestCallSignature: what a provider signs a call with stays with it.
func TestCallSignature(t *testing.T) {
	t.Parallel()
	events := collect(func(b *llm.Builder) {
		b.ToolCall("0", "c1", "f", `{"a":1}`)
		b.CallSignature("0", "signed")
		b.CallSignature("1", "of none")
		b.EndToolCalls() //nolint:errcheck // it is valid
		b.CallSignature("0", "late")
		b.Done(llm.StopToolUse)
	})
	want := llm.ToolCall{ID: "c1", Name: "f", Arguments: []byte(`{"a":1}`), Signature: "signed"}
	if d := cmp.Diff([]llm.Block{want}, events[len(events)-1].Message.Content); d != "" {
		t.Error(d)
	}
}

func TestBudgetGrows(t *testing.T) {
	t.Parallel()
	last := -1
	for _, l := range []llm.Level{llm.LevelOff, llm.LevelMinimal, llm.LevelLow, llm.LevelMedium, llm.LevelHigh} {
		if b := l.Budget(); b <= last {
			t.Errorf("%s: %d after %d", l, b, last)
		} else {
			last = b
		}
	}
}

func TestBuilderSealed(t *testing.T) {
	t.Parallel()
	events := collect(func(b *llm.Builder) {
		b.Thinking("hm")
		b.Sealed("r", true)
		b.Sealed("s", false)
		b.Text("t")
		b.Done(llm.StopEnd)
	})
	var got []string
	for _, ev := range events {
		got = append(got, fmt.Sprint(ev.Type, ev.ContentIndex))
	}
	want := []string{"start0", "thinking_start0", "thinking_delta0", "thinking_end0", "thinking_start1", "thinking_end1",
		"thinking_start2", "thinking_end2", "text_start3", "text_delta3", "text_end3", "done0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	content := []llm.Block{llm.Thinking{Thinking: "hm"}, llm.Thinking{Signature: "r", Redacted: true}, llm.Thinking{Signature: "s"}, llm.Text{Text: "t"}}
	if d := cmp.Diff(content, events[len(events)-1].Message.Content); d != "" {
		t.Error(d)
	}
}
