package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/schemas"
)

// agent makes an agent of a stage.
func (s *stage) agent() *runner.Agent { return runner.NewAgent(s.Runner) }

// types names events, without updates.
func types(events []runner.Event) []string {
	var out []string
	for _, e := range events {
		switch e.Type {
		case runner.MessageUpdate:
		case runner.MessageStart, runner.MessageEnd:
			out = append(out, string(e.Type)+" "+string(e.Role))
		default:
			out = append(out, string(e.Type))
		}
	}
	return out
}

func TestAgentOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(cmd("echo a")), say(chat("done")))
	if _, err := s.agent().Prompt(t.Context(), runner.Input{Text: "q"}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant", "message_end assistant",
		"tool_execution_start", "tool_execution_update", "tool_execution_end", "turn_end",
		"turn_start", "message_start assistant", "message_end assistant", "turn_end", "agent_end",
	}
	if diff := cmp.Diff(want, types(s.events)); diff != "" {
		t.Error(diff)
	}
}

// TestSteering says something while a step runs: the rest of the steps is skipped, or
// runs; each has one result.
func TestSteering(t *testing.T) {
	t.Parallel()
	for after, want := range map[runner.SteerAfter][]protocol.Outcome{
		"": {protocol.Ran, protocol.Skipped, protocol.Skipped}, runner.SteerAfterTurn: {protocol.Ran, protocol.Ran, protocol.Ran},
	} {
		s := newStage(t, say(cmd("echo a", "echo b", "echo c")), say(chat("heard")))
		s.SteerAfter = after
		a := s.agent()
		var outcomes []protocol.Outcome
		var notes []string
		stop := a.Subscribe(func(e runner.Event) {
			if e.Type == runner.ToolExecutionEnd {
				outcomes, notes = append(outcomes, e.Observation.Outcome), append(notes, e.Observation.Note)
			}
		})
		steer := sync.OnceFunc(func() { a.Steer(runner.Input{Text: "do less"}) })
		s.exec.onRun = steer
		result, err := a.Prompt(t.Context(), runner.Input{Text: "go"})
		stop()
		if err != nil || result.End != runner.EndChat {
			t.Fatal(result, err)
		}
		if diff := cmp.Diff(want, outcomes); diff != "" {
			t.Errorf("%q: %s", after, diff)
		}
		if after == "" && notes[1] != "Skipped due to queued user message" {
			t.Errorf("note: %q", notes[1])
		}
		if told := s.model.told(); !strings.HasSuffix(strings.TrimSpace(told), "do less") {
			t.Errorf("the words are not the last that was told:\n%s", told)
		}
		nested(t, s.events)
	}
}

func TestQueueModes(t *testing.T) {
	t.Parallel()
	for mode, calls := range map[runner.QueueMode]int{"": 4, runner.QueueAll: 2} {
		answers := []answer{say(chat("0")), say(chat("1")), say(chat("2")), say(chat("3"))}
		s := newStage(t, answers[:calls]...)
		a := s.agent()
		a.SetQueueModes("", mode)
		for _, text := range []string{"a", "b", "c"} {
			a.FollowUp(runner.Input{Text: text})
		}
		result, err := a.Prompt(t.Context(), runner.Input{Text: "go"})
		if err != nil || result.End != runner.EndChat {
			t.Fatal(result, err)
		}
		if got := len(s.model.asked); got != calls {
			t.Errorf("%q: %d calls, want %d", mode, got, calls)
		}
		if n := len(slices.DeleteFunc(types(s.events), func(s string) bool { return s != "agent_end" })); n != 1 {
			t.Errorf("%q: %d ends", mode, n)
		}
		nested(t, s.events)
	}
}

