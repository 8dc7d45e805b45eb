package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// Agent is who answers. A [runner.Runner] is one.
type Agent interface {
	Prompt(ctx context.Context, input runner.Input) runner.Result
	Forget()
}

// Models names the models that /model shows and chooses from.
type Models interface {
	Current() string
	Names() []string
	// Use changes the model for what is asked from now on.
	Use(name string) error
}

// Conversation is what [Face.Interactive] needs beside the agent.
type Conversation struct {
	First       string              // is asked before anything is read; "" is nothing
	HistoryFile string              // "" keeps no history
	Mask        func(string) string // takes secrets out of what is kept; nil keeps all
	Policy      func() string       // the summary that /policy shows; nil is none
	Models      Models              // nil: /model is not known
	Commands    []Command           // that the program adds
	// Status is a line that stands below each answer: how full the window is,
	// what was spent. Nil or "" is none.
	Status func() string
}

// The exit codes of [Face.Interactive] beside 0 and 128 + the signal.
const (
	exitInterrupted = 130
	exitLocal       = 2
)

const (
	secondInterrupt = 2 * time.Second // a second Ctrl-C in this time leaves
	leaveGrace      = 3 * time.Second // that a turn has to end in when the loop is left
)

// Interactive reads one input after the other and hands it to the agent,
// until the person leaves: 0 for the end of the input or /quit, 130 for the
// second Ctrl-C, 128 and its number for another signal; 130 too where ctx
// ends. It takes care of the signals itself: an interrupt must not end ctx.
// The terminal is as it was when it returns or panics.
func (f *Face) Interactive(ctx context.Context, agent Agent, talk Conversation) (code int) {
	l := &loop{face: f, agent: agent, talk: talk, t: f.texts, first: strings.TrimSpace(talk.First)}
	f.mu.Lock()
	f.conversation = true
	f.mu.Unlock()
	defer f.restoreTerminal()
	past, err := loadHistory(talk.HistoryFile, talk.Mask)
	if err != nil {
		f.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: err.Error()})
	}
	l.past = past
	if c := f.console(); c != nil && !f.cfg.JSON && f.in.terminal && c.out.control {
		l.editor = &editor{console: c, prompt: "> ", search: f.texts.Search, clear: true}
	}
	stop := l.watch()
	defer stop()
	return l.run(ctx)
}

// restoreTerminal undoes all that may have been changed on the terminal.
func (f *Face) restoreTerminal() {
	f.mu.Lock()
	f.silent = false
	f.mu.Unlock()
	f.modes.restore()
}

// A loop is one conversation at a terminal.
type loop struct {
	face   *Face
	agent  Agent
	talk   Conversation
	t      *texts
	past   *history
	editor *editor // nil: plain lines

	suggestions []string
	first       string // that is asked before anything is read
	next        string // that the next input begins with

	mu          sync.Mutex
	cancel      context.CancelCauseFunc // of what goes on now
	interrupted time.Time               // when Ctrl-C came last
	code        int                     // to leave with; 0: stay
	left        chan struct{}           // closed when code is set
}

// watch takes the signals until stop is called.
func (l *loop) watch() (stop func()) {
	l.left = make(chan struct{})
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, leaveSignals()...)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if s == os.Interrupt {
					l.interrupt()
				} else if n, ok := s.(syscall.Signal); ok {
					l.leave(128 + int(n))
				}
			}
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}

// interrupt is one Ctrl-C. It tells whether it was the second one. One that
// is meant for the program that has the terminal is none.
func (l *loop) interrupt() (second bool) {
	if l.face.Lent() {
		return false
	}
	l.mu.Lock()
	second = time.Since(l.interrupted) < secondInterrupt
	l.interrupted = time.Now()
	cancel := l.cancel
	l.mu.Unlock()
	if second {
		l.leave(exitInterrupted)
	} else if cancel != nil {
		cancel(errInterrupted)
	}
	return second
}

func (l *loop) leave(code int) {
	l.face.mu.Lock()
	l.face.conversation = false
	l.face.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.code == 0 {
		l.code = code
		close(l.left)
	}
	if l.cancel != nil {
		l.cancel(errInterrupted)
	}
}

// leaving gives the code to leave with; 0 is none.
func (l *loop) leaving() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.code
}

// within runs something that the signals can cancel.
func (l *loop) within(ctx context.Context, do func(ctx context.Context)) {
	inner, cancel := context.WithCancelCause(ctx)
	l.mu.Lock()
	l.cancel = cancel
	if l.code != 0 {
		cancel(errInterrupted)
	}
	l.mu.Unlock()
	do(inner)
	l.mu.Lock()
	l.cancel = nil
	l.mu.Unlock()
	cancel(nil)
}

