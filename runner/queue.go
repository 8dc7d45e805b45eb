package runner

import (
	"context"
	"slices"
	"sync"

	"github.com/holic512/plugin-ai/llm"
)

// SteerAfter says when steering words are heard.
type SteerAfter string

// The places. The first skips the steps that are left of a reply, the second
// lets them run.
const (
	SteerAfterTool SteerAfter = "tool"
	SteerAfterTurn SteerAfter = "turn"
)

// skippedForPerson is what a step is told that steering words made needless.
const skippedForPerson = "Skipped due to queued user message"

// QueueMode says how many of the words that wait are heard at once.
type QueueMode string

// The modes; the second is the default.
const (
	QueueAll        QueueMode = "all"
	QueueOneAtATime QueueMode = "one-at-a-time"
)

// queue holds what the person says while a prompt is under way. It is safe
// for concurrent use.
type queue struct {
	mu                    sync.Mutex
	steer, follow         []Input
	steerMode, followMode QueueMode
}

// add puts words at the end of a list of q, and tells so.
func (q *queue) add(list *[]Input, in Input, emit func(Event)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*list = append(*list, in)
	emit(q.update())
}

// steering takes the steering words that are heard next. That they are taken is
// told by tell.
func (q *queue) steering() []Input { return q.take(&q.steer, &q.steerMode) }

// followUps takes the words that are heard when a run would end.
func (q *queue) followUps() []Input { return q.take(&q.follow, &q.followMode) }

func (q *queue) take(list *[]Input, mode *QueueMode) []Input {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(*list)
	if n > 1 && *mode != QueueAll {
		n = 1
	}
	taken := slices.Clone((*list)[:n])
	*list = slices.Delete(*list, 0, n)
	return taken
}

// tell tells what waits.
func (q *queue) tell(emit func(Event)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	emit(q.update())
}

// steered tells whether steering words wait.
func (q *queue) steered() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.steer) > 0
}

func (q *queue) texts() (steering, followUps []string) {
	texts := func(list []Input) []string {
		out := make([]string, len(list))
		for i, in := range list {
			out[i] = in.Text
		}
		return out
	}
	return texts(q.steer), texts(q.follow)
}

func (q *queue) update() Event {
	e := Event{Type: QueueUpdate}
	e.Steering, e.FollowUps = q.texts()
	return e
}

// hear takes what the person says into the conversation: it begins a turn, or
// goes into the one that is under way. Automatic steps are counted anew.
func (t *turn) hear(inputs ...Input) {
	for _, in := range inputs {
		steered := t.open
		if t.open {
			t.Window.Say(in.Text, in.Images...)
		} else {
			t.Window.Ask(in.Text, in.Context)
			t.Window.Attach(in.Images...)
		}
		t.Window.Tell(in.Before...)
		t.open, t.left, t.free = true, t.MaxSteps, false
		t.emit(Event{Type: MessageStart, Role: llm.RoleUser, Input: &in, Steered: steered})
		t.emit(Event{Type: MessageEnd, Role: llm.RoleUser, Text: in.Text, Input: &in, Steered: steered})
	}
}

// heed takes words that waited into the conversation.
func (t *turn) heed(taken []Input) {
	if len(taken) > 0 {
		t.queue.tell(t.emit)
		t.hear(taken...)
	}
}

// more takes the words that wait when the run would end. Where there are any it
// goes on with them; after a failure and after an abort they go on waiting.
func (t *turn) more(ctx context.Context) []Input {
	switch t.result.End {
	case EndChat, EndError, EndStepLimit:
	default:
		return nil
	}
	if ctx.Err() != nil {
		return nil
	}
	taken := t.queue.steering()
	if len(taken) == 0 {
		taken = t.queue.followUps()
	}
	if len(taken) > 0 {
		t.open, t.result.End, t.ran = false, "", nil
	}
	return taken
}

// again goes on without a new input; see [Agent.Continue].
func (r *Runner) again(ctx context.Context) (Result, error) {
	t := &turn{Runner: r, left: r.MaxSteps}
	queued := r.queue.steering()
	if len(queued) == 0 {
		queued = r.queue.followUps()
	}
	if len(queued) == 0 {
		if t.open = r.Window.Reopen(); !t.open {
			if r.Window.Empty() {
				return Result{}, ErrNoMessages
			}
			return Result{}, ErrAnswered
		}
	}
	return t.whole(ctx, nil, queued), nil
}
