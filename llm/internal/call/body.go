package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/holic512/plugin-ai/llm"
)

// maxBody is the most bytes that one answer may have on the wire.
const maxBody = 256 << 20

var errBodyTooLong = fmt.Errorf("the answer is longer than %d MiB", maxBody>>20)

// A phase is what a call waits for.
type phase int32

const (
	connecting phase = iota // a connection
	responding              // the first byte of the answer
	streaming               // the next piece of it
	finishing               // usage and the end, after the finish reason
	draining                // the end of the body, after the last event
)

// limits are the longest waits by phase; 0 and below is none.
type limits [draining + 1]time.Duration

// A phaseError is the cause with which a watch cancels a call.
type phaseError struct {
	phase phase
	limit time.Duration
}

func (e *phaseError) Error() string {
	var what string
	switch e.phase {
	case connecting:
		what = "no connection"
	case responding:
		what = "no answer"
	case streaming, finishing, draining:
		what = "nothing more of the answer"
	}
	return fmt.Sprintf("%s within %v", what, e.limit)
}

// A watch ends a call that waits too long. One timer serves all phases.
type watch struct {
	limits limits
	phase  atomic.Int32
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func newWatch(ctx context.Context, l limits) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{limits: l, cancel: cancel}
	w.timer = time.AfterFunc(1<<62, func() {
		at := phase(w.phase.Load())
		cancel(&phaseError{at, l[at]})
	})
	w.enter(connecting)
	return ctx, w
}

// enter begins a phase, or begins its wait anew.
func (w *watch) enter(p phase) {
	w.phase.Store(int32(p))
	if w.limits[p] <= 0 {
		w.timer.Stop()
		return
	}
	w.timer.Reset(w.limits[p])
}

// stop frees the call.
func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// A wire reads an answer's body: it counts, feeds the watch, and looks whether
// the bytes are UTF-8 before anything can repair them.
type wire struct {
	body  io.Reader
	watch *watch
	read  int64
	utf8  utf8Check
}

func (r *wire) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if n > 0 {
		if at := phase(r.watch.phase.Load()); at <= streaming {
			r.watch.enter(streaming)
		}
		r.read += int64(n)
		r.utf8.write(p[:n])
	}
	if r.read > maxBody {
		return n, errBodyTooLong
	}
	if errors.Is(err, io.EOF) {
		r.utf8.end()
	}
	return n, err
}

// A utf8Check looks at a stream of bytes in whatever pieces it comes.
type utf8Check struct {
	bad  bool
	cut  [utf8.UTFMax]byte // the beginning of a character at the end of a piece
	have int
}

func (c *utf8Check) write(p []byte) {
	for c.have > 0 && len(p) > 0 && !c.bad {
		c.cut[c.have] = p[0]
		c.have++
		p = p[1:]
		if utf8.FullRune(c.cut[:c.have]) {
			c.bad = !utf8.Valid(c.cut[:c.have])
			c.have = 0
		}
	}
	if c.bad || len(p) == 0 {
		return
	}
	whole := len(p)
	for back := 1; back <= min(utf8.UTFMax-1, len(p)); back++ {
		if at := len(p) - back; utf8.RuneStart(p[at]) {
			if !utf8.FullRune(p[at:]) {
				whole = at
			}
			break
		}
	}
	c.bad = !utf8.Valid(p[:whole])
	c.have = copy(c.cut[:], p[whole:])
}

// end says that no more comes.
func (c *utf8Check) end() {
	if c.have > 0 {
		c.bad = true
	}
}

// mark passes on that the bytes were not valid.
func (r *wire) mark(b *llm.Builder) {
	if r.utf8.bad {
		b.Damaged()
	}
}
