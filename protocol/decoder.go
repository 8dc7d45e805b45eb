package protocol

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// A Decoder decodes an answer that arrives in pieces. It gives out the text of
// the message while it arrives, as soon as the answer's kind is known. What
// was given out is for the eyes only: [Decoder.Finish] alone says what the
// answer is, and it is [Decode] of all pieces together. Where Finish succeeds,
// what was given out is a beginning of the reply's message.
//
// The zero value is ready for use.
type Decoder struct {
	text []byte // all that arrived
	pos  int    // scanned so far
	at   place
	kind Kind

	depth     int    // of the value that is passed over
	inString  bool   // within a string of it
	escaped   bool   // after a backslash of it
	key       []byte // of the member, with its quotes
	name      string // the same, decoded
	held      []byte // message text that waits for the kind
	seen      bool   // the message was there
	surrogate rune   // the first half of a pair
}

// place is where in an answer the scan is.
type place int

const (
	atStart     place = iota
	atOpening         // before the object or its fence
	inFence           // within the first line of the fence
	atObject          // before the object, after the fence
	atKey             // before a member's name
	inKey             // within it
	atColon           // after it
	atValue           // before a value
	inKind            // within the string of type
	inMessage         // within the string of message
	inOther           // within any other value
	afterValue        // after a value
	atEnd             // after the object
	outOfBounds       // what arrives is not the language; Finish will say so
)

// Kind is the kind of the answer, or "" while it is not known.
func (d *Decoder) Kind() Kind { return d.kind }

// Text is all that arrived so far.
func (d *Decoder) Text() string { return string(d.text) }

// Feed takes the next piece and gives the part of the message that it adds.
func (d *Decoder) Feed(piece string) (delta string) {
	if len(d.text) > MaxReplyBytes {
		return "" // more changes nothing: Finish refuses it
	}
	d.text = append(d.text, piece...)
	var out []byte
	for d.pos < len(d.text) && d.at != outOfBounds && d.at != atEnd {
		pos, at := d.pos, d.at
		out = d.scan(out)
		if d.pos == pos && d.at == at {
			break // more is needed
		}
	}
	return string(out)
}

// Finish says what the whole answer is.
func (d *Decoder) Finish(o Options) (Answer, error) { return Decode(d.text, o) }

// scan takes one step forward and appends message text to out. It leaves pos
// where it is when it needs more text.
func (d *Decoder) scan(out []byte) []byte {
	if d.at < atKey {
		d.scanStart()
		return out
	}
	c := d.text[d.pos]
	space := c == ' ' || c == '\t' || c == '\n' || c == '\r'
	switch d.at {
	case inKey, inKind:
		d.scanShortString(c)
		if d.at == afterValue && d.kind != "" && len(d.held) > 0 {
			out = append(out, d.held...)
			d.held = nil
		}
		return out
	case inMessage:
		return d.scanMessage(out)
	case inOther:
		d.scanOther(c)
		return out
	}
	d.pos++
	switch {
	case space:
	case d.at == atKey && c == '"':
		d.at, d.key = inKey, append(d.key[:0], c)
	case d.at == atKey && c == '}', d.at == afterValue && c == '}':
		d.at = atEnd
	case d.at == atColon && c == ':':
		d.at = atValue
	case d.at == afterValue && c == ',':
		d.at = atKey
	case d.at == atValue && c == '"' && d.name == "type" && d.kind == "":
		d.at, d.key = inKind, append(d.key[:0], c)
	case d.at == atValue && c == '"' && d.name == "message" && !d.seen:
		d.at, d.seen = inMessage, true
	case d.at == atValue:
		d.at, d.depth, d.inString, d.escaped = inOther, 0, false, false
		d.pos--
	default:
		d.at = outOfBounds
	}
	return out
}

