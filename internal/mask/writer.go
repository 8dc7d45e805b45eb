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
	found Counts
	err   error
}

// Writer gives a writer that masks. [Writer.Close] passes on what is held
// back.
func (m *Masker) Writer(w io.Writer) *Writer { return &Writer{m: m, w: w, found: Counts{}} }

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
func (w *Writer) Count() int { return w.found.Total() }

// Counts tells what kinds of secrets were masked. The caller must not change
// it, and it changes with the next call of a method.
func (w *Writer) Counts() Counts { return w.found }

// ready is how much of what is held can be passed on.
func (w *Writer) ready() int {
	text := string(w.held)
	n := strings.LastIndexByte(text, '\n') + 1
	if begin := strings.LastIndex(text, "-----BEGIN "); begin >= 0 && begin < n {
		if _, end, _ := pemBlock(text, begin); end == len(text) {
			n = strings.LastIndexByte(text[:begin], '\n') + 1 // it may go on
		}
	}
	if n == len(text) || len(text) < maxHeld {
		n = keyLines(text[:n]) // whose end may say that it was a private key
	}
	if n > 0 || len(text) < maxHeld {
		return n
	}
	return w.m.cut(text)
}

// cut parts a text without line ends where that changes nothing of what is
// found in it, if there is such a place.
func (m *Masker) cut(text string) int {
	const (
		around = 8 << 10 // what a secret and its name may take
		tries  = 24
	)
	at := len(text) - around
	for range tries {
		for at > len(text)/2 && (isAlnum(text[at-1]) || text[at-1] >= 0x80) {
			at--
		}
		if at <= len(text)/2 {
			break
		}
		from, to := at-around, at+around
		whole, left, right := m.find(text[from:to]), m.find(text[from:at]), m.find(text[at:to])
		same := len(whole) == len(left)+len(right)
		for i := 0; same && i < len(whole); i++ {
			sp := whole[i]
			if i < len(left) {
				same = sp.start == left[i].start && sp.end == left[i].end
			} else {
				r := right[i-len(left)]
				same = sp.start == r.start+around && sp.end == r.end+around
			}
		}
		if same {
			return at
		}
		next := at - 1
		for _, sp := range whole { // in front of what was parted
			if sp.start < around && sp.end > around {
				next = min(next, from+sp.start)
			}
		}
		at = next
	}
	return runeStart([]byte(text[:len(text)-around]))
}

// keyLines gives the length of a text of whole lines without those at its end
// that could be of a private key whose beginning was cut off.
func keyLines(text string) int {
	at := len(text)
	// The last line of a key may be short.
	if i := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1; i > 0 {
		if _, ok := keyLine(text, i); ok {
			set := charsOf(alnum + "+/=\r\n")
			if run(text, i, &set) == len(text) {
				at = i
			}
		}
	}
	for {
		from, ok := keyLine(text, at)
		if !ok {
			return at
		}
		at = from
	}
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
	masked, found := w.m.Text(string(w.held[:n]))
	for kind, count := range found {
		w.found[kind] += count
	}
	w.held = bytes.Clone(w.held[n:])
	_, w.err = io.WriteString(w.w, masked)
}
