package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// errNoAnswer is what a question gives that the person left.
var errNoAnswer = errors.New("the question was not answered")

// A console is a terminal to ask at.
type console struct {
	in    *input
	out   *output
	modes *modes
}

// Asker gives who is asked: the person at the terminal; with Yes nobody for
// level L1, which is allowed; else nobody, and that is a no.
func (f *Face) Asker() runner.Asker {
	var inner runner.Asker = nobody{f}
	if !f.cfg.JSON {
		if c := f.console(); c != nil {
			inner = &asker{face: f, console: c}
		}
	}
	if f.cfg.Yes {
		return &yes{Asker: inner}
	}
	return inner
}

// console finds the terminal to ask at; nil where there is none. Questions
// are written to standard error where that is a terminal. Where standard
// input carries data the terminal of the process is read instead. What was
// found once is found again.
func (f *Face) console() *console {
	f.consoleMu.Lock()
	defer f.consoleMu.Unlock()
	if f.found == nil {
		f.found = f.findConsole()
	}
	if f.found == nil || !foreground(f.found.in.fd) {
		return nil
	}
	return f.found
}

func (f *Face) findConsole() *console {
	c := &console{f.in, f.err, f.modes}
	switch {
	case f.in.terminal && f.err.terminal:
	case f.in.terminal:
		tty := f.openTTY()
		if tty == nil {
			return nil
		}
		c.out = newOutput(tty, f.cfg.Color, f.cfg.Getenv)
	case f.err.terminal && carriesData(f.cfg.In):
		tty := f.openTTY()
		if tty == nil {
			return nil
		}
		c.in = newInput(tty)
		c.modes = saveModes(c.in)
		f.mu.Lock()
		f.cleanup = append([]func(){c.modes.restore}, f.cleanup...)
		f.mu.Unlock()
	default:
		return nil
	}
	return c
}

func (f *Face) openTTY() *os.File {
	if f.cfg.TTY == nil {
		return nil
	}
	tty, err := f.cfg.TTY()
	if err != nil {
		return nil
	}
	f.mu.Lock()
	f.cleanup = append(f.cleanup, func() { _ = tty.Close() })
	f.mu.Unlock()
	return tty
}

// carriesData tells a pipe or a file from a stream that was closed on
// purpose, such as /dev/null: then nobody is there.
func carriesData(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok || f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// asker asks the person at a console, line by line.
type asker struct {
	face *Face
	*console
	edited bool // a text came from the editor, and no question since
}

// Notify implements [runner.Asker].
func (a *asker) Notify(n runner.Notice) { a.face.Notify(n) }

// Confirm implements [runner.Asker].
func (a *asker) Confirm(ctx context.Context, q runner.Confirmation) (runner.Choice, error) {
	t := a.face.texts
	a.open()
	defer a.done()
	a.edited = false
	told, said := a.alreadyShown(q)
	a.explain(q, told, said)
	question, keys, more := t.AskRun, t.AskKeys, false
	if q.Change != nil {
		question = t.AskWrite
		more = a.change(q.Change)
	}
	always := q.Change == nil && !q.Person
	if !always {
		keys = t.AskOnce
	}
	if more {
		keys += "  " + t.DiffKey
	}
	for {
		line, err := a.ask(ctx, question+" "+keys)
		if err != nil {
			return runner.No, err
		}
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case word == "", is(t.NoWords, word):
			return runner.No, nil
		case is(t.YesWords, word):
			a.runs(q)
			return runner.Yes, nil
		case is(t.EditWords, word):
			return runner.Edit, nil
		case is(t.WhyWords, word):
			a.explainAll(q)
		case q.Change != nil && is(t.DiffWords, word):
			a.wholeChange(q.Change)
		case always && is(t.AlwaysWords, word):
			a.say("", fmt.Sprintf(t.AlwaysWhat, clean(q.CWD)))
			a.command(q.Judgement.Level, stepLine(&q.Step))
			line, err := a.ask(ctx, t.AlwaysSure)
			if err != nil {
				return runner.No, err
			}
			if is(t.YesWords, strings.ToLower(strings.TrimSpace(line))) {
				a.runs(q)
				return runner.Always, nil
			}
		default:
			a.say("", t.AskAgain)
		}
	}
}

// runs shows that the step runs now.
func (a *asker) runs(q runner.Confirmation) {
	a.face.mu.Lock()
	defer a.face.mu.Unlock()
	if p := a.face.people; p != nil {
		p.wait(fmt.Sprintf(p.t.Running, stepLine(&q.Step)))
	}
}

