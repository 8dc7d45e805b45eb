package terminal

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// ErrOutputClosed tells that the reader of standard output has gone, as in
// `ai … | head -1`. It is no failure: there is nobody left to tell.
var ErrOutputClosed = errors.New("the reader of standard output has gone")

// ColorMode is what the person asked for on the command line.
type ColorMode int

// The colour modes.
const (
	ColorAuto   ColorMode = iota // by the environment and the stream
	ColorAlways                  // --color
	ColorNever                   // --no-color
)

// Streams are the three standard streams. What is an *[os.File] is looked at
// for being a terminal; any other reader or writer is not one.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// TTY opens the terminal of the process for a question while In carries
	// data; nil is none. [OpenTTY] is the real one.
	TTY func() (*os.File, error)
}

// fallback size of a terminal that does not tell its own.
const (
	fallbackColumns = 80
	fallbackRows    = 24
	minColumns      = 20
)

// output is one stream that is written to, with what was found out about it.
// It is used under the lock of its Face.
type output struct {
	w        io.Writer
	fd       int // -1: not a file
	terminal bool
	control  bool // a terminal that can move its cursor
	color    bool
	measure  func() (columns, rows int, err error)
	err      error // of the first write that failed; no write follows it

	lent bool   // a program has the terminal
	held []byte // that is written when it is given back
}

// newOutput looks at a stream once.
func newOutput(w io.Writer, mode ColorMode, getenv func(string) string) *output {
	o := &output{w: w, fd: -1}
	if f, ok := w.(*os.File); ok && f != nil {
		o.fd = int(f.Fd())
		o.terminal = term.IsTerminal(o.fd)
	}
	o.measure = func() (int, int, error) { return term.GetSize(o.fd) }
	dumb := getenv("TERM") == "dumb"
	o.control = o.terminal && !dumb && enableEscapes(o.fd)
	o.color = useColor(mode, o.terminal, dumb, getenv) && (o.control || !o.terminal || mode == ColorAlways || forced(getenv))
	return o
}

// useColor decides about colours for one stream.
func useColor(mode ColorMode, terminal, dumb bool, getenv func(string) string) bool {
	switch {
	case mode == ColorAlways:
		return true
	case mode == ColorNever, getenv("NO_COLOR") != "":
		return false
	case forced(getenv):
		return true
	case dumb, !terminal:
		return false
	}
	return getenv("CLICOLOR") != "0"
}

func forced(getenv func(string) string) bool {
	for _, name := range []string{"CLICOLOR_FORCE", "FORCE_COLOR"} {
		if v := getenv(name); v != "" && v != "0" {
			return true
		}
	}
	return false
}

// size asks the terminal for its size, each time anew, so that a resized
// window is known at once.
func (o *output) size() (columns, rows int) {
	if o.terminal {
		if c, r, err := o.measure(); err == nil && c > 0 && r > 0 {
			return max(c, minColumns), r
		}
	}
	return fallbackColumns, fallbackRows
}

// Write writes all of p or remembers why it could not. After a failure it
// does nothing more.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if o.lent {
		o.held = append(o.held, p...)
		return len(p), nil
	}
	n, err := o.w.Write(p)
	if err != nil {
		if readerGone(err) {
			err = ErrOutputClosed
		}
		o.err = err
	}
	return n, err
}

func (o *output) print(s string) { _, _ = o.Write([]byte(s)) }
