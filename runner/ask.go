package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
)

// Waiting before a failed call is tried again.
const (
	firstWait = 2 * time.Second // doubled for every further try
	// brokenWait is for a connection that broke: the server is most likely
	// there, and waiting does not help it.
	brokenWait = 100 * time.Millisecond
	// maxWait is the longest that a server may ask to wait; beyond it the
	// person decides.
	maxWait = 60 * time.Second
	// maxRefusals is how often a request that is too long for the model is made
	// smaller: by a summary, then by a lower ceiling.
	maxRefusals = 2
)

// ask gets one valid reply from the model: a failed call is tried again, an
// invalid answer is asked for again. Where there is none to be had it ends the
// prompt.
func (t *turn) ask(ctx context.Context) (reply protocol.Reply, ok bool) {
	for repairs := 0; ; repairs++ {
		message, decoder, ok := t.call(ctx)
		if !ok {
			return protocol.Reply{}, false
		}
		options := protocol.Options{Finish: finish(message), Damaged: message.Damaged, Dialect: t.Dialect, Shell: t.Shell != nil}
		answer, err := decoder.Finish(options)
		if err == nil {
			t.emit(Event{Type: MessageEnd, Role: llm.RoleAssistant, Kind: answer.Reply.Type, Reply: &answer.Reply, StepIDs: t.stepIDs(answer.Reply), Stop: message.StopReason, Notes: answer.Notes, Usage: message.Usage, Enforced: message.Enforced})
			return answer.Reply, true
		}
		raw := decoder.Text()
		violations := t.violations(raw, options, err)
		t.emit(Event{Type: MessageEnd, Role: llm.RoleAssistant, Kind: decoder.Kind(), Raw: raw, Violations: violations, Usage: message.Usage, Enforced: message.Enforced})
		if repairs == t.MaxRepairs {
			reply := protocol.Reply{Type: protocol.KindError, Message: "The model did not answer in the agreed form: " + violations[0].String()}
			t.Window.Abandon(reply.Message)
			t.result.Fallback = &Fallback{Result: t.Window.MaskText(raw), Fallback: true, Reason: "model_output_was_not_valid_json"}
			t.end(EndInvalid, reply)
			return protocol.Reply{}, false
		}
		t.Window.Invalid(raw, violations)
	}
}

// violations says what is wrong with an answer. A violation quotes the answer
// in short, and of the beginning of a key nothing can tell that it is one: they
// are those of the masked answer.
func (t *turn) violations(raw string, options protocol.Options, err error) []protocol.Violation {
	hidden := t.Window.MaskText(raw)
	if hidden != strings.ToValidUTF8(raw, "\ufffd") {
		if _, maskedErr := protocol.Decode([]byte(hidden), options); maskedErr != nil {
			err = maskedErr
		} else {
			return []protocol.Violation{{Expected: "an answer in the agreed form", Actual: "one that is not, where a secret stands in it"}}
		}
	}
	var bad *protocol.InvalidError
	if !errors.As(err, &bad) {
		// A schema that does not compile is a defect of this program.
		bad = &protocol.InvalidError{Violations: []protocol.Violation{{Expected: "an answer", Actual: t.Window.MaskText(err.Error())}}}
	}
	return bad.Violations
}

// stepIDs are the ids that the steps of a reply will have.
func (t *turn) stepIDs(reply protocol.Reply) []string {
	if reply.Cmd == nil {
		return nil
	}
	ids, given := make([]string, len(reply.Cmd.Steps)), t.steps.Load()
	for i := range ids {
		ids[i] = stepID(given + int64(i) + 1)
	}
	return ids
}

// finish translates why the answer ended.
func finish(m *llm.Message) protocol.Finish {
	switch m.StopReason {
	case llm.StopEnd:
		return protocol.FinishStop
	case llm.StopLength:
		return protocol.FinishLength
	case llm.StopError:
		if m.Err != nil && m.Err.Kind == llm.ErrContentFilter {
			return protocol.FinishFilter
		}
	}
	return protocol.FinishClosed
}

