package runner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/holic512/plugin-ai/schemas"
)

// State says what an [Agent] does.
type State string

// The states.
const (
	Idle       State = "idle"
	Streaming  State = "streaming"  // a prompt is under way
	Compacting State = "compacting" // the person asked for a summary
)

// Why an [Agent] does not do what it is asked for.
var (
	ErrBusy       = errors.New("Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.") //nolint:staticcheck // the document's words
	ErrCompacting = errors.New("the conversation is being summed up; wait for its end")
	ErrNoMessages = errors.New("no messages to continue from")
	ErrAnswered   = errors.New("cannot continue from message role: assistant")
)

// errRetryCancelled ends the wait for a retry.
var errRetryCancelled = errors.New("retry cancelled")

// An Agent is a runner that may be asked for things at any time, from any
// goroutine: it is idle or works, takes words for later while it works, and
// tells its events to everybody who listens.
type Agent struct {
	runner  *Runner
	retries int // the setting

	mu      sync.Mutex
	state   State
	cancel  context.CancelFunc // of what is under way
	idle    chan struct{}      // closed while idle
	retry   chan struct{}      // closed to end a wait for a retry
	changes []func(*Runner)    // for the next call of the model

	emitting  sync.Mutex // one event at a time
	listeners []listener
	listened  int
}

type listener struct {
	id   int
	hear func(Event)
}

// NewAgent makes an agent of a runner, which must not be used directly any
// more. The runner's own Events go on to be told, first.
func NewAgent(r *Runner) *Agent {
	a := &Agent{runner: r, retries: r.MaxRetries, state: Idle, idle: make(chan struct{}), retry: make(chan struct{})}
	close(a.idle)
	a.listeners = []listener{{0, r.Events}}
	wait := r.Wait
	r.Events = a.publish
	r.Wait = func(ctx context.Context, d time.Duration) error { return a.waitForRetry(ctx, d, wait) }
	r.settle = a.settle
	return a
}

func (a *Agent) publish(e Event) {
	if e.Type == AutoRetryStart {
		a.mu.Lock()
		a.retry = make(chan struct{}) // an earlier AbortRetry had nothing to end
		a.mu.Unlock()
	}
	a.emitting.Lock()
	defer a.emitting.Unlock()
	for _, l := range slices.Clone(a.listeners) {
		l.hear(e)
	}
}

// Subscribe tells all events to hear, one at a time, until the function that it
// gives is called. A listener that is slow slows the agent; it must not call
// the agent.
func (a *Agent) Subscribe(hear func(Event)) (unsubscribe func()) {
	a.emitting.Lock()
	defer a.emitting.Unlock()
	a.listened++
	id := a.listened
	a.listeners = append(a.listeners, listener{id, hear})
	return func() {
		a.emitting.Lock()
		defer a.emitting.Unlock()
		a.listeners = slices.DeleteFunc(a.listeners, func(l listener) bool { return l.id == id })
	}
}

// A Run is a prompt that was accepted and has not begun. It must be carried
// out, with [Run.Do].
type Run struct {
	agent *Agent
	ctx   context.Context // of this one call, from its acceptance to its end
	do    func(ctx context.Context) Result
}

// Begin accepts a prompt: from now on the agent is streaming. The error of an
// agent that works is [ErrBusy] or [ErrCompacting].
func (a *Agent) Begin(ctx context.Context, input Input) (*Run, error) {
	return a.begin(ctx, Streaming, func(ctx context.Context) Result { return a.runner.Prompt(ctx, input) })
}

func (a *Agent) begin(ctx context.Context, state State, do func(context.Context) Result) (*Run, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch a.state {
	case Streaming:
		return nil, ErrBusy
	case Compacting:
		return nil, ErrCompacting
	case Idle:
	}
	ctx, a.cancel = context.WithCancel(ctx)
	a.state, a.idle, a.retry = state, make(chan struct{}), make(chan struct{})
	return &Run{a, ctx, do}, nil
}

// Do carries the prompt out. The agent is idle when it returns.
func (r *Run) Do() Result {
	defer r.agent.end()
	return r.do(r.ctx)
}

func (a *Agent) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.apply()
	a.cancel()
	a.state = Idle
	close(a.idle)
}

// Prompt carries a prompt through the loop to its end, with all that is said
// meanwhile. The error of an agent that works is [ErrBusy] or [ErrCompacting];
// any failure of the prompt itself is in the result.
func (a *Agent) Prompt(ctx context.Context, input Input) (Result, error) {
	run, err := a.Begin(ctx, input)
	if err != nil {
		return Result{}, err
	}
	return run.Do(), nil
}

// Continue goes on without a new prompt: with the words that wait, or with the
// last prompt where that got no answer. Otherwise it is [ErrAnswered], or
// [ErrNoMessages] where nothing was said yet.
func (a *Agent) Continue(ctx context.Context) (Result, error) {
	var failure error
	run, err := a.begin(ctx, Streaming, func(ctx context.Context) Result {
		var result Result
		result, failure = a.runner.again(ctx)
		return result
	})
	if err != nil {
		return Result{}, err
	}
	result := run.Do()
	return result, failure
}

