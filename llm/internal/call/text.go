package call

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/llm"
)

// Lenient are the options for what a server says. Bytes that are no UTF-8 do
// not stop the reading; they were noticed before.
func Lenient() json.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// Present tells whether a value is there and is neither null nor "".
func Present(raw jsontext.Value) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != `""`
}

// A Joiner reads JSON strings that belong together. Where a server cut a text
// between the two \u escapes of one character, the halves come in two strings.
type Joiner struct {
	high    rune // the first half, or 0
	Damaged bool // half a character came alone
}

var errNotText = errors.New("expected text")

// Text reads one JSON string. null is "".
func (j *Joiner) Text(raw jsontext.Value) (string, error) {
	if len(raw) == 0 || raw[0] == 'n' {
		return "", nil
	}
	if raw[0] != '"' {
		return "", fmt.Errorf("%w, got JSON of kind %v", errNotText, raw.Kind())
	}
	if j.high == 0 {
		if s, err := jsontext.AppendUnquote(nil, raw); err == nil {
			return string(s), nil
		}
	}
	return j.join(raw[1 : len(raw)-1]), nil
}

// Flush gives what is left when no more comes.
func (j *Joiner) Flush() string {
	if j.high == 0 {
		return ""
	}
	j.high, j.Damaged = 0, true
	return string(utf8.RuneError)
}

// join reads the inside of a valid JSON string with surrogates in it.
func (j *Joiner) join(in []byte) string {
	var b strings.Builder
	for len(in) > 0 {
		r, n := rune(0), 0
		if in[0] == '\\' {
			r, n = unescape(in)
		} else {
			r, n = utf8.DecodeRune(in)
		}
		in = in[n:]
		if j.high != 0 {
			if both := utf16.DecodeRune(j.high, r); both != utf8.RuneError {
				j.high = 0
				b.WriteRune(both)
				continue
			}
			b.WriteString(j.Flush())
		}
		switch {
		case r >= 0xD800 && r < 0xDC00:
			j.high = r
		case utf16.IsSurrogate(r):
			j.Damaged = true
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unescape reads the escape at the beginning of a valid JSON string's inside.
func unescape(in []byte) (r rune, size int) {
	switch in[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		for _, c := range in[2:6] {
			r <<= 4
			switch {
			case c >= 'a':
				r |= rune(c - 'a' + 10)
			case c >= 'A':
				r |= rune(c - 'A' + 10)
			default:
				r |= rune(c - '0')
			}
		}
		return r, 6
	}
	return rune(in[1]), 2
}

// Unquoted is the text of a JSON string, the spelling of another value, and ""
// for null.
func Unquoted(raw jsontext.Value) string {
	var s string
	if json.Unmarshal(raw, &s, Lenient()) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// Unmarshal reads what a server says. It tells whether a field below that
// pointer is there twice, so that nobody can say which one was meant.
func Unmarshal[T any](data []byte, to *T, below string) (twice bool, err error) {
	if err = json.Unmarshal(data, to, jsontext.AllowInvalidUTF8(true)); !errors.Is(err, jsontext.ErrDuplicateName) {
		return false, err
	}
	if where, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		twice = strings.HasPrefix(string(where.JSONPointer), below)
	}
	var zero T
	*to = zero
	return twice, json.Unmarshal(data, to, Lenient())
}

// Size counts what is kept of an answer. Its limits are far beyond what a
// model gives; they bound the memory that a server can make us use.
type Size int

// The limits.
const (
	maxText   = 16 << 20 // bytes of text, thoughts and arguments
	maxBlocks = 1000     // turns between text, thoughts and tool calls
)

var errAnswerTooLong = fmt.Errorf("an answer of more than %d MiB or %d parts", maxText>>20, maxBlocks)

// Grow counts what is about to be kept; an error is a limit that is crossed.
func (s *Size) Grow(b *llm.Builder, n int) error {
	if *s += Size(n); *s > maxText || b.Blocks() > maxBlocks {
		return errAnswerTooLong
	}
	return nil
}