// scanStart passes what may stand before the object. It looks at each byte
// once, for a hostile answer may be nothing but a beginning.
func (d *Decoder) scanStart() {
	rest := d.text[d.pos:]
	switch d.at {
	case atStart:
		bom := []byte("\ufeff")
		if len(rest) < len(bom) && bytes.HasPrefix(bom, rest) {
			return
		}
		if bytes.HasPrefix(rest, bom) {
			d.pos += len(bom)
		}
		d.at = atOpening
	case inFence:
		language, _, ok := bytes.Cut(rest, []byte("\n"))
		d.key = append(d.key, language...)
		d.pos += len(language)
		if ok {
			d.pos++
			d.at = atObject
			if !isFenceLanguage(string(d.key)) {
				d.at = outOfBounds
			}
		}
	default:
		fence := []byte("```")
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			d.pos++
		case c == '{':
			d.pos++
			d.at = atKey
		case d.at == atOpening && bytes.HasPrefix(rest, fence):
			d.pos += len(fence)
			d.at = inFence
		case d.at == atOpening && bytes.HasPrefix(fence, rest):
		default:
			d.at = outOfBounds
		}
	}
}

// scanShortString collects the name of a member, or the value of type.
func (d *Decoder) scanShortString(c byte) {
	d.pos++
	d.key = append(d.key, c)
	switch {
	case d.escaped:
		d.escaped = false
		return
	case c == '\\':
		d.escaped = true
		return
	case c != '"':
		return
	}
	var s string
	if json.Unmarshal(d.key, &s) != nil {
		d.at = outOfBounds
		return
	}
	if d.at == inKey {
		d.name, d.at = s, atColon
		return
	}
	d.at = afterValue
	switch kind := Kind(s); kind {
	case KindChat, KindCmd, KindError:
		d.kind = kind
	default:
		d.at = outOfBounds
	}
}

// scanOther passes over a value that is not shown.
func (d *Decoder) scanOther(c byte) {
	d.pos++
	switch {
	case d.escaped:
		d.escaped = false
	case d.inString && c == '\\':
		d.escaped = true
	case c == '"':
		d.inString = !d.inString
		if !d.inString && d.depth == 0 {
			d.at = afterValue
		}
	case d.inString:
	case c == '{' || c == '[':
		d.depth++
	case (c == '}' || c == ']') && d.depth > 0:
		if d.depth--; d.depth == 0 {
			d.at = afterValue
		}
	case d.depth == 0 && (c == ',' || c == '}'):
		d.at = afterValue
		d.pos--
	}
}

// scanMessage decodes the text of the message as far as it has arrived.
func (d *Decoder) scanMessage(out []byte) []byte {
	emit := func(b ...byte) {
		if d.kind == "" {
			d.held = append(d.held, b...)
		} else {
			out = append(out, b...)
		}
	}
	rest := d.text[d.pos:]
	if d.surrogate != 0 && rest[0] != '\\' {
		d.at = outOfBounds
		return out
	}
	switch c := rest[0]; {
	case c == '"':
		d.pos++
		d.at = afterValue
	case c == '\\':
		r, size, ok := unescape(rest)
		switch {
		case !ok:
			d.at = outOfBounds
			return out
		case size == 0:
			return out // more is needed
		}
		d.pos += size
		if d.surrogate != 0 {
			if r = utf16.DecodeRune(d.surrogate, r); r == utf8.RuneError {
				d.at = outOfBounds
				return out
			}
			d.surrogate = 0
		} else if r >= 0xDC00 && r <= 0xDFFF {
			d.at = outOfBounds
			return out
		} else if utf16.IsSurrogate(r) {
			d.surrogate = r
			return out
		}
		emit(utf8.AppendRune(nil, r)...)
	case c < ' ':
		d.at = outOfBounds
	default:
		n := 0
		for n < len(rest) && rest[n] >= ' ' && rest[n] != '"' && rest[n] != '\\' {
			n++
		}
		if n == len(rest) {
			n = wholeRunes(rest)
		}
		if !utf8.Valid(rest[:n]) {
			d.at = outOfBounds
			return out
		}
		emit(rest[:n]...)
		d.pos += n
	}
	return out
}

// wholeRunes gives the length of text without a rune that is cut at its end.
func wholeRunes(text []byte) int {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// unescape reads one escape. A size of 0 means that it has not arrived whole.
func unescape(s []byte) (r rune, size int, ok bool) {
	if len(s) < 2 {
		return 0, 0, true
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2, true
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'u':
	default:
		return 0, 0, false
	}
	for _, c := range s[2:min(len(s), 6)] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, 0, false
		}
	}
	if len(s) < 6 {
		return 0, 0, true
	}
	return r, 6, true
}
