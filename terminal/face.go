package terminal

import (
	"io"
	"sync"
	"time"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// Config is all that a [Face] is told at its start.
type Config struct {
	Streams
	Getenv   func(string) string // for NO_COLOR, TERM and the like; nil is an empty environment
	Language Language
	Color    ColorMode
	Verbose  bool // also notes, violations and the output of commands
	Quiet    bool // no progress: errors, refusals and questions only
	JSON     bool // standard error carries events as JSON, and nobody is asked
	Yes      bool // level L1 runs without a question

	// Allowed says where nobody is ever asked how a person allows a step; ""
	// is that --yes does.
	Allowed string
	// ExitCode gives the exit code for a result, for the closing event of
	// JSON; nil gives 0.
	ExitCode func(runner.Result) int
	// OnOutputClosed is called once when the reader of Out has gone. It must
	// not call the Face. nil is fine.
	OnOutputClosed func()
}

// A reporter tells on standard error what happens. It is used under the lock
// of its Face.
type reporter interface {
	event(ev runner.Event)
	// restarted tells that the answer on standard output begins anew.
	restarted()
	// fail tells a failure outside of a prompt.
	fail(fact, hint string, code int)
	notice(n runner.Notice)
	close()
}

// A Face shows what a runner does. Its methods may be called from any
// goroutine; nothing that it writes is torn apart.
type Face struct {
	cfg   Config
	texts *texts
	in    *input
	out   *output
	err   *output
	modes *modes

	mu      sync.Mutex
	sheet   sheet
	answer  answer
	early   string // of the attempt, before its kind was known
	shown   *protocol.Reply
	report  reporter
	people  *people // nil with JSON
	told    bool    // OnOutputClosed was called
	silent  bool    // what is typed while a turn runs is not seen
	cleanup []func()

	conversation bool // more questions may follow

	lent     bool      // a program has the terminal
	returned time.Time // when it was given back last

	consoleMu sync.Mutex
	found     *console // nil: none was found yet
}

// New looks at the streams and gives the face. Close must be called at the
// end.
func New(cfg Config) *Face {
	if cfg.Getenv == nil {
		cfg.Getenv = func(string) string { return "" }
	}
	if cfg.In == nil {
		cfg.In = eof{}
	}
	if cfg.Out == nil {
		cfg.Out = io.Discard
	}
	if cfg.Err == nil {
		cfg.Err = io.Discard
	}
	f := &Face{
		cfg:   cfg,
		texts: textsIn(cfg.Language),
		in:    newInput(cfg.In),
		out:   newOutput(cfg.Out, cfg.Color, cfg.Getenv),
		err:   newOutput(cfg.Err, cfg.Color, cfg.Getenv),
	}
	f.modes = saveModes(f.in)
	f.sheet = newSheet(f.out)
	f.answer = answer{sheet: f.sheet}
	if cfg.JSON {
		f.report = newEvents(f.err, cfg.ExitCode)
	} else {
		f.people = newPeople(f)
		f.report = f.people
	}
	if f.out.fd >= 0 || f.err.fd >= 0 {
		f.cleanup = append(f.cleanup, catchBrokenPipe())
	}
	return f
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// newSheet chooses how an answer is written by what the stream can do.
func newSheet(out *output) sheet {
	switch {
	case !out.terminal:
		return &stream{out: out}
	case !out.control:
		return &stream{out: out, clean: &cleaner{}}
	}
	return newScreen(out)
}

// Event shows one event of a runner.
func (f *Face) Event(ev runner.Event) {
	f.mu.Lock()
	f.readAnswer(ev)
	f.report.event(ev)
	closed := f.out.err != nil && !f.told
	f.told = f.told || closed
	f.mu.Unlock()
	if closed && f.cfg.OnOutputClosed != nil {
		f.cfg.OnOutputClosed()
	}
}

// readAnswer writes what of an event belongs to standard output.
func (f *Face) readAnswer(ev runner.Event) {
	restarted := false
	switch ev.Type {
	case runner.AgentStart:
		f.shown = nil
	case runner.MessageStart:
		if ev.Role == llm.RoleAssistant {
			f.early = ""
			f.answer.begin()
		}
	case runner.MessageUpdate:
		if ev.Delta == "" {
			return
		}
		switch ev.Kind {
		case protocol.KindChat:
			delta := ev.Delta
			if f.early != "" {
				delta, f.early = f.early+delta, ""
			}
			f.beforeAnswer()
			restarted = f.answer.add(delta)
		case "":
			f.early += ev.Delta
		default: // shown whole, on standard error
		}
	case runner.MessageEnd:
		if ev.Role == llm.RoleAssistant && ev.Reply != nil {
			f.shown = ev.Reply
			restarted = f.reply(ev.Reply)
		}
	case runner.AgentEnd:
		// What the runner says itself may come with the result only.
		if r := ev.Result; r != nil && r.Reply.Type == protocol.KindChat && !f.wasShown(r) {
			f.answer.begin()
			restarted = f.reply(&r.Reply)
		}
		f.answer.drop()
	default:
	}
	if restarted {
		f.report.restarted()
	}
}

func (f *Face) wasShown(r *runner.Result) bool {
	if f.shown == nil || f.shown.Type != protocol.KindChat {
		return false
	}
	return r.End == runner.EndChat || f.shown.Message == r.Reply.Message
}

func (f *Face) reply(r *protocol.Reply) (restarted bool) {
	if r.Type != protocol.KindChat {
		return false
	}
	format := protocol.FormatPlain
	if r.Chat != nil && r.Chat.Format != "" {
		format = r.Chat.Format
	}
	f.beforeAnswer()
	return f.answer.end(r.Message, format)
}

// beforeAnswer clears the line that progress is shown on.
func (f *Face) beforeAnswer() {
	if f.people != nil {
		f.people.spin.stop()
	}
}

// Fail tells a failure outside of a prompt: a fact and what the person can
// do about it ("" is nothing). With JSON it is an error event, followed by
// the closing event where none was written yet.
func (f *Face) Fail(fact, hint string, code int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer.drop()
	f.report.fail(fact, hint, code)
}

// Notify tells something beside an answer.
func (f *Face) Notify(n runner.Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report.notice(n)
}

// Err is why standard output could not be written: nil, [ErrOutputClosed] or
// what the system said.
func (f *Face) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.err
}

// Close ends what is unfinished on the streams and puts the terminal back
// into the state that New found. It may be called more than once.
func (f *Face) Close() {
	f.mu.Lock()
	f.answer.drop()
	f.report.close()
	todo := f.cleanup
	f.cleanup = nil
	f.mu.Unlock()
	for _, do := range todo {
		do()
	}
	f.modes.restore()
}

// seconds writes a duration for people.
func seconds(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return trimZero(d.Seconds()) + " s"
	case d < time.Minute:
		return itoa(int(d.Seconds())) + " s"
	}
	return itoa(int(d.Minutes())) + " min " + itoa(int(d.Seconds())%60) + " s"
}