// call asks the model until an answer arrives whole, which says nothing of
// its form.
func (t *turn) call(ctx context.Context) (*llm.Message, *protocol.Decoder, bool) {
	for attempt, refusals := 0, 0; ; {
		message, decoder, err := t.stream(ctx)
		if err != nil {
			t.fail(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err})
			return nil, nil, false
		}
		failure := message.Err
		if failure == nil || words(failure, decoder) {
			if attempt > 0 {
				t.emit(Event{Type: AutoRetryEnd, Attempt: attempt})
			}
			return message, decoder, true
		}
		t.emit(Event{Type: MessageEnd, Role: llm.RoleAssistant, Kind: decoder.Kind(), Raw: decoder.Text(), Error: failure, Usage: message.Usage})
		if ctx.Err() != nil || failure.Kind == llm.ErrCancelled {
			t.abort()
			return nil, nil, false
		}
		if failure.Kind == llm.ErrContextLength && refusals < maxRefusals {
			// Not the same request again, and so no retry that is counted.
			if refusals++; t.overflow(ctx, t.asked, refusals == 1) {
				continue
			}
			if ctx.Err() != nil {
				t.abort()
				return nil, nil, false
			}
		}
		delay := backoff(failure, attempt)
		if failure.Kind.Retryable() && delay > maxWait {
			asked := *failure
			asked.Message += fmt.Sprintf("; it asks to wait %s", delay.Round(time.Second))
			failure = &asked
		}
		if !failure.Kind.Retryable() || attempt == t.MaxRetries || delay > maxWait {
			if attempt > 0 {
				t.emit(Event{Type: AutoRetryEnd, Attempt: attempt, Error: failure})
			}
			t.fail(failure)
			return nil, nil, false
		}
		attempt++
		t.emit(Event{Type: AutoRetryStart, Attempt: attempt, MaxAttempts: t.MaxRetries, DelayMs: delay.Milliseconds(), Error: failure})
		if err := t.Wait(ctx, delay); err != nil {
			t.emit(Event{Type: AutoRetryEnd, Attempt: attempt, Error: &llm.Error{Kind: llm.ErrCancelled, Message: "Retry cancelled", Err: err}})
			if ctx.Err() != nil {
				t.abort()
			} else {
				t.fail(failure)
			}
			return nil, nil, false
		}
	}
}

// words tells whether an answer that did not end normally is a whole one for
// a person all the same. It never is one that runs something.
func words(failure *llm.Error, decoder *protocol.Decoder) bool {
	if failure.Kind != llm.ErrIncomplete && failure.Kind != llm.ErrContentFilter {
		return false
	}
	answer, err := decoder.Finish(protocol.Options{Finish: protocol.FinishClosed})
	return err == nil && answer.Reply.Type != protocol.KindCmd
}

func backoff(failure *llm.Error, attempt int) time.Duration {
	if failure.RetryAfter > 0 {
		return failure.RetryAfter
	}
	switch failure.Kind {
	case llm.ErrNetwork, llm.ErrIncomplete, llm.ErrMalformed:
		if attempt == 0 {
			return brokenWait
		}
		attempt--
	}
	return firstWait << attempt
}

// fail ends the prompt because the model could not be asked.
func (t *turn) fail(failure *llm.Error) {
	t.Window.Abandon("The model could not be asked: " + string(failure.Kind))
	t.result.Err = failure
	t.end(EndProvider, protocol.Reply{Type: protocol.KindError, Message: failure.Message})
}

// foresee prepares the sandbox once commands are on their way, so that the
// first one does not wait for it.
func (t *turn) foresee(decoder *protocol.Decoder) {
	if t.Sandbox != nil && !t.prepared && decoder.Kind() == protocol.KindCmd {
		t.prepared = true
		go t.Sandbox.Prepare()
	}
}

// stream makes one call and gives out the message as it arrives.
func (t *turn) stream(ctx context.Context) (*llm.Message, *protocol.Decoder, error) {
	if t.settle != nil {
		t.settle()
	}
	window, err := t.Window.Window()
	if err != nil {
		return nil, nil, err
	}
	decoder := &protocol.Decoder{}
	var final *llm.Message
	t.emit(Event{Type: MessageStart, Role: llm.RoleAssistant})
	for ev := range t.Model.Stream(ctx, llm.Context{System: window.System, Messages: window.Messages}) {
		switch ev.Type {
		case llm.EventTextDelta:
			t.foresee(decoder)
			if delta := decoder.Feed(ev.Delta); delta != "" {
				t.emit(Event{Type: MessageUpdate, Role: llm.RoleAssistant, Kind: decoder.Kind(), Delta: delta})
			}
		case llm.EventThinkingDelta:
			t.emit(Event{Type: MessageUpdate, Role: llm.RoleAssistant, Thinking: ev.Delta})
		case llm.EventDone, llm.EventError:
			final = ev.Message
		}
	}
	if final == nil {
		return nil, nil, errors.New("the model's stream ended without a final event")
	}
	t.asked = window
	t.Window.Sent(window, final.Usage)
	t.result.Usage = t.result.Usage.Add(final.Usage)
	return final, decoder, nil
}
