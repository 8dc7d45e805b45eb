package terminal

import (
	"context"
	"fmt"
	"strings"

	"github.com/holic512/plugin-ai/runner"
)

// command carries out a line that is meant for the program.
func (l *loop) command(ctx context.Context, text string) (done, quit bool) {
	if text == "exit" || text == "quit" {
		return true, true
	}
	word, arg, _ := strings.Cut(text, " ")
	if !strings.HasPrefix(word, "/") || strings.Contains(word[1:], "/") || strings.Contains(text, "\n") {
		return false, false
	}
	switch arg = strings.TrimSpace(arg); word {
	case "/quit", "/exit":
		return true, true
	case "/help":
		l.say(strings.TrimRight(l.t.Help, "\n") + l.addedHelp() + "\n")
		if l.editor != nil {
			l.say(l.t.HelpKeys)
		} else {
			l.say(l.t.HelpLines)
		}
	case "/clear":
		l.agent.Forget()
		l.suggestions = nil
		l.say(l.t.Cleared)
	case "/policy":
		if l.talk.Policy == nil {
			l.say(l.t.NoPolicy)
		} else {
			l.say(strings.TrimRight(clean(l.talk.Policy()), "\n"))
		}
	case "/model":
		l.model(arg)
	default:
		if !l.added(ctx, word, arg) {
			l.unknown(word)
		}
	}
	return true, false
}

func (l *loop) model(name string) {
	m := l.talk.Models
	switch {
	case m == nil:
		l.unknown("/model")
	case name == "":
		l.say(fmt.Sprintf(l.t.ModelNow, cleanLine(m.Current())))
		if names := m.Names(); len(names) > 0 {
			l.say(fmt.Sprintf(l.t.ModelUnknown, cleanLine(strings.Join(names, ", "))))
		}
	default:
		if err := m.Use(name); err != nil {
			l.face.Notify(runner.Notice{Kind: runner.NoticeError, Text: err.Error()})
			return
		}
		l.say(fmt.Sprintf(l.t.ModelSet, cleanLine(m.Current())))
	}
}

func (l *loop) unknown(word string) {
	if near := nearest(word, l.talk.Commands...); near != "" {
		l.say(fmt.Sprintf(l.t.UnknownCommand, cleanLine(word), near))
		return
	}
	l.say(fmt.Sprintf(l.t.UnknownPlain, cleanLine(word)))
}

// nearest gives the commands that may be meant.
func nearest(word string, added ...Command) string {
	var near []string
	known := []string{"/help", "/clear", "/model", "/policy", "/quit", "/exit"}
	for _, c := range added {
		known = append(known, c.Name)
	}
	for _, c := range known {
		if c != word && (len(word) > 1 && strings.HasPrefix(c, word) || distance(word, c) <= 2) {
			near = append(near, c)
		}
	}
	return strings.Join(near, ", ")
}

// distance counts the letters to add, drop or change between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, corner+1, row[j]+1)
		}
	}
	return row[len(b)]
}
