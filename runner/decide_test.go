package runner_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

func question() answer {
	return say(`{"type":"cmd","message":"m","data":{"commands":[{"tool":"decide.ask","task":"names","items":[{"id":1}]}]}}`)
}

func TestDecisionsAreTheObservation(t *testing.T) {
	t.Parallel()
	s := newStage(t, question(), say(chat("done")))
	s.Decide = func(_ context.Context, task string, items jsontext.Value) (jsontext.Value, error) {
		if task != "names" || string(items) != `[{"id":1}]` {
			t.Errorf("asked %s, %s", task, items)
		}
		return jsontext.Value(`{"decisions":[{"id":1,"chosen":"b"}]}`), nil
	}
	s.Prompt(t.Context(), runner.Input{Text: "which?"})
	o := s.last()
	if o.Outcome != protocol.Ran || o.Tool != "decide.ask" || o.Program != nil || !strings.Contains(s.model.told(), `"chosen":"b"`) || len(s.asker.asked) > 0 {
		t.Errorf("%+v; told %s", o, s.model.told())
	}
}

func TestDecisionsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		outcome protocol.Outcome
		person  int
	}{
		"nobody":  {runner.ErrNobody, protocol.Refused, 1},
		"left":    {runner.ErrUndecided, protocol.Declined, 0},
		"invalid": {errors.New("items[0].options: an array"), protocol.NotStarted, 0},
	} {
		s := newStage(t, question(), say(chat("no")))
		s.Decide = func(context.Context, string, jsontext.Value) (jsontext.Value, error) { return nil, c.err }
		result := s.Prompt(t.Context(), runner.Input{Text: "which?"})
		if o := s.last(); o.Outcome != c.outcome || result.NeedPerson != c.person {
			t.Errorf("%s: %+v, %+v", name, o, result)
		}
	}
}

// TestDecisionsHaveALimit asks again and again.
func TestDecisionsHaveALimit(t *testing.T) {
	t.Parallel()
	s := newStage(t, question(), question(), question(), question(), say(chat("done")))
	s.MaxSteps = 9
	asked := 0
	s.Decide = func(context.Context, string, jsontext.Value) (jsontext.Value, error) {
		asked++
		return jsontext.Value(`{}`), nil
	}
	s.Prompt(t.Context(), runner.Input{Text: "which?"})
	if o := s.last(); asked != 3 || o.Outcome != protocol.Refused {
		t.Errorf("asked %d times, then %+v", asked, o)
	}
}

// TestDecisionsAreNotOffered where nobody ever can decide.
func TestDecisionsAreNotOffered(t *testing.T) {
	t.Parallel()
	s := newStage(t, question(), say(chat("no")))
	s.Prompt(t.Context(), runner.Input{Text: "which?"})
	if o := s.last(); o.Outcome != protocol.Refused {
		t.Errorf("%+v", o)
	}
}

// TestDecideSubmitWaits runs the command that waits for a person: the time
// limit of steps is not for it.
func TestDecideSubmitWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, say(cmd("ai decide submit {}", "ai decide result")), say(chat("done")))
	s.Prompt(t.Context(), runner.Input{Text: "ask"})
	if len(s.exec.timeouts) != 2 || s.exec.timeouts[0] < 24*time.Hour || s.exec.timeouts[1] != 0 {
		t.Errorf("the time limits are %v", s.exec.timeouts)
	}
}
