package executors

import "unicode/utf8"

// A token is what a terminal would take from its input in one step.
type token int

const (
	tokenRune      token = iota // a character to show, or a tab
	tokenNewline                // \n
	tokenReturn                 // \r
	tokenBackspace              // \b
	tokenCSI                    // a control sequence that may move the cursor
	tokenSkip                   // shows nothing
	tokenBad                    // a byte that is not UTF-8
	tokenMore                   // not enough input to tell
)

// maxSequence bounds an escape sequence. What is longer, or goes over a line's
// end, is no sequence: its introducer is dropped and the rest is text, so that
// an unfinished sequence cannot hide what follows.
const maxSequence = 4096

// scan takes one token from the front of b, which is not empty. Only where
// eof is false can the answer be tokenMore; the tokens of a text do not depend
// on how it is cut into pieces.
func scan(b []byte, eof bool) (t token, r rune, size int) {
	switch c := b[0]; {
	case c == '\n':
		return tokenNewline, '\n', 1
	case c == '\r':
		return tokenReturn, '\r', 1
	case c == '\b':
		return tokenBackspace, '\b', 1
	case c == '\t' || c >= 0x20 && c < 0x7f:
		return tokenRune, rune(c), 1
	case c == 0x1b:
		return scanEscape(b, eof)
	case c < 0x20 || c == 0x7f:
		return tokenSkip, 0, 1
	case c < 0xa0: // a raw C1 byte: not UTF-8, but terminals may obey it
		t, size := scanC1(b, c, 1, eof)
		if t == tokenSkip && size == 1 {
			return tokenBad, utf8.RuneError, 1
		}
		return t, 0, size
	}
	if !eof && !utf8.FullRune(b) {
		return tokenMore, 0, 0
	}
	r, size = utf8.DecodeRune(b)
	switch {
	case r == utf8.RuneError && size == 1:
		return tokenBad, r, 1
	case r < 0xa0:
		t, size := scanC1(b, byte(r), 2, eof)
		return t, 0, size
	}
	return tokenRune, r, size
}

// scanEscape takes a sequence that begins with ESC.
func scanEscape(b []byte, eof bool) (token, rune, int) {
	if len(b) == 1 {
		return more(eof, 1)
	}
	if c := b[1]; c >= 0x40 && c <= 0x5f { // ESC and a letter stand for a C1 byte
		t, size := scanC1(b, c+0x40, 2, eof)
		return t, 0, size
	}
	for i := 1; i < len(b) && i < maxSequence; i++ {
		switch c := b[i]; {
		case c >= 0x20 && c <= 0x2f:
		case c >= 0x30 && c <= 0x7e:
			return tokenSkip, 0, i + 1
		default:
			return tokenSkip, 0, 1
		}
	}
	if len(b) >= maxSequence {
		return tokenSkip, 0, 1
	}
	return more(eof, len(b))
}

func more(eof bool, size int) (token, rune, int) {
	if eof {
		return tokenSkip, 0, size
	}
	return tokenMore, 0, 0
}

// scanC1 takes what a C1 control introduces; intro is the introducer's size.
func scanC1(b []byte, c1 byte, intro int, eof bool) (token, int) {
	switch c1 {
	case 0x9b:
		return scanCSI(b, intro, eof)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f: // DCS, SOS, OSC, PM, APC
		return scanString(b, intro, eof)
	}
	return tokenSkip, intro
}

func scanCSI(b []byte, intro int, eof bool) (token, int) {
	i := intro
	for i < len(b) && i < maxSequence && b[i] >= 0x30 && b[i] <= 0x3f {
		i++
	}
	for i < len(b) && i < maxSequence && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	switch {
	case i >= maxSequence:
		return tokenSkip, intro
	case i == len(b) && eof:
		return tokenSkip, i
	case i == len(b):
		return tokenMore, 0
	case b[i] < 0x40 || b[i] > 0x7e:
		return tokenSkip, intro
	}
	return tokenCSI, i + 1
}

// scanString takes a control string up to BEL or ST.
func scanString(b []byte, intro int, eof bool) (token, int) {
	for i := intro; i < len(b) && i < maxSequence; {
		switch c := b[i]; {
		case c == 0x07:
			return tokenSkip, i + 1
		case c == 0x1b:
			if i+1 == len(b) && !eof {
				return tokenMore, 0
			}
			if i+1 < len(b) && b[i+1] == '\\' {
				return tokenSkip, i + 2
			}
			return tokenSkip, intro
		case c == '\n' || c == '\r' || c == 0x18 || c == 0x1a:
			return tokenSkip, intro
		case c < utf8.RuneSelf:
			i++
		default:
			if !eof && !utf8.FullRune(b[i:]) {
				return tokenMore, 0
			}
			r, size := utf8.DecodeRune(b[i:])
			control := r
			if r == utf8.RuneError && size == 1 {
				control = rune(c)
			}
			switch {
			case control == 0x9c:
				return tokenSkip, i + size
			case control < 0xa0: // another control ends it unfinished
				return tokenSkip, intro
			}
			i += size
		}
	}
	if !eof && len(b) < maxSequence {
		return tokenMore, 0
	}
	return tokenSkip, intro
}