// TestBusyAgent asks an agent for things that it cannot do now.
func TestBusyAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(cmd("hang")), say(chat("next")))
	s.exec.hang = func() {}
	a := s.agent()
	began := make(chan struct{})
	a.Subscribe(func(e runner.Event) {
		if e.Type == runner.ToolExecutionStart {
			close(began)
		}
	})
	done := make(chan runner.Result)
	go func() {
		r, _ := a.Prompt(context.Background(), runner.Input{Text: "q"})
		done <- r
	}()
	<-began
	const words = "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion."
	if _, err := a.Prompt(t.Context(), runner.Input{Text: "again"}); !errors.Is(err, runner.ErrBusy) || err.Error() != words {
		t.Error(err)
	}
	if _, err := a.Continue(t.Context()); !errors.Is(err, runner.ErrBusy) {
		t.Error(err)
	}
	if _, err := a.Compact(t.Context(), ""); !errors.Is(err, runner.ErrBusy) {
		t.Error(err)
	}
	if a.State() != runner.Streaming {
		t.Error(a.State())
	}
	a.FollowUp(runner.Input{Text: "waits"})
	a.Abort()
	if r := <-done; r.End != runner.EndAborted {
		t.Error(r.End)
	}
	if _, waiting := a.Queued(); len(waiting) != 1 || a.State() != runner.Idle {
		t.Error(waiting, a.State())
	}
	if _, dropped := a.ClearQueue(); len(dropped) != 1 {
		t.Error(dropped)
	}
	if r, err := a.Prompt(t.Context(), runner.Input{Text: "next"}); err != nil || r.Reply.Message != "next" {
		t.Error(r, err)
	}
}

func TestContinue(t *testing.T) {
	t.Parallel()
	s := newStage(t, fault(llm.ErrAuthentication), say(chat("one")), say(chat("two")))
	a := s.agent()
	if _, err := a.Continue(t.Context()); !errors.Is(err, runner.ErrNoMessages) {
		t.Error(err)
	}
	if r, err := a.Prompt(t.Context(), runner.Input{Text: "the question"}); err != nil || r.End != runner.EndProvider {
		t.Fatal(r, err)
	}
	if r, err := a.Continue(t.Context()); err != nil || r.Reply.Message != "one" || !strings.Contains(s.model.told(), "the question") {
		t.Errorf("%v %v %s", r, err, s.model.told())
	}
	if _, err := a.Continue(t.Context()); !errors.Is(err, runner.ErrAnswered) {
		t.Error(err)
	}
	a.FollowUp(runner.Input{Text: "more"})
	if r, err := a.Continue(t.Context()); err != nil || r.Reply.Message != "two" {
		t.Error(r, err)
	}
	nested(t, s.events)
}

// TestChangesBetweenCalls changes the model in the middle of a run.
func TestChangesBetweenCalls(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(cmd("echo a")))
	other := &script{t: t, answers: []answer{say(chat("other"))}}
	a := s.agent()
	s.exec.onRun = func() { a.SetModel(other, schemas.Canonical) }
	if r, err := a.Prompt(t.Context(), runner.Input{Text: "q"}); err != nil || r.Reply.Message != "other" {
		t.Error(r, err)
	}
}

func TestAbortRetry(t *testing.T) {
	t.Parallel()
	s := newStage(t, fault(llm.ErrOverloaded))
	s.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
	a := s.agent()
	a.AbortRetry() // nothing to end
	a.Subscribe(func(e runner.Event) {
		if e.Type == runner.AutoRetryStart {
			go a.AbortRetry()
		}
	})
	r, err := a.Prompt(t.Context(), runner.Input{Text: "q"})
	if err != nil || r.End != runner.EndProvider {
		t.Error(r, err)
	}
	nested(t, s.events)
}

// TestUnsubscribe tells an agent's events to those who listen, and no longer.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(chat("one")), say(chat("two")))
	a := s.agent()
	n := 0
	stop := a.Subscribe(func(runner.Event) { n++ })
	if _, err := a.Prompt(t.Context(), runner.Input{Text: "q"}); err != nil {
		t.Fatal(err)
	}
	heard := n
	stop()
	if _, err := a.Prompt(t.Context(), runner.Input{Text: "q"}); err != nil || heard == 0 || n != heard {
		t.Error(heard, n, err)
	}
}
