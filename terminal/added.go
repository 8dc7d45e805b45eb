package terminal

import (
	"context"
	"errors"
	"strings"

	"github.com/holic512/plugin-ai/runner"
)

// A Command is a word after a slash that the program adds to a conversation.
type Command struct {
	Name string // with its slash
	Args string // what may follow, as /help shows it; "" is nothing
	Help string // one line
	// Run carries it out. next is what the next input begins with, for the
	// person to change; an error is told.
	Run func(ctx context.Context, arg string) (next string, err error)
}

// added carries out one of the program's own commands.
func (l *loop) added(ctx context.Context, word, arg string) bool {
	for _, c := range l.talk.Commands {
		if c.Name != word {
			continue
		}
		var next string
		var err error
		l.within(ctx, func(ctx context.Context) { next, err = c.Run(ctx, arg) })
		switch {
		case errors.Is(err, ErrNothingPicked), errors.Is(err, context.Canceled):
		case err != nil:
			l.face.Notify(runner.Notice{Kind: runner.NoticeError, Text: err.Error()})
		default:
			l.suggestions = nil
			if l.next = next; next != "" && l.editor == nil {
				l.say("> " + clean(next))
			}
		}
		return true
	}
	return false
}

// addedHelp are the lines of /help for them.
func (l *loop) addedHelp() string {
	var b strings.Builder
	for _, c := range l.talk.Commands {
		usage := strings.TrimSpace(c.Name + " " + c.Args)
		b.WriteString("\n" + usage + strings.Repeat(" ", max(16-textWidth(usage), 1)) + c.Help)
	}
	return b.String()
}

// Say tells the person something beside an answer; it may have several lines.
func (f *Face) Say(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.people == nil {
		if text != "" {
			f.report.notice(runner.Notice{Kind: runner.NoticeInfo, Text: text})
		}
		return
	}
	for _, line := range strings.Split(clean(text), "\n") {
		f.people.line(0, "", 0, line)
	}
}
