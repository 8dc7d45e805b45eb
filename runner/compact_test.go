package runner_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// memory is the request for a summary as the model gets it.
type memory struct {
	Earlier      protocol.Summary `json:"earlier"`
	Focus        string           `json:"focus"`
	Conversation []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"conversation"`
}

func readMemory(t testing.TB, text string) memory {
	t.Helper()
	var m memory
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("the request for a summary is no JSON: %v", err)
	}
	return m
}

// remember is a summariser that keeps what the person asked to be remembered.
func remember(t testing.TB, text string) string {
	m := readMemory(t, text)
	s := protocol.Summary{Text: "We talked.", KeyFacts: append([]string{}, m.Earlier.KeyFacts...), OpenTasks: []string{}}
	for _, line := range m.Conversation {
		if said, ok := line.Content.(string); ok && line.Role == "user" && strings.HasPrefix(said, "Remember: ") {
			s.KeyFacts = append(s.KeyFacts, strings.TrimPrefix(said, "Remember: "))
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// compactions are the stage's, in short: "threshold ok", "overflow timeout retry".
func (s *stage) compactions() []string {
	var out []string
	for _, e := range s.events {
		if e.Type != runner.CompactionEnd {
			continue
		}
		words := []string{string(e.Compaction.Reason)}
		switch {
		case e.Error != nil:
			words = append(words, string(e.Error.Kind))
		case e.Compaction.Summary != nil:
			words = append(words, "ok")
		}
		if e.Compaction.WillRetry {
			words = append(words, "retry")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// talk carries n prompts that are answered at once.
func (s *stage) talk(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		s.model.answers = []answer{say(chat(fmt.Sprintf("answer %d", i)))}
		if r := s.prompt(fmt.Sprintf("question %d", i)); r.End != runner.EndChat {
			t.Fatalf("prompt %d: %+v", i, r)
		}
	}
}

func stateOf(t *testing.T, s *stage) string {
	t.Helper()
	b, err := json.Marshal(s.Window.State(), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func newCompacting(t *testing.T) *stage {
	t.Helper()
	s := newStage(t)
	s.AutoCompact = true
	return s
}

func TestCompactionAtTheThreshold(t *testing.T) {
	t.Parallel()
	s := newCompacting(t)
	var asked []memory
	s.model.summaries = func(c llm.Context) answer {
		if len(c.System) != 1 || len(c.Messages) != 1 {
			t.Errorf("the request has %d system parts and %d messages", len(c.System), len(c.Messages))
		}
		asked = append(asked, readMemory(t, c.Messages[0].Text()))
		return say(remember(t, c.Messages[0].Text()))
	}
	s.model.answers = []answer{say(chat("I will."))}
	s.prompt("Remember: the port is 7117")
	s.talk(t, 5)
	if len(asked) != 0 {
		t.Fatal("ten messages are asked to be summed up")
	}
	s.talk(t, 1)
	if len(asked) != 1 || len(asked[0].Conversation) != 8 {
		t.Fatalf("after twelve messages: %d summaries, %+v", len(asked), asked)
	}
	told := strings.Join(s.model.asked[len(s.model.asked)-1].System, "\n")
	if !strings.Contains(told, "the port is 7117") || strings.Contains(told, "Left out") {
		t.Errorf("the next request's system parts: %s", told)
	}
	if told := s.model.told(); strings.Contains(told, "port") || !strings.Contains(told, "question 4") {
		t.Errorf("the next request's messages: %s", told)
	}
	s.talk(t, 30)
	if last := asked[len(asked)-1]; !slices.Contains(last.Earlier.KeyFacts, "the port is 7117") {
		t.Errorf("a later summary is asked for without the earlier one: %+v", last)
	}
	if n := len(s.compactions()); n != len(asked) || n < 6 || n > 9 {
		t.Errorf("%d compactions in 37 prompts", n)
	}
	var result *runner.Compaction
	for _, e := range s.events {
		if e.Type == runner.CompactionEnd {
			result = e.Compaction
		}
	}
	if result.BytesAfter >= result.BytesBefore || result.TokensAfter >= result.TokensBefore || result.Folded == 0 || result.Kept == 0 || result.WillRetry {
		t.Errorf("the result is %+v", result)
	}
}

// TestBytesTrigger: few messages that are long are summed up as well.
func TestBytesTrigger(t *testing.T) {
	t.Parallel()
	s := newCompacting(t)
	n := 0
	s.model.summaries = func(c llm.Context) answer { n++; return say(remember(t, c.Messages[0].Text())) }
	for range 4 {
		s.model.answers = []answer{say(chat(strings.Repeat("long ", 380)))}
		s.prompt(strings.Repeat("what? ", 330))
	}
	if n != 1 {
		t.Errorf("%d summaries", n)
	}
}

func TestNoCompactionWhenOff(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.talk(t, 20) // the script has no summaries
	told := strings.Join(s.model.asked[19].System, "\n")
	if !strings.Contains(told, "the 28 oldest messages") || strings.Contains(s.model.told(), "question 13") {
		t.Errorf("without summaries the request is: %s %s", told, s.model.told())
	}
	if state := s.Window.State(); len(state.Recent) != 10 || len(state.Waiting) != 30 {
		t.Errorf("%d recent and %d waiting messages", len(state.Recent), len(state.Waiting))
	}
}

func TestSummariesThatFail(t *testing.T) {
	t.Parallel()
	const good = `{"summary":"s","keyFacts":[],"openTasks":[]}`
	for name, bad := range map[string]answer{
		"not JSON":       say("We talked about ports."),
		"a chat":         say(chat("We talked.")),
		"prose around":   say("Here it is: " + good),
		"empty":          say(""),
		"empty summary":  say(`{"summary":" ","keyFacts":[],"openTasks":[]}`),
		"cut":            {text: good, stop: llm.StopLength},
		"tool use":       {text: good, stop: llm.StopToolUse},
		"damaged":        {text: good, stop: llm.StopEnd, damage: true},
		"refused":        fault(llm.ErrRefusal),
		"overloaded":     fault(llm.ErrOverloaded),
		"time-out":       fault(llm.ErrTimeout),
		"too long":       fault(llm.ErrContextLength),
		"filtered":       {text: good, stop: llm.StopError, err: &llm.Error{Kind: llm.ErrContentFilter, Message: "filtered"}},
		"endless":        say(`{"summary":"` + strings.Repeat("a", protocol.MaxSummaryBytes+10)),
		"another schema": say(`{"summary":"s","keyFacts":"none","openTasks":[]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCompacting(t)
			calls := 0
			s.model.summaries = func(llm.Context) answer { calls++; return bad }
			s.model.answers = []answer{say(chat("I will."))}
			s.prompt("Remember: the port is 7117")
			s.talk(t, 9)
			if calls != 3 { // at the 7th prompt, the 8th and, after a pause of one, the 10th
				t.Errorf("%d calls", calls)
			}
			if len(s.waits) > 0 {
				t.Errorf("it is waited for: %v", s.waits)
			}
			state := s.Window.State()
			if len(state.Waiting)+len(state.Recent) != 20 || state.Summary != "" || !strings.HasSuffix(state.Waiting[0].Content, "7117") {
				t.Errorf("the state is %+v", state)
			}
			// The next good one takes over all that waited.
			s.model.summaries = func(c llm.Context) answer { return say(remember(t, c.Messages[0].Text())) }
			s.talk(t, 3)
			if state := s.Window.State(); !strings.Contains(state.Summary, "7117") || len(state.Waiting) != 0 {
				t.Errorf("the state is %+v", state)
			}
		})
	}
}

// TestSummaryInAFence: one fence around the object is taken off.
func TestSummaryInAFence(t *testing.T) {
	t.Parallel()
	s := newCompacting(t)
	s.model.summaries = func(llm.Context) answer {
		return say("```json\n{\"summary\":\"fenced\",\"keyFacts\":[],\"openTasks\":[\"go on\"]}\n```")
	}
	s.talk(t, 7)
	if state := s.Window.State(); !strings.Contains(state.Summary, "fenced") || !strings.Contains(state.Summary, "go on") {
		t.Errorf("the summary is %q", state.Summary)
	}
}

// TestSummariserAlwaysFailing: a hundred prompts lose nothing, and few calls
// are made in vain.
func TestSummariserAlwaysFailing(t *testing.T) {
	t.Parallel()
	s := newCompacting(t)
	calls := 0
	s.model.summaries = func(llm.Context) answer { calls++; return say("no") }
	s.talk(t, 100)
	state := s.Window.State()
	if len(state.Waiting) != 190 || len(state.Recent) != 10 {
		t.Errorf("%d messages wait and %d are recent", len(state.Waiting), len(state.Recent))
	}
	for i := range 100 {
		all := append(slices.Clone(state.Waiting), state.Recent...)
		if all[2*i].Content != fmt.Sprintf("question %d", i) || !strings.Contains(all[2*i+1].Content, fmt.Sprintf("answer %d\"", i)) {
			t.Fatalf("turn %d became %+v", i, all[2*i:2*i+2])
		}
	}
	if calls < 5 || calls > 12 {
		t.Errorf("%d calls in vain", calls)
	}
	// They are all there for the summary that comes at last.
	var got memory
	s.model.summaries = func(c llm.Context) answer {
		got = readMemory(t, c.Messages[0].Text())
		return say(remember(t, c.Messages[0].Text()))
	}
	if _, err := s.Compact(t.Context(), "ports"); err != nil {
		t.Fatal(err)
	}
	if len(got.Conversation) != 198 || got.Focus != "ports" {
		t.Errorf("the request has %d messages and the focus %q", len(got.Conversation), got.Focus)
	}
	if state := s.Window.State(); len(state.Recent) != 2 || len(state.Waiting) != 0 {
		t.Errorf("after it: %+v", state)
	}
}

// long fills a stage's history with text, without compaction.
func long(t *testing.T, s *stage) {
	t.Helper()
	for i := range 4 {
		s.model.answers = []answer{say(chat(strings.Repeat("long ", 390)))}
		s.prompt(fmt.Sprintf("question %d %s", i, strings.Repeat("what? ", 300)))
	}
	s.events = nil
}

func TestOverflow(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("input ", 5000)
	for name, c := range map[string]struct {
		auto    bool
		prompt  string
		answers []answer
		bad     bool // the summariser fails
		end     runner.End
		want    []string
		ceiling int // below this at the end; 0 is as it was
	}{
		"a summary is enough":       {true, "go", []answer{fault(llm.ErrContextLength), say(chat("ok"))}, false, runner.EndChat, []string{"overflow ok retry"}, 0},
		"a summary and a ceiling":   {true, big, []answer{fault(llm.ErrContextLength), fault(llm.ErrContextLength), say(chat("ok"))}, false, runner.EndChat, []string{"overflow ok retry", "overflow retry"}, 30 << 10},
		"never":                     {true, big, []answer{fault(llm.ErrContextLength), fault(llm.ErrContextLength), fault(llm.ErrContextLength)}, false, runner.EndProvider, []string{"overflow ok retry", "overflow retry"}, 30 << 10},
		"a summary that fails":      {true, big, []answer{fault(llm.ErrContextLength), say(chat("ok"))}, true, runner.EndChat, []string{"overflow malformed_response retry"}, 30 << 10},
		"no summaries":              {false, big, []answer{fault(llm.ErrContextLength), say(chat("ok"))}, false, runner.EndChat, []string{"overflow retry"}, 30 << 10},
		"too small to help":         {false, "go", []answer{fault(llm.ErrContextLength)}, false, runner.EndProvider, []string{"overflow"}, 0},
		"other failures in between": {true, big, []answer{fault(llm.ErrOverloaded), fault(llm.ErrContextLength), fault(llm.ErrOverloaded), say(chat("ok"))}, false, runner.EndChat, []string{"overflow ok retry"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if name != "too small to help" {
				long(t, s)
			}
			s.model.summaries = func(r llm.Context) answer {
				if c.bad {
					return say("no")
				}
				return say(remember(t, r.Messages[0].Text()))
			}
			before := len(s.model.asked)
			// The threshold must not be what folds.
			s.AutoCompact = false
			s.model.answers = c.answers
			first := c.answers[0].before
			s.model.answers[0].before = func() {
				s.AutoCompact = c.auto
				if first != nil {
					first()
				}
			}
			r := s.prompt(c.prompt)
			if r.End != c.end {
				t.Errorf("result: %+v", r)
			}
			if got := s.compactions(); !slices.Equal(got, c.want) {
				t.Errorf("compactions: %q, expected %q", got, c.want)
			}
			if len(s.model.answers) > 0 {
				t.Errorf("%d answers were not asked for", len(s.model.answers))
			}
			ceiling := s.Window.Usage().Window
			if c.ceiling == 0 && ceiling != contextmgr.DefaultMaxBytes || c.ceiling > 0 && ceiling > c.ceiling {
				t.Errorf("the ceiling is %d", ceiling)
			}
			if got := len(s.model.asked) - before; got != len(c.answers) {
				t.Errorf("%d calls, expected %d", got, len(c.answers))
			}
		})
	}
}

// TestOverflowNeverLoops: however often the model says that it is too long,
// the calls are few, and the conversation goes on.
func TestOverflowNeverLoops(t *testing.T) {
	t.Parallel()
	s := newCompacting(t)
	s.model.summaries = func(c llm.Context) answer { return say(remember(t, c.Messages[0].Text())) }
	for i := range 20 {
		calls := len(s.model.asked)
		s.model.answers = []answer{fault(llm.ErrContextLength), fault(llm.ErrContextLength), fault(llm.ErrContextLength), fault(llm.ErrContextLength)}
		r := s.prompt(fmt.Sprintf("question %d %s", i, strings.Repeat("word ", 10000)))
		if r.End != runner.EndProvider || r.Err.Kind != llm.ErrContextLength {
			t.Fatalf("result: %+v", r)
		}
		if n := len(s.model.asked) - calls; n > 3 {
			t.Fatalf("prompt %d made %d calls", i, n)
		}
	}
	s.model.answers = nil
	s.talk(t, 1)
}

func TestCompactByHand(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if _, err := s.Compact(t.Context(), ""); !errors.Is(err, runner.ErrNothingToCompact) {
		t.Errorf("an empty conversation: %v", err)
	}
	s.talk(t, 1)
	if _, err := s.Compact(t.Context(), ""); !errors.Is(err, runner.ErrNothingToCompact) {
		t.Errorf("a conversation of one turn: %v", err)
	}
	s.talk(t, 2)
	s.events = nil
	s.model.summaries = func(c llm.Context) answer {
		if m := readMemory(t, c.Messages[0].Text()); m.Focus != "the ports" {
			t.Errorf("the focus is %q", m.Focus)
		}
		return say(remember(t, c.Messages[0].Text()))
	}
	c, err := s.Compact(t.Context(), "the ports")
	if err != nil || c.Folded != 2 || c.Kept != 1 || c.Summary == nil || c.Usage.Output == 0 {
		t.Errorf("the result is %+v, %v", c, err)
	}
	if len(s.events) != 2 || s.events[0].Type != runner.CompactionStart || s.events[0].Compaction.Reason != runner.CompactManual {
		t.Errorf("events: %+v", s.events)
	}
}

// TestAbortOfASummary leaves all as it was.
func TestAbortOfASummary(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.talk(t, 8)
	before := stateOf(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	s.model.summaries = func(c llm.Context) answer {
		a := say(remember(t, c.Messages[0].Text()))
		a.before = cancel // the answer arrives all the same
		return a
	}
	c, err := s.Compact(ctx, "")
	var failure *llm.Error
	if !errors.As(err, &failure) || failure.Kind != llm.ErrCancelled || c.Summary != nil {
		t.Errorf("the result is %+v, %v", c, err)
	}
	if after := stateOf(t, s); after != before {
		t.Errorf("it was %s and is %s", before, after)
	}

	// In a prompt it ends the prompt, and the next one asks again.
	s.AutoCompact = true
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	s.model.answers = []answer{say(chat("never"))}
	if r := s.Prompt(ctx, runner.Input{Text: "go"}); r.End != runner.EndAborted {
		t.Errorf("result: %+v", r)
	}
	s.model.answers = nil
	s.model.summaries = func(c llm.Context) answer { return say(remember(t, c.Messages[0].Text())) }
	s.talk(t, 1)
	if got := s.compactions(); !slices.Equal(got, []string{"manual cancelled", "threshold cancelled", "threshold ok"}) {
		t.Errorf("compactions: %q", got)
	}
}

// trickle is a model whose summaries never end.
type trickle struct{ *script }

func (trickle) Summarize(ctx context.Context, _ llm.Context) iter.Seq[llm.Event] {
	return func(yield func(llm.Event) bool) {
		for ctx.Err() == nil {
			if !yield(llm.Event{Type: llm.EventTextDelta, Delta: " "}) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		m := llm.Message{Role: llm.RoleAssistant, StopReason: llm.StopAborted, Err: &llm.Error{Kind: llm.ErrCancelled, Message: "cancelled"}}
		yield(llm.Event{Type: llm.EventError, Message: &m})
	}
}

// TestSummaryTakesTooLong: a model that says a little for ever does not hold
// the prompt up for ever.
func TestSummaryTakesTooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newCompacting(t)
		s.SetModel(trickle{s.model}, "")
		s.talk(t, 7)
		if got := s.compactions(); !slices.Equal(got, []string{"threshold timeout"}) {
			t.Errorf("compactions: %q", got)
		}
	})
}
