package terminal

import (
	"bytes"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// A sheet is what an answer is written on.
type sheet interface {
	// write adds text to the answer; it is seen at once.
	write(s string)
	// finish ends the answer with exactly one newline. The format is "" where
	// nobody told it.
	finish(format protocol.Format)
	// restart ends what was written, because a new answer replaces it.
	restart()
	// interrupt leaves the line, because something else is written beside
	// the answer. The answer goes on afterwards.
	interrupt()
}

// An answer is the text of one answer while it arrives. What was given up
// and comes again is not written twice. The zero value but for the sheet is
// ready.
type answer struct {
	sheet sheet
	shown []byte // what the sheet was given and no finish has ended
	again bool   // the attempt repeats shown, as far as it is known
	same  int    // of shown, how much the attempt has repeated
}

// begin starts an attempt: the first, or another one after one that was
// given up.
func (a *answer) begin() {
	a.again, a.same = len(a.shown) > 0, 0
}

// add writes the next piece of the attempt. It tells whether the attempt
// turned out to differ from what was given up before.
func (a *answer) add(s string) (restarted bool) {
	if a.again {
		n := common(a.shown[a.same:], s)
		a.same += n
		s = s[n:]
		if s == "" {
			return false
		}
		if restarted = a.same < len(a.shown); restarted {
			a.restart()
		}
		a.again = false
	}
	if s == "" {
		return restarted
	}
	a.shown = append(a.shown, s...)
	a.sheet.write(s)
	return restarted
}

// restart begins the sheet anew with what the attempt has said so far.
func (a *answer) restart() {
	a.again = false
	a.shown = a.shown[:a.same]
	a.sheet.restart()
	a.sheet.write(string(a.shown))
}

// end ends the answer, whose whole text is message.
func (a *answer) end(message string, format protocol.Format) (restarted bool) {
	said := a.shown
	if a.again {
		said = said[:a.same]
	}
	if rest, ok := strings.CutPrefix(message, string(said)); ok {
		restarted = a.add(rest)
		if a.again && a.same < len(a.shown) {
			a.restart()
			restarted = true
		}
	} else {
		a.sheet.restart()
		a.sheet.write(message)
		restarted = true
	}
	a.sheet.finish(format)
	a.shown, a.again, a.same = nil, false, 0
	return restarted
}

// drop ends what was written of an answer that never ended well.
func (a *answer) drop() {
	if len(a.shown) > 0 {
		a.sheet.finish("")
	}
	a.shown, a.again, a.same = nil, false, 0
}

func common(a []byte, s string) int {
	n := min(len(a), len(s))
	if bytes.HasPrefix(a, []byte(s)) {
		return len(s)
	}
	for i := range n {
		if a[i] != s[i] {
			return i
		}
	}
	return n
}

// A stream is a sheet that text is written through to: a pipe or a file, as
// it is; a terminal that can do no more, made harmless. Newlines at the very
// end wait, so that exactly one ends the answer.
type stream struct {
	out   *output
	clean *cleaner // nil: bytes as they are
	buf   []byte
	ends  int  // newlines that wait
	dirty bool // the line is not ended
}

func (s *stream) write(text string) {
	if s.clean != nil {
		text = s.clean.add(text)
	}
	body := strings.TrimRight(text, "\n")
	s.buf = s.buf[:0]
	if body != "" {
		for ; s.ends > 0; s.ends-- {
			s.buf = append(s.buf, '\n')
		}
		s.buf = append(s.buf, body...)
		s.dirty = true
		_, _ = s.out.Write(s.buf)
	}
	s.ends += len(text) - len(body)
}

func (s *stream) finish(protocol.Format) {
	if s.clean != nil {
		if rest := s.clean.rest(); rest != "" {
			s.write(rest)
		}
	}
	s.ends, s.dirty = 0, false
	s.out.print("\n")
}

func (s *stream) restart() {
	if s.clean != nil {
		s.clean.rest()
	}
	if s.dirty {
		s.out.print("\n")
	}
	s.ends, s.dirty = 0, false
}

func (s *stream) interrupt() {
	if s.dirty && s.out.terminal {
		s.out.print("\n")
		s.ends, s.dirty = max(s.ends-1, 0), false
	}
}