// BeginCompact accepts that older messages are folded into the summary, which
// the function that it gives does; see [Runner.Compact]. The error of an agent
// that works is [ErrBusy] or [ErrCompacting].
func (a *Agent) BeginCompact(ctx context.Context, focus string) (do func() (Compaction, error), err error) {
	var c Compaction
	var failure error
	run, err := a.begin(ctx, Compacting, func(ctx context.Context) Result {
		c, failure = a.runner.Compact(ctx, focus)
		return Result{}
	})
	if err != nil {
		return nil, err
	}
	return func() (Compaction, error) {
		run.Do()
		return c, failure
	}, nil
}

// Compact accepts and does it.
func (a *Agent) Compact(ctx context.Context, focus string) (Compaction, error) {
	do, err := a.BeginCompact(ctx, focus)
	if err != nil {
		return Compaction{}, err
	}
	return do()
}

// Steer queues words that are heard before the next call of the model.
func (a *Agent) Steer(input Input) { q := &a.runner.queue; q.add(&q.steer, input, a.stamped) }

// FollowUp queues words that are heard when the run would end.
func (a *Agent) FollowUp(input Input) { q := &a.runner.queue; q.add(&q.follow, input, a.stamped) }

// stamped tells an event that is not of a prompt.
func (a *Agent) stamped(e Event) {
	e.Timestamp = a.runner.Now().UnixMilli()
	a.runner.Events(e)
}

// ClearQueue drops the words that wait, and gives their texts.
func (a *Agent) ClearQueue() (steering, followUps []string) {
	q := &a.runner.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	steering, followUps = q.texts()
	q.steer, q.follow = nil, nil
	a.stamped(q.update())
	return steering, followUps
}

// Queued gives the words that wait, oldest first.
func (a *Agent) Queued() (steering, followUps []string) {
	q := &a.runner.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.texts()
}

// SetQueueModes says how many words are heard at once; "" leaves a mode as it
// is.
func (a *Agent) SetQueueModes(steering, followUps QueueMode) {
	q := &a.runner.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if steering != "" {
		q.steerMode = steering
	}
	if followUps != "" {
		q.followMode = followUps
	}
}

// QueueModes says how many words are heard at once.
func (a *Agent) QueueModes() (steering, followUps QueueMode) {
	q := &a.runner.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	modes := []QueueMode{q.steerMode, q.followMode}
	for i, m := range modes {
		if m == "" {
			modes[i] = QueueOneAtATime
		}
	}
	return modes[0], modes[1]
}

// State says what the agent does now.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// Abort ends what is under way. It does not wait; words that wait stay. Idle
// agents have nothing to end.
func (a *Agent) Abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state != Idle {
		a.cancel()
	}
}

// Idle gives a channel that is closed once what is under way now has ended.
func (a *Agent) Idle() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.idle
}

// AbortRetry ends a wait before a failed call is tried again, and the trying.
func (a *Agent) AbortRetry() {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.retry:
	default:
		close(a.retry)
	}
}

func (a *Agent) waitForRetry(ctx context.Context, d time.Duration, wait func(context.Context, time.Duration) error) error {
	a.mu.Lock()
	stop := a.retry
	a.mu.Unlock()
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- wait(limited, d) }()
	select {
	case err := <-done:
		return err
	case <-stop:
		cancel()
		<-done
		return errRetryCancelled
	}
}

// Change changes the runner between two calls of the model: at once where the
// agent is idle, else before the next call or at the end of the run. It must
// not call the agent.
func (a *Agent) Change(change func(*Runner)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes = append(a.changes, change)
	if a.state == Idle {
		a.apply()
	}
}

func (a *Agent) settle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.apply()
}

func (a *Agent) apply() {
	for _, change := range a.changes {
		change(a.runner)
	}
	a.changes = nil
}

// SetModel changes who is asked from the next call on.
func (a *Agent) SetModel(model Model, dialect schemas.Dialect) {
	a.Change(func(r *Runner) { r.SetModel(model, dialect) })
}

// A Thinker is a [Model] that can think more or less before it answers.
type Thinker interface {
	// Thinking gives the same model with another level: off, minimal, low,
	// medium, high or xhigh.
	Thinking(level string) Model
}

// SetThinkingLevel changes how hard the model thinks from the next call on. A
// model that is no [Thinker] stays as it is.
func (a *Agent) SetThinkingLevel(level string) {
	a.Change(func(r *Runner) {
		if t, ok := r.Model.(Thinker); ok {
			r.Model = t.Thinking(level)
		}
	})
}

// SetAutoCompact turns compaction by itself on or off, from the next prompt on.
func (a *Agent) SetAutoCompact(on bool) { a.Change(func(r *Runner) { r.SetAutoCompact(on) }) }

// SetAutoRetry turns trying failed calls again on or off, from the next call on.
func (a *Agent) SetAutoRetry(on bool) {
	a.Change(func(r *Runner) {
		r.MaxRetries = a.retries
		if !on {
			r.MaxRetries = 0
		}
	})
}
