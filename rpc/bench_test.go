package rpc_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/rpc"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// BenchmarkCommand is one command and its response.
func BenchmarkCommand(b *testing.B) {
	w := start(b, options{})
	for b.Loop() {
		w.client.send(`{"id":"s","type":"get_state"}`)
		w.client.await("response(get_state,True)")
		w.client.seen = nil
	}
}

// BenchmarkPrompt is a short answer with all its events.
func BenchmarkPrompt(b *testing.B) {
	w := start(b, options{recent: 1000}, fakellm.Answer{Text: fakellm.Chat("A short answer.").Text, Times: -1})
	events := 0
	for b.Loop() {
		w.client.send(promptLine)
		w.client.await(settled)
		events += len(w.client.seen)
		w.client.seen = nil
		if events%4096 == 0 {
			w.client.ask("n", `{"id":"n","type":"new_session"}`)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

type counting struct{ bytes, lines int }

func (c *counting) Write(p []byte) (int, error) {
	c.bytes += len(p)
	c.lines++
	return len(p), nil
}

// BenchmarkDelta is one more piece of an answer of 100 kB, in both forms.
func BenchmarkDelta(b *testing.B) {
	for _, delta := range []bool{false, true} {
		b.Run(fmt.Sprintf("only=%v", delta), func(b *testing.B) {
			out := &counting{}
			s := rpc.New(rpc.Config{Out: out, Models: &models{list: []llm.Model{{ID: "m"}}}, DeltaOnly: delta})
			piece := strings.Repeat("words ", 4)
			n := 0
			for b.Loop() {
				if n%(100_000/len(piece)) == 0 {
					s.Event(runner.Event{Type: runner.MessageStart, Role: llm.RoleAssistant})
				}
				n++
				s.Event(runner.Event{Type: runner.MessageUpdate, Role: llm.RoleAssistant, Kind: protocol.KindChat, Delta: piece})
			}
			b.ReportMetric(float64(out.bytes)/float64(b.N), "wire-B/op")
		})
	}
}

// BenchmarkLargeSession asks for the state of a session of 100 MB, and tells how
// much memory that takes.
func BenchmarkLargeSession(b *testing.B) {
	dir := b.TempDir()
	store := session.NewStore(session.Config{Dir: dir})
	s, err := store.Create(dir, "")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("All work and no play. ", 500)
	for range 100 {
		var drafts []session.Draft
		for range 50 {
			drafts = append(drafts, transcript.Question(text, ""), transcript.Reply(protocol.Reply{Type: protocol.KindChat, Message: text}, func(s string) string { return s }))
		}
		if _, err := s.Append(context.Background(), drafts...); err != nil {
			b.Fatal(err)
		}
	}
	path := s.Path()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	w := start(b, options{sessions: true, sessionDir: dir})
	w.client.ask("w", fmt.Sprintf(`{"id":"w","type":"switch_session","sessionPath":%q}`, path))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		w.client.ask("s", `{"id":"s","type":"get_state"}`)
		w.client.seen = nil
	}
	b.ReportMetric(float64(before.HeapAlloc)/(1<<20), "heap-MiB")
}
