package mask

import (
	"bytes"
	"io"
	"strings"
)

// maxHeld is how much a [Writer] holds back, in bytes.
const maxHeld = 64 << 10

// A Writer masks what is written through it, line by line: a line is passed
// on when it is complete, a private key block when its end was seen. At most
// 64 KiB are held back. It is not safe for concurrent use.
type Writer struct {
	m     *Masker
	w     io.Writer
	held  []byte
	count int
	err   error
}

// Writer gives a writer that masks. [Writer.Close] passes on what is held
// back.
func (m *Masker) Writer(w io.Writer) *Writer { return &Writer{m: m, w: w} }

// Write takes text. The error is one of the writer below, and stays.
func (w *Writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && w.err == nil; {
		n := min(len(rest), maxHeld-len(w.held))
		added := rest[:n]
		w.held, rest = append(w.held, added...), rest[n:]
		if len(w.held) == maxHeld || bytes.IndexByte(added, '\n') >= 0 {
			w.pass(w.ready())
		}
	}
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// Close passes on what is held back. It does not close the writer below.
func (w *Writer) Close() error {
	w.pass(len(w.held))
	return w.err
}

// Count tells how many secrets were masked.
func (w *Writer) Count() int { return w.count }

// ready is how much of what is held can be passed on.
func (w *Writer) ready() int {
	text := string(w.held)
	n := strings.LastIndexByte(text, '\n') + 1
	if begin := strings.LastIndex(text, "-----BEGIN "); begin >= 0 && begin < n {
		if _, end, _ := pemBlock(text, begin); end == len(text) {
			n = strings.LastIndexByte(text[:begin], '\n') + 1 // it may go on
		}
	}
	if n > 0 || len(text) < maxHeld {
		return n
	}
	// One long line, or a block that does not end. It is parted where no
	// secret is, if there is such a place.
	for _, borders := range []string{"\n", ",;}&", " \t"} {
		if i := strings.LastIndexAny(text, borders); i >= maxHeld/2 {
			return i + 1
		}
	}
	return runeStart(w.held)
}

// runeStart gives the length without a rune at the end that is incomplete.
func runeStart(b []byte) int {
	for n := 1; n <= 3 && n < len(b); n++ {
		if c := b[len(b)-n]; c < 0x80 {
			break
		} else if c >= 0xc0 {
			return len(b) - n
		}
	}
	return len(b)
}

func (w *Writer) pass(n int) {
	if n == 0 || w.err != nil {
		return
	}
	masked, count := w.m.String(string(w.held[:n]))
	w.count += count
	w.held = bytes.Clone(w.held[n:])
	_, w.err = io.WriteString(w.w, masked)
}
