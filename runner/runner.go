package runner

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/registry"
	"github.com/holic512/plugin-ai/sandbox"
	"github.com/holic512/plugin-ai/schemas"
)

// A Model is who is asked: one call is one answer, arriving.
type Model interface {
	Stream(ctx context.Context, conversation llm.Context) iter.Seq[llm.Event]
	// Summarize is a call whose answer follows the schema "summary".
	Summarize(ctx context.Context, conversation llm.Context) iter.Seq[llm.Event]
}

// A Judge says what a step may do.
type Judge interface {
	Judge(step policy.Step) policy.Judgement
	JudgePlugin(step policy.PluginStep) policy.Judgement
	JudgePatch(step policy.PatchStep) policy.Judgement
}

// An Executor carries out a judged command.
type Executor interface {
	Run(ctx context.Context, command executors.Command, output func(executors.Chunk)) executors.Result
	RunInteractive(ctx context.Context, command executors.Command, console executors.Console) executors.Result
	RunAttached(ctx context.Context, command executors.Command, console executors.Console) executors.Result
}

// Config is all that a runner needs. Model, Judge, Exec, Asker and Window are
// needed; the rest has defaults.
type Config struct {
	Model   Model
	Dialect schemas.Dialect // the wire form that the model is asked for
	Judge   Judge
	Exec    Executor
	Asker   Asker
	Window  *contextmgr.Manager
	Events  func(Event) // nil is nobody
	// Sandbox is where steps run; nil is none. The executor has the same one.
	Sandbox *sandbox.Sandbox
	// SandboxRequired refuses every step where there is no sandbox.
	SandboxRequired bool
	// Plugins are the installed plugins; nil is that plugin.run is not offered.
	// Their programs must be below PluginFolder, and PluginData is where they
	// keep what they write; "" is nowhere.
	Plugins                  *registry.Source
	PluginFolder, PluginData string
	// Files plans and makes changes of settings files; nil is that
	// config.json_patch is not offered.
	Files *jsonfile.Editor
	// YesIsEnough tells of a file, by its real path, whether --yes is enough
	// to change it; nil is that a person must see every change.
	YesIsEnough func(path string) bool
	// Shell judges shell scripts; nil is that bash_exec is not offered.
	Shell func(script, cwd string, requires protocol.Requires) policy.Judgement
	// Decide has the person decide the items of a task, and gives the decisions
	// as JSON. ErrNobody is that nobody can be asked, ErrUndecided that the
	// person decided nothing; another error is that the items are no questions.
	// Nil is that decide.ask is not offered.
	Decide func(ctx context.Context, task string, items jsontext.Value) (jsontext.Value, error)
	// Terminal is what a plugin's own screen gets; nil is none.
	Terminal Lender
	// Dir is the folder that the person started in, absolute; Home is theirs.
	Dir, Home string
	// Chinese makes the runner's own answers Chinese; else they are English.
	Chinese bool

	MaxSteps   int // automatic steps before the person is asked; 0 is before each
	MaxRepairs int // times an invalid answer is asked for again
	MaxRetries int // times a failed call is tried again

	// AutoCompact folds older messages into a summary by itself, by one more
	// call of the model, when there are more than a request shows.
	AutoCompact bool

	// SteerAfter says how long what a person says meanwhile waits; "" is
	// [SteerAfterTool].
	SteerAfter SteerAfter

	// Wait waits between two tries; nil is a timer. An error while the prompt's
	// context goes on ends the retrying.
	Wait func(context.Context, time.Duration) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Input is what the person says.
type Input struct {
	Text    string // the question
	Context string // what was piped in beside it; "" is nothing
	Images  []llm.Image
	// Before are texts that the model is told before the question, such as what
	// the person's own commands wrote.
	Before []string
}

// A Runner carries one conversation. It is used by one caller at a time.
type Runner struct {
	Config
	allowed map[string]bool // steps that a person allowed for the session
	steps   atomic.Int64    // ids given out
	// prepared is true once the sandbox was told that it will be needed.
	prepared bool
	pause    pause // of summaries that fail
	queue    queue // what the person says while a prompt is under way
	// settle is called before each call of the model, by its goroutine; nil is
	// nothing.
	settle func()
}

// New checks a configuration and makes a runner of it.
func New(config Config) (*Runner, error) {
	switch {
	case config.Model == nil:
		return nil, errors.New("runner: no model is given")
	case config.Judge == nil:
		return nil, errors.New("runner: no judge is given")
	case config.Exec == nil:
		return nil, errors.New("runner: no executor is given")
	case config.Asker == nil:
		return nil, errors.New("runner: no asker is given")
	case config.Window == nil:
		return nil, errors.New("runner: no window is given")
	case config.MaxSteps < 0 || config.MaxRepairs < 0 || config.MaxRetries < 0:
		return nil, errors.New("runner: a limit is below zero")
	}
	if config.Events == nil {
		config.Events = func(Event) {}
	}
	if config.Wait == nil {
		config.Wait = wait
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Runner{Config: config, allowed: map[string]bool{}}, nil
}

// SetModel changes who is asked from the next call on.
func (r *Runner) SetModel(model Model, dialect schemas.Dialect) {
	r.Model, r.Dialect = model, dialect
	r.pause = pause{} // another one may give summaries
}

// Forget drops the conversation so far, and what was allowed in it.
func (r *Runner) Forget() {
	r.Window.Forget()
	clear(r.allowed)
	r.pause = pause{}
}

// Prompt carries one input through the loop to its end. Cancelling the
// context ends it at once, and the conversation can go on after it.
func (r *Runner) Prompt(ctx context.Context, input Input) Result {
	t := &turn{Runner: r, left: r.MaxSteps}
	return t.whole(ctx, []Input{input}, nil)
}

// whole carries inputs and words that waited through the loop, with what the
// person says meanwhile.
func (t *turn) whole(ctx context.Context, inputs, queued []Input) Result {
	t.emit(Event{Type: AgentStart})
	t.run(ctx, inputs, queued)
	t.emit(Event{Type: AgentEnd, Usage: t.result.Usage, Result: &t.result})
	return t.result
}

// turn is one prompt under way.
type turn struct {
	*Runner
	open   bool // the window has a turn that is under way
	left   int  // automatic steps before the person is asked
	free   bool // the person said to keep going
	ran    []protocol.Observation
	result Result
	asked  contextmgr.Window // what was sent last

	own     bool               // the steps are the person's own words
	decided int                // steps that asked the person to decide
	console *executors.Console // what a plugin gets then; nil is nothing
	screen  bool               // the console is a terminal
	bareRun bool               // a plugin runs without the sandbox
	planned *planned           // the change that the step makes; nil is what its words say
}

// run is the loop. It leaves the result behind, and the window closed. One
// round is one call of the model with its steps; before each the person is
// heard.
func (t *turn) run(ctx context.Context, inputs, queued []Input) {
	for first := true; ; first = false {
		t.emit(Event{Type: TurnStart})
		t.hear(inputs...)
		if len(queued) == 0 {
			queued = t.queue.steering()
		}
		t.heed(queued)
		if first {
			t.compactIfDue(ctx)
		}
		if reply, ok := t.ask(ctx); ok {
			switch reply.Type {
			case protocol.KindChat:
				t.Window.Answer(reply)
				t.end(EndChat, reply)
			case protocol.KindError:
				t.Window.Answer(reply)
				t.end(EndError, reply)
			case protocol.KindCmd:
				if t.goOn(ctx, reply) {
					observations := t.carryOut(ctx, reply)
					t.ran = append(t.ran, observations...)
					t.result.Steps++
					t.Window.Commands(reply, observations)
				}
			}
		}
		t.emit(Event{Type: TurnEnd})
		if t.result.End == "" && ctx.Err() != nil {
			t.abort()
		}
		if inputs, queued = nil, nil; t.result.End != "" {
			if queued = t.more(ctx); len(queued) == 0 {
				return
			}
		}
	}
}

// end says how the prompt ended.
func (t *turn) end(end End, reply protocol.Reply) {
	t.result.End, t.result.Reply = end, reply
}

// abort ends the prompt because its context ended.
func (t *turn) abort() {
	const words = "The person ended this turn."
	t.Window.Abandon(words)
	t.end(EndAborted, protocol.Reply{Type: protocol.KindError, Message: words})
}

// goOn counts an automatic step. At the limit it asks whether to go on, and
// where nobody says so it ends the prompt with the progress as a chat
// (plugin-ai document, section 10.4).
func (t *turn) goOn(ctx context.Context, reply protocol.Reply) bool {
	if t.free || t.left > 0 {
		t.left--
		return true
	}
	progress, title, answer := t.progress(reply)
	choice, err := t.Asker.Select(ctx, progress+" "+title, []string{SelectContinue, SelectStop, SelectKeepGoing})
	if ctx.Err() != nil {
		return false
	}
	if err == nil {
		switch choice {
		case 0:
			t.left = t.MaxSteps - 1
			return true
		case 2:
			t.free = true
			return true
		}
	}
	t.steps.Add(int64(len(reply.Cmd.Steps))) // the ids of the steps are told already
	chat := protocol.Reply{
		Type: protocol.KindChat, Message: progress + " " + answer,
		Chat: &protocol.Chat{Format: protocol.FormatPlain, Suggestions: []string{"continue"}},
	}
	t.emit(Event{Type: MessageStart, Role: llm.RoleAssistant})
	t.emit(Event{Type: MessageUpdate, Role: llm.RoleAssistant, Kind: chat.Type, Delta: chat.Message})
	t.emit(Event{Type: MessageEnd, Role: llm.RoleAssistant, Kind: chat.Type, Reply: &chat})
	t.Window.Answer(chat)
	t.end(EndStepLimit, chat)
	return false
}

// The options at the step limit, in the order of [Asker.Select].
const (
	SelectContinue  = "continue"
	SelectStop      = "stop"
	SelectKeepGoing = "keep going this turn"
)

func (t *turn) emit(e Event) {
	e.Timestamp = t.Now().UnixMilli()
	t.Events(e)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
