package terminal

import (
	"errors"
	"os"
	"time"

	"github.com/holic512/plugin-ai/executors"
)

// errNoTerminal is why nothing can be lent.
var errNoTerminal = errors.New("there is no terminal to give to it: run ai in a terminal, without --json")

// afterLent is how long an interrupt may still belong to the program that had
// the terminal: the signal and the end of the program race each other.
const afterLent = 200 * time.Millisecond

// Lend implements [runner.Lender]: use gets the terminal itself, also where
// the standard streams lead elsewhere. Until it returns nothing is read and
// what the Face is told is kept back; then the terminal is as it was before,
// whatever the program left.
func (f *Face) Lend(use func(executors.Console)) error {
	if f.cfg.JSON {
		return errNoTerminal
	}
	c := f.console()
	if c == nil {
		return errNoTerminal
	}
	return f.lend(c, use)
}

// Lent tells whether a program has the terminal, or had it just now: an
// interrupt that comes then is meant for that program.
func (f *Face) Lent() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lent || time.Since(f.returned) < afterLent
}

func (f *Face) lend(c *console, use func(executors.Console)) error {
	in, ok := c.in.r.(*os.File)
	if !ok {
		return errNoTerminal
	}
	out, ok := c.out.w.(*os.File)
	if !ok {
		return errNoTerminal
	}
	f.mu.Lock()
	if f.people != nil {
		f.people.spin.stop()
		if f.people.beside() {
			f.sheet.interrupt()
		}
	}
	f.lent = true
	f.hold(c, true)
	f.mu.Unlock()
	c.modes.restore()
	defer func() {
		takeBack(c.in.fd)
		c.in.discard() // it was typed for the program
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.silent {
			c.modes.silent()
		} else {
			c.modes.restore()
		}
		f.lent, f.returned = false, time.Now()
		f.hold(c, false)
	}()
	use(executors.Console{In: in, Out: out, Err: out})
	return nil
}

// hold keeps back what is written to a terminal, or lets it out.
func (f *Face) hold(c *console, on bool) {
	outputs := []*output{f.err, f.out}
	if c.out != f.err {
		outputs = append(outputs, c.out)
	}
	for _, o := range outputs {
		if o.terminal {
			o.lent = on
		}
	}
	if on {
		return
	}
	if c.out.control {
		c.out.print(sane)
	}
	for _, o := range outputs {
		held := o.held
		o.held = nil
		_, _ = o.Write(held)
	}
}

// sane undoes what a program may leave behind that was ended in the middle:
// the other screen, mouse and focus reports, pastes in brackets, keys of a
// number pad, no wrapping, no cursor, colours, and a part of the screen that
// scrolls alone.
const sane = "\x1b[?1047l" +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l" +
	"\x1b[?2004l\x1b[?1l\x1b[?66l\x1b[?7h\x1b[?25h" +
	"\x1b[0m\x1b[s\x1b[r\x1b[u"
