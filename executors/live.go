package executors

import (
	"bytes"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	livePause = 50 * time.Millisecond // at least this between two chunks of a stream
	liveHalf  = 4 << 10               // bytes kept from either end of what came in a pause
	liveWait  = time.Second           // how long a face may hold up the end of a step
)

// live hands output to a face while it comes. Readers only copy a few bytes
// under a lock; what the face is too slow for is left out with a note.
type live struct {
	output  func(Chunk)
	wake    chan struct{} // capacity 1
	closing chan struct{}
	done    chan struct{}

	mu      sync.Mutex
	streams [2]pending // stdout, stderr
	stopped bool       // no further call of output
}

// pending is what came in one pause.
type pending struct {
	head, tail []byte
	missing    int64
	rest       []byte // an unfinished sequence or character, only used by the sender
	midLine    bool   // the last chunk ended inside a line
}

func newLive(output func(Chunk)) *live {
	if output == nil {
		return nil
	}
	l := &live{output: output, wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
	go l.send()
	return l
}

// add takes a block of a stream (0: stdout, 1: stderr).
func (l *live) add(stream int, block []byte) {
	if l == nil {
		return
	}
	l.mu.Lock()
	p := &l.streams[stream]
	first := len(p.head) == 0
	n := min(len(block), liveHalf-len(p.head))
	p.head = append(p.head, block[:n]...)
	if rest := block[n:]; len(rest) > 0 {
		total := len(p.tail) + len(rest)
		if drop := total - liveHalf; drop > 0 {
			p.missing += int64(drop)
			keep := max(0, len(p.tail)-drop)
			p.tail = append(p.tail[:0], p.tail[len(p.tail)-keep:]...)
			rest = rest[max(0, len(rest)-liveHalf):]
		}
		p.tail = append(p.tail, rest...)
	}
	l.mu.Unlock()
	if first {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// close sends what is left and stops. No call of output begins after it.
func (l *live) close() {
	if l == nil {
		return
	}
	close(l.closing)
	timer := time.NewTimer(liveWait)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
		l.mu.Lock()
		l.stopped = true
		l.mu.Unlock()
	}
}

func (l *live) send() {
	defer close(l.done)
	for {
		select {
		case <-l.wake:
		case <-l.closing:
			l.flush(true)
			return
		}
		l.flush(false)
		timer := time.NewTimer(livePause)
		select {
		case <-timer.C:
		case <-l.closing:
			timer.Stop()
			l.flush(true)
			return
		}
	}
}

func (l *live) flush(eof bool) {
	for i := range l.streams {
		p := &l.streams[i]
		l.mu.Lock()
		head, tail, missing := bytes.Clone(p.head), bytes.Clone(p.tail), p.missing
		p.head, p.tail, p.missing = p.head[:0], p.tail[:0], 0
		l.mu.Unlock()
		var out []byte
		if missing > 0 {
			out = p.text(out, head, true)
			if p.midLine {
				out = append(out, '\n')
			}
			out = fmt.Appendf(out, "[%s bytes not shown]\n", thousands(missing))
			p.midLine = false
			for j := 0; j < utf8.UTFMax-1 && len(tail) > 0 && !utf8.RuneStart(tail[0]); j++ {
				tail = tail[1:]
			}
			out = p.text(out, tail, eof)
		} else {
			out = p.text(out, append(head, tail...), eof)
		}
		if len(out) == 0 {
			continue
		}
		l.mu.Lock()
		stopped := l.stopped
		l.mu.Unlock()
		if stopped {
			return
		}
		l.output(Chunk{Stderr: i == 1, Text: string(out)})
	}
}

// text appends b as text to out. A line that is written anew replaces what
// this chunk holds of it; what was already shown stays, and a new line begins.
func (p *pending) text(out, b []byte, eof bool) []byte {
	b = append(p.rest, b...)
	p.rest = nil
	lineStart := len(out)
	for len(b) > 0 {
		t, r, size := scan(b, eof)
		switch t {
		case tokenMore:
			p.rest = bytes.Clone(b)
			return out
		case tokenNewline:
			out = append(out, '\n')
			lineStart, p.midLine = len(out), false
		case tokenReturn:
			if len(b) == 1 && !eof {
				p.rest = bytes.Clone(b) // \n may follow
				return out
			}
			if len(b) > 1 && b[1] == '\n' {
				break
			}
			out = out[:lineStart]
			if p.midLine && lineStart == 0 {
				out = append(out, '\n')
				lineStart = len(out)
			}
			p.midLine = false
		case tokenBackspace:
			if len(out) > lineStart {
				_, n := utf8.DecodeLastRune(out)
				out = out[:len(out)-n]
			}
		case tokenRune, tokenBad:
			out = utf8.AppendRune(out, r)
			p.midLine = true
		case tokenCSI, tokenSkip:
		}
		b = b[size:]
	}
	return out
}