func (l *loop) run(ctx context.Context) int {
	if l.face.in.terminal {
		l.say(l.t.Welcome)
	}
	if l.first != "" {
		l.remember(l.first)
		l.turn(ctx, l.first)
		switch {
		case l.leaving() != 0:
			return l.leaving()
		case ctx.Err() != nil:
			return exitInterrupted
		}
	}
	asked := false // whether Ctrl-C at an empty prompt was just answered
	for {
		var text string
		var err error
		l.within(ctx, func(ctx context.Context) { text, err = l.read(ctx) })
		switch code := l.leaving(); {
		case code != 0:
			return code
		case ctx.Err() != nil:
			return exitInterrupted
		case errors.Is(err, io.EOF):
			return 0
		case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
			if strings.TrimSpace(text) != "" {
				asked = false
				continue
			}
			if asked {
				return exitInterrupted
			}
			l.say(l.t.PressAgain)
			asked = true
			continue
		case err != nil:
			l.face.Fail(err.Error(), "", exitLocal)
			return exitLocal
		}
		asked = false
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		l.remember(text)
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(l.suggestions) {
			text = l.suggestions[n-1]
			l.say("> " + cleanLine(text))
		} else if done, quit := l.command(ctx, text); quit {
			return 0
		} else if done {
			continue
		}
		l.turn(ctx, text)
		if code := l.leaving(); code != 0 {
			return code
		}
	}
}

// remember keeps an input for later sessions.
func (l *loop) remember(text string) {
	if err := l.past.add(text); err != nil {
		l.face.Notify(runner.Notice{Kind: runner.NoticeWarning, Text: err.Error()})
	}
}

// read reads one input.
func (l *loop) read(ctx context.Context) (string, error) {
	if l.editor != nil {
		l.editor.past = l.past.entries
		begin := l.next
		l.next = ""
		text, err := l.editor.edit(ctx, begin)
		if errors.Is(err, errInterrupted) && strings.TrimSpace(text) == "" && l.interrupt() {
			err = io.EOF // the code to leave with is set
		}
		return text, err
	}
	f := l.face
	f.modes.restore()
	var whole strings.Builder
	for {
		if f.in.terminal && !f.cfg.JSON {
			f.mu.Lock()
			f.err.print("> ")
			f.mu.Unlock()
		}
		line, err := f.in.readLine(ctx)
		if err != nil {
			if f.in.terminal {
				l.say("")
			}
			if errors.Is(err, io.EOF) && whole.Len() > 0 {
				return whole.String(), nil
			}
			return "", err
		}
		more, goesOn := strings.CutSuffix(line, `\`)
		whole.WriteString(more)
		if !goesOn {
			return whole.String(), nil
		}
		whole.WriteByte('\n')
	}
}

// turn hands one input to the agent and waits for the end.
func (l *loop) turn(ctx context.Context, text string) {
	f := l.face
	if f.in.terminal && f.err.terminal {
		f.mu.Lock()
		f.silent = true
		f.mu.Unlock()
		f.modes.silent()
	}
	l.within(ctx, func(ctx context.Context) {
		done := make(chan runner.Result, 1)
		go func() {
			defer func() {
				if p := recover(); p != nil { // the program ends; not so the terminal
					f.restoreTerminal()
					panic(p)
				}
			}()
			done <- l.agent.Prompt(ctx, runner.Input{Text: text})
		}()
		select {
		case r := <-done:
			l.suggest(r)
			l.status()
		case <-l.left:
			select {
			case <-done:
			case <-time.After(leaveGrace):
			}
		}
	})
	f.restoreTerminal()
}

// status writes the status line, where a person reads it.
func (l *loop) status() {
	if l.talk.Status == nil || l.face.cfg.Quiet || l.face.people == nil || !l.face.err.terminal {
		return
	}
	line := cleanLine(l.talk.Status())
	if line == "" {
		return
	}
	f := l.face
	f.mu.Lock()
	defer f.mu.Unlock()
	columns, _ := f.err.size()
	for _, row := range hang(line, columns-1, 0) {
		f.err.print(paint(row, dim, f.err.color) + "\n")
	}
}

// suggest lists what an answer offers to ask next.
func (l *loop) suggest(r runner.Result) {
	l.suggestions = nil
	if r.Reply.Type != protocol.KindChat || r.Reply.Chat == nil {
		return
	}
	for _, s := range r.Reply.Chat.Suggestions {
		if strings.TrimSpace(s) != "" {
			l.suggestions = append(l.suggestions, s)
		}
	}
	if len(l.suggestions) == 0 {
		return
	}
	l.say(l.t.Suggestions)
	for i, s := range l.suggestions {
		l.say("  " + strconv.Itoa(i+1) + ". " + cleanLine(s))
	}
}

// say writes a line for the person.
func (l *loop) say(text string) {
	f := l.face
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.people == nil {
		if text != "" {
			f.report.notice(runner.Notice{Kind: runner.NoticeInfo, Text: text})
		}
		return
	}
	for _, line := range strings.Split(text, "\n") {
		f.people.line(0, "", 0, line)
	}
}
