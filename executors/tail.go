package executors

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	firstBuffer = 8 << 10   // what a quiet step's stream starts with
	readSize    = 256 << 10 // the most that one read takes in a flood
	minWindow   = 64 << 10  // raw bytes that the text of a tail is made from
)

// cutMark stands where a tail begins in the middle of a line.
const cutMark = "[start of the line left out] …"

// A ring keeps the last bytes of a stream. Reads land in it, so nothing is
// copied while a stream flows. It grows from small to its full size with the
// stream and no further.
type ring struct {
	window int    // how many last bytes are kept
	buf    []byte // linear until total exceeds window, then a ring
	pos    int    // where the next byte goes
	total  int64
	flood  bool // buf is a ring
}

// space is where the next read goes; advance must follow.
func (r *ring) space() []byte {
	switch {
	case r.flood:
		return r.buf[r.pos:min(r.pos+readSize, len(r.buf))]
	case r.buf == nil:
		r.buf = make([]byte, firstBuffer)
	case r.pos == len(r.buf):
		grown := make([]byte, min(2*len(r.buf), r.window))
		copy(grown, r.buf)
		r.buf = grown
	}
	return r.buf[r.pos:]
}

// advance counts n bytes that were read into space.
func (r *ring) advance(n int) {
	r.total += int64(n)
	r.pos += n
	if r.flood && r.pos == len(r.buf) {
		r.pos = 0
	}
}

// full tells whether one more byte would be one too many to keep them all.
func (r *ring) full() bool { return !r.flood && r.pos == r.window }

// turn makes a ring of the full linear buffer. Its size is a multiple of a
// read, so that no read is cut short by its end.
func (r *ring) turn() {
	slots := (r.window+readSize-1)/readSize + 1
	whole := make([]byte, slots*readSize)
	r.pos = (slots-1)*readSize - r.window
	r.pos += copy(whole[r.pos:], r.buf)
	r.buf, r.flood = whole, true
}

// last gives the last bytes, at most window of them, in their order.
func (r *ring) last() []byte {
	if !r.flood {
		return r.buf[:r.pos]
	}
	if r.pos >= r.window {
		return r.buf[r.pos-r.window : r.pos]
	}
	return append(bytes.Clone(r.buf[len(r.buf)-(r.window-r.pos):]), r.buf[:r.pos]...)
}

// tailText makes the text of a tail: what a terminal would show of the kept
// bytes, as valid UTF-8, at most maxLines lines and maxBytes bytes. dropped
// says that bytes before them were not kept. cut is true exactly when
// something was left out.
func tailText(kept []byte, dropped bool, maxLines, maxBytes int) (text string, cut bool) {
	if dropped {
		for i := 0; i < utf8.UTFMax-1 && len(kept) > 0 && !utf8.RuneStart(kept[0]); i++ {
			kept = kept[1:]
		}
	}
	text = render(kept)
	from := lastLines(text, maxLines)
	whole := from > 0 || !dropped // text[from] begins a line
	if whole && len(text)-from <= maxBytes {
		return text[from:], dropped || from > 0
	}
	room := maxBytes - len(cutMark)
	if len(text)-from <= room {
		room = len(text) - from
	}
	// Begin at a line where that keeps at least half, else inside one.
	begin := len(text) - maxBytes
	if begin <= from {
		begin = from + 1
	}
	if i := strings.IndexByte(text[begin-1:], '\n'); i >= 0 && 2*(len(text)-begin-i) >= min(maxBytes, len(text)-from) {
		return text[begin+i:], true
	}
	begin = len(text) - room
	for begin < len(text) && !utf8.RuneStart(text[begin]) {
		begin++
	}
	return cutMark + text[begin:], true
}

// lastLines is where the last n lines of text begin. A final line end begins
// no line.
func lastLines(text string, n int) int {
	at := len(text)
	if strings.HasSuffix(text, "\n") {
		at--
	}
	for range n {
		at = strings.LastIndexByte(text[:at], '\n')
		if at < 0 {
			return 0
		}
	}
	return at + 1
}
