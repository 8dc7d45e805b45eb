package terminal

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// keyCode names what a key does.
type keyCode int

const (
	keyText keyCode = iota // text to insert, typed or pasted
	keyEnter
	keyNewline
	keyBackspace
	keyDelete
	keyEnd
	keyHome
	keyLeft
	keyRight
	keyUp
	keyDown
	keyWordLeft
	keyWordRight
	keyKillEnd
	keyKillStart
	keyKillWord
	keyKillWordRight
	keyYank
	keyClear
	keySearch
	keyInterrupt
	keyEOF // deletes, where there is something to delete
	keySuspend
	keyEscape
	keyNone
)

type key struct {
	code keyCode
	text string
}

const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// A keyParser reads keys from what a terminal sends in raw mode. The zero
// value is ready.
type keyParser struct {
	buf   []byte
	early bool // the next piece may have been typed before the raw mode
	last  byte // the last piece, where it was one byte
	typed bool // the last piece was one byte: a key, not a line from a program
}

// feed adds the next piece that was read.
func (p *keyParser) feed(data []byte) {
	p.typed = len(data) == 1 && len(p.buf) == 0
	p.last = 0
	if len(data) == 1 {
		p.last = data[0]
	}
	p.buf = append(p.buf, data...)
	if p.early { // a Ctrl-D that was typed then is kept as a NUL
		p.early = false
		p.buf = bytes.ReplaceAll(p.buf, []byte{0}, []byte{4})
	}
}

// rest gives back what was not used.
func (p *keyParser) rest() []byte {
	b := p.buf
	p.buf = nil
	return b
}

// next gives the next key; false where more must be read first.
func (p *keyParser) next() (key, bool) {
	if len(p.buf) == 0 {
		return key{}, false
	}
	if bytes.HasPrefix(p.buf, []byte(pasteBegin)) {
		end := bytes.Index(p.buf, []byte(pasteEnd))
		if end < 0 {
			if p.last == 3 { // the end got lost, and somebody wants out
				p.buf = nil
				return key{keyInterrupt, ""}, true
			}
			return key{}, false
		}
		text := string(p.buf[len(pasteBegin):end])
		p.buf = p.buf[end+len(pasteEnd):]
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
		return key{keyText, strings.ToValidUTF8(text, "\ufffd")}, true
	}
	c := p.buf[0]
	switch {
	case c == 0x1b:
		return p.escape()
	case c == '\r':
		p.take(1)
		if len(p.buf) > 0 && p.buf[0] == '\n' {
			p.take(1)
		}
		return key{keyEnter, ""}, true
	case c == '\n':
		p.take(1)
		if p.typed { // Ctrl-J; a program that types for a person ends its lines so too
			return key{keyNewline, ""}, true
		}
		return key{keyEnter, ""}, true
	case c < ' ' && c != '\t' || c == 0x7f:
		p.take(1)
		return key{controlKey(c), ""}, true
	}
	return p.text()
}

func (p *keyParser) take(n int) { p.buf = p.buf[n:] }

// text takes all that is plain text at once.
func (p *keyParser) text() (key, bool) {
	n := 0
	for n < len(p.buf) && (p.buf[n] >= ' ' && p.buf[n] != 0x7f || p.buf[n] == '\t') {
		if !utf8.FullRune(p.buf[n:]) {
			break
		}
		_, size := utf8.DecodeRune(p.buf[n:])
		n += size
	}
	if n == 0 { // the rest of a character is still to come
		return key{}, false
	}
	s := strings.ToValidUTF8(string(p.buf[:n]), "")
	p.take(n)
	return key{keyText, s}, true
}

func controlKey(c byte) keyCode {
	switch c {
	case 1:
		return keyHome
	case 2:
		return keyLeft
	case 3:
		return keyInterrupt
	case 4:
		return keyEOF
	case 5:
		return keyEnd
	case 6:
		return keyRight
	case 7:
		return keyEscape
	case 8, 0x7f:
		return keyBackspace
	case 11:
		return keyKillEnd
	case 12:
		return keyClear
	case 14:
		return keyDown
	case 16:
		return keyUp
	case 18:
		return keySearch
	case 21:
		return keyKillStart
	case 23:
		return keyKillWord
	case 25:
		return keyYank
	case 26:
		return keySuspend
	}
	return keyNone
}

// escape reads a key that begins with an escape.
func (p *keyParser) escape() (key, bool) {
	if len(p.buf) == 1 {
		return key{}, false
	}
	switch c := p.buf[1]; c {
	case '[', 'O':
		return p.sequence()
	case '\r', '\n':
		p.take(2)
		return key{keyNewline, ""}, true
	case 'b', 'f', 'd', 0x7f, 8:
		p.take(2)
		return key{map[byte]keyCode{'b': keyWordLeft, 'f': keyWordRight, 'd': keyKillWordRight, 0x7f: keyKillWord, 8: keyKillWord}[c], ""}, true
	}
	p.take(1)
	return key{keyEscape, ""}, true
}

// sequence reads a control sequence whole, known or not.
func (p *keyParser) sequence() (key, bool) {
	n := 2
	for n < len(p.buf) && p.buf[n] >= 0x20 && p.buf[n] < 0x40 {
		n++
	}
	if n == len(p.buf) {
		return key{}, false
	}
	if p.buf[n] < 0x20 || p.buf[n] > 0x7e { // broken off
		p.take(n)
		return key{keyNone, ""}, true
	}
	arg, final := string(p.buf[2:n]), p.buf[n]
	p.take(n + 1)
	first, mod, _ := strings.Cut(arg, ";")
	word := mod == "5" || mod == "3"
	switch final {
	case 'A':
		return key{keyUp, ""}, true
	case 'B':
		return key{keyDown, ""}, true
	case 'C':
		if word {
			return key{keyWordRight, ""}, true
		}
		return key{keyRight, ""}, true
	case 'D':
		if word {
			return key{keyWordLeft, ""}, true
		}
		return key{keyLeft, ""}, true
	case 'H':
		return key{keyHome, ""}, true
	case 'F':
		return key{keyEnd, ""}, true
	case 'M': // Enter of a keypad
		return key{keyEnter, ""}, true
	case 'u': // keys with modifiers, where a terminal sends them
		if first == "13" && mod != "" {
			return key{keyNewline, ""}, true
		}
	case '~':
		switch first {
		case "1", "7":
			return key{keyHome, ""}, true
		case "4", "8":
			return key{keyEnd, ""}, true
		case "3":
			return key{keyDelete, ""}, true
		}
	}
	return key{keyNone, ""}, true
}
