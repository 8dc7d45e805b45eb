package replay_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/openai"
	"github.com/holic512/plugin-ai/llm/replay"
)

// speaker is a provider that says given pieces.
type speaker struct {
	pieces []string
	fail   *llm.Error
}

func (s speaker) API() string { return "speaker" }

func (s speaker) Request(llm.Model, llm.Context, llm.Options) ([]byte, error) { return nil, nil }

func (s speaker) Stream(_ context.Context, model llm.Model, _ llm.Context, _ llm.Options) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		b := llm.NewBuilder(model, llm.Message{}, yield)
		b.Start()
		b.Thinking("let me see")
		for _, p := range s.pieces {
			b.Text(p)
		}
		b.Usage(llm.Usage{Input: 3, Output: 4})
		b.Enforced(llm.EnforceObject)
		if s.fail != nil {
			b.Fail(s.fail)
			return
		}
		b.Done(llm.StopEnd)
	}
}

func hide(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }

func asked(text string) llm.Context {
	return llm.Context{System: []string{"be brief"}, Messages: []llm.Message{llm.UserText(text)}}
}

// deltas gives the pieces of an answer and its end.
func deltas(p llm.Provider, c llm.Context) (pieces []string, last *llm.Message) {
	for ev := range p.Stream(context.Background(), llm.Model{ID: "m"}, c, llm.Options{APIKey: "hunter2"}) {
		if ev.Type == llm.EventTextDelta {
			pieces = append(pieces, ev.Delta)
		}
		last = ev.Message
	}
	return pieces, last
}

func TestWhatWasRecordedPlaysBack(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	rec := replay.NewRecorder(speaker{pieces: []string{"he", "llo", " 世界"}}, &file, hide)
	deltas(rec, asked("hi"))
	failing := replay.NewRecorder(speaker{pieces: []string{"ha"}, fail: &llm.Error{Kind: llm.ErrOverloaded, Status: 503, Message: "busy, hunter2"}}, &file, hide)
	deltas(failing, asked("again"))
	if n := strings.Count(file.String(), "\n"); n != 2 {
		t.Fatalf("%d lines:\n%s", n, &file)
	}
	p, err := replay.New(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	pieces, last := deltas(p, asked("hi"))
	if diff := cmp.Diff([]string{"he", "llo", " 世界"}, pieces); diff != "" {
		t.Error(diff)
	}
	if last.StopReason != llm.StopEnd || last.Usage.Output != 4 || last.Enforced != llm.EnforceObject || last.Text() != "hello 世界" {
		t.Errorf("final message: %+v", last)
	}
	_, last = deltas(p, asked("again"))
	if last.Err == nil || last.Err.Kind != llm.ErrOverloaded || last.Err.Status != 503 {
		t.Errorf("the failure became %+v", last.Err)
	}
	if _, last = deltas(p, asked("more")); last.Err == nil || !strings.Contains(last.Err.Message, "call 3") {
		t.Errorf("beyond the end: %+v", last.Err)
	}
}

func TestSecretsAreNotWritten(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	rec := replay.NewRecorder(speaker{pieces: []string{"it is hun", "ter2, you know"}, fail: &llm.Error{Kind: llm.ErrInvalid, Message: "bad hunter2"}}, &file, hide)
	pieces, _ := deltas(rec, llm.Context{System: []string{"hunter2"}, Messages: []llm.Message{llm.UserText("is it hunter2?")}})
	if strings.Contains(file.String(), "hunter2") || strings.Contains(file.String(), "hun\"") {
		t.Errorf("the recording holds it: %s", &file)
	}
	if strings.Join(pieces, "") != "it is hunter2, you know" {
		t.Errorf("the reader got %q", pieces)
	}
}

func TestAnotherInputIsTold(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	deltas(replay.NewRecorder(speaker{}, &file, hide), asked("hi"))
	p, err := replay.New(&file)
	if err != nil {
		t.Fatal(err)
	}
	if _, last := deltas(p, asked("something else")); last.Err == nil || !strings.Contains(last.Err.Message, "call 1") || !strings.Contains(last.Err.Message, "something else") {
		t.Errorf("another input: %+v", last.Err)
	}
}

func TestBrokenRecordings(t *testing.T) {
	t.Parallel()
	for text, word := range map[string]string{
		"":                         "no call",
		"\n{\"call\":":             "line 2",
		`{"call":1}`:               "line 1",
		`{"call":1,"call":2}`:      "line 1",
		`[]`:                       "line 1",
		"{\"final\":\"\xff\xfe\"}": "line 1",
	} {
		if _, err := replay.New(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %q", text, err, word)
		}
	}
}

// full is a disk with no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestACallThatCannotBeWrittenFails(t *testing.T) {
	t.Parallel()
	rec := replay.NewRecorder(speaker{pieces: []string{"x"}}, full{}, hide)
	if _, last := deltas(rec, asked("hi")); last.Err == nil || !strings.Contains(last.Err.Message, "no space left") {
		t.Errorf("final message: %+v", last)
	}
}