func is(words, word string) bool { return slices.Contains(strings.Fields(words), word) }

// Select implements [runner.Asker].
func (a *asker) Select(ctx context.Context, title string, options []string) (int, error) {
	t := a.face.texts
	a.open()
	defer a.done()
	a.say("", clean(title))
	for i, option := range options {
		a.say(strconv.Itoa(i+1)+".", cleanLine(t.option(option)))
	}
	for {
		line, err := a.ask(ctx, t.SelectPrompt)
		if err != nil {
			return -1, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			return -1, errNoAnswer
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(line, ".")); err == nil && n >= 1 && n <= len(options) {
			return n - 1, nil
		}
		for i, option := range options {
			if strings.EqualFold(line, option) || line == t.option(option) {
				return i, nil
			}
		}
		a.say("", fmt.Sprintf(t.SelectAgain, len(options)))
	}
}

// Input implements [runner.Asker].
func (a *asker) Input(ctx context.Context, title string) (string, error) {
	a.open()
	defer a.done()
	a.say("", clean(title))
	return a.ask(ctx, a.face.texts.InputPrompt)
}

// Edit implements [runner.Asker]. Where the terminal can do no more, the
// whole text is typed anew.
func (a *asker) Edit(ctx context.Context, title, text string) (string, error) {
	t := a.face.texts
	a.open()
	defer a.done()
	title = t.option(clean(title))
	if a.out.control {
		if title != "" {
			title += ": "
		}
		a.say("", title+t.EditKeys)
		a.in.discard()
		line, err := a.edit(ctx, text)
		if err != nil {
			return "", err
		}
		return line, nil
	}
	a.say("", title)
	a.say("", clean(text))
	line, err := a.ask(ctx, t.EditPlain)
	if err == nil && strings.TrimSpace(line) == "" {
		line = text
	}
	return line, err
}

// open makes room for a question.
func (a *asker) open() {
	f := a.face
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.people != nil {
		f.people.spin.stop()
		if f.people.beside() {
			f.sheet.interrupt()
		}
	}
	a.modes.restore()
}

// done ends a question.
func (a *asker) done() {
	a.face.mu.Lock()
	defer a.face.mu.Unlock()
	if a.face.silent {
		a.modes.silent()
	}
}

// ask writes a prompt and reads the line that answers it. What was typed
// before the prompt was there is no answer.
func (a *asker) ask(ctx context.Context, prompt string) (string, error) {
	a.in.discard()
	columns, _ := a.out.size()
	rows := hang(prompt, columns-4, 0) // the answer has room beside the last one
	for i, row := range rows {
		rows[i] = paint(row, bold, a.out.color)
	}
	a.print(strings.Join(rows, "\n") + " > ")
	line, err := a.in.readLine(ctx)
	if err != nil {
		a.print("\n")
		if errors.Is(err, io.EOF) {
			err = errNoAnswer
		}
	}
	return line, err
}

func (a *asker) command(level protocol.Level, line string) {
	columns, _ := a.out.size()
	tag := paint("["+level.String()+"]", levelStyle(level), a.out.color)
	for i, row := range chop(line, columns-6) {
		if i > 0 {
			tag = "    "
		}
		a.print(tag + " " + paint(row, bold, a.out.color) + "\n")
	}
}

// say writes a text with its label; nothing where the text is empty.
func (a *asker) say(label, text string) {
	if text = clean(text); text == "" {
		return
	}
	indent := 0
	if label != "" {
		indent, label = 5, label+": "
		if strings.HasSuffix(label, ".: ") || label == "-: " {
			label = strings.Replace(label, ":", "", 1)
		}
	}
	columns, _ := a.out.size()
	pad := strings.Repeat(" ", indent)
	for i, row := range hang(label+text, columns-1-indent, 2) {
		if rest, ok := strings.CutPrefix(row, label); ok && i == 0 {
			row = paint(label, dim, a.out.color) + rest
		}
		a.print(strings.TrimRight(pad+row, " ") + "\n")
	}
}

// indented writes a text below the command that it is about.
func (a *asker) indented(text string) {
	columns, _ := a.out.size()
	for _, row := range hang(clean(text), columns-6, 2) {
		a.print(strings.TrimRight("     "+row, " ") + "\n")
	}
}

func (a *asker) print(s string) {
	a.face.mu.Lock()
	defer a.face.mu.Unlock()
	a.out.print(s)
}