func FuzzNew(f *testing.F) {
	var file bytes.Buffer
	deltas(replay.NewRecorder(speaker{pieces: []string{"a"}}, &file, hide), asked("hi"))
	f.Add(file.Bytes())
	f.Add([]byte(`{"call":1,"final":{"role":"assistant","stopReason":"stop","content":[]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := replay.New(bytes.NewReader(text))
		if err != nil {
			return
		}
		if _, last := deltas(p, asked("hi")); last == nil {
			t.Fatal("a stream without a final event")
		}
	})
}

func TestHiddenWordsPlayBack(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	deltas(replay.NewRecorder(speaker{pieces: []string{"yes"}}, &file, hide), asked("is it hunter2?"))
	p, err := replay.New(&file)
	if err != nil {
		t.Fatal(err)
	}
	if _, last := deltas(p, asked("is it hunter2?")); last.Err != nil || last.Text() != "yes" {
		t.Errorf("%q, %v", last.Text(), last.Err)
	}
}

// TestTheServerIsRecorded records a real provider, with tool calls and an
// image, and demands the same events from the player.
func TestTheServerIsRecorded(t *testing.T) {
	t.Parallel()
	const key = "sk-secret-0123456789"
	srv := fakellm.New(t, fakellm.Answer{Reasoning: "hm", Text: "两个", Chunk: 3, Usage: &fakellm.Usage{Prompt: 5, Completion: 2}, ToolCalls: []fakellm.ToolCall{
		{ID: "a", Name: "f", Arguments: `{"x":"hunter2"}`}, {ID: "b", Name: "g"},
	}}, fakellm.Answer{Text: "abc", Chunk: 1}.Fail(fakellm.Cut, 2))
	var file bytes.Buffer
	rec := replay.NewRecorder(openai.New(openai.Config{}), &file, hide)
	model := llm.Model{ID: "m", Provider: "p", BaseURL: srv.URL}
	question := llm.Context{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: "hi"}, llm.Image{Data: bytes.Repeat([]byte{7}, 1000), MIMEType: "image/png"}}}}}
	options := llm.Options{APIKey: key, MaxTokens: 9, Headers: map[string]string{"X-Key": "other-secret"}}
	listen := func(p llm.Provider) (types []string, last *llm.Message) {
		for ev := range p.Stream(t.Context(), model, question, options) {
			types = append(types, string(ev.Type))
			last = ev.Message
		}
		return types, last
	}
	var live [2][]string
	for i := range live {
		live[i], _ = listen(rec)
	}
	for _, secret := range []string{"secret", "hunter2", "BwcHBwcH"} {
		if strings.Contains(file.String(), secret) {
			t.Errorf("%s is in the recording:\n%s", secret, &file)
		}
	}
	p, err := replay.New(&file)
	if err != nil {
		t.Fatal(err)
	}
	types, last := listen(p)
	if got, was := slices.Compact(types), slices.Compact(live[0]); !slices.Equal(got, was) { // masked arguments come in one piece
		t.Errorf("events %q, %q were recorded", got, was)
	}
	if d := cmp.Diff([]llm.Block{
		llm.Thinking{Thinking: "hm"}, llm.Text{Text: "两个"},
		llm.ToolCall{ID: "a", Name: "f", Arguments: []byte(`{"x":"***"}`)}, llm.ToolCall{ID: "b", Name: "g", Arguments: []byte(`{}`)},
	}, last.Content); d != "" || last.StopReason != llm.StopToolUse || last.Usage.Total != 7 {
		t.Errorf("stop %q, usage %+v: %s", last.StopReason, last.Usage, d)
	}
	types, last = listen(p)
	if d := cmp.Diff(live[1], types); d != "" || last.Err == nil || last.Err.Kind != llm.ErrNetwork || last.Text() != "ab" {
		t.Errorf("error %v, text %q: %s", last.Err, last.Text(), d)
	}
}

func TestAReaderThatLeavesIsRecorded(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	rec := replay.NewRecorder(speaker{pieces: []string{"a", "b"}}, &file, hide)
	for ev := range rec.Stream(t.Context(), llm.Model{}, asked("hi"), llm.Options{}) {
		if ev.Type == llm.EventTextDelta {
			break
		}
	}
	for ev := range rec.Stream(t.Context(), llm.Model{}, asked("again"), llm.Options{}) {
		if ev.Type == llm.EventDone {
			break // this one is complete
		}
	}
	p, err := replay.New(&file)
	if err != nil {
		t.Fatal(err)
	}
	if _, last := deltas(p, asked("hi")); last.StopReason != llm.StopAborted || last.Text() != "a" {
		t.Errorf("stop %q, text %q", last.StopReason, last.Text())
	}
	if _, last := deltas(p, asked("again")); last.Err != nil || last.Text() != "ab" {
		t.Errorf("error %v, text %q", last.Err, last.Text())
	}
}

func TestAPlayerIsCancelled(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	deltas(replay.NewRecorder(speaker{pieces: []string{"a", "b"}}, &file, hide), asked("hi"))
	p, err := replay.New(&file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var last *llm.Message
	for ev := range p.Stream(ctx, llm.Model{}, asked("hi"), llm.Options{}) {
		if ev.Delta == "a" {
			cancel()
		}
		last = ev.Message
	}
	if last.StopReason != llm.StopAborted || last.Text() != "a" {
		t.Errorf("stop %q, text %q", last.StopReason, last.Text())
	}
	cancel()
}
