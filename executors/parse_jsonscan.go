package executors

import "strings"

// maxDepth bounds the nesting of JSON that is looked at.
const maxDepth = 10_000

// A jsonScan checks the grammar of JSON values byte by byte, in memory that
// only their nesting needs. Values outside of objects and arrays are not for
// it. Equal keys and UTF-8 are not looked at.
type jsonScan struct {
	open  []byte // '{' and '[' that are not closed
	state scanState
	rest  string // of a literal
	key   bool   // the string is a key
	hex   int    // digits that are still to come of \u
}

// scanState is what may come next.
type scanState int

const (
	wantValue      scanState = iota
	wantFirst                // the first element of an array, or its end
	wantFirstKey             // the first key of an object, or its end
	wantKey                  // after a comma
	wantColon                // after a key
	wantNext                 // after a value: a comma or the end
	inText                   // inside a string
	afterBackslash           // inside a string
	inHex                    // inside a string, after \u
	inLiteral                // true, false, null
	afterMinus               // numbers
	afterZero
	inInteger
	afterPoint
	inFraction
	afterE
	afterESign
	inExponent
)

// outside tells whether no value is begun.
func (s *jsonScan) outside() bool { return len(s.open) == 0 }

func (s *jsonScan) depth() int { return len(s.open) }

func (s *jsonScan) inString() bool {
	return s.state == inText || s.state == afterBackslash || s.state == inHex
}

// next takes a byte; false is a breach of the grammar.
func (s *jsonScan) next(c byte) bool {
	switch s.state {
	case inText:
		switch c {
		case '"':
			s.state = wantNext
			if s.key {
				s.state = wantColon
			}
		case '\\':
			s.state = afterBackslash
		}
		return c >= 0x20
	case afterBackslash:
		if s.state = inText; c == 'u' {
			s.state, s.hex = inHex, 4
		}
		return strings.IndexByte(`"\/bfnrtu`, c) >= 0
	case inHex:
		if s.hex--; s.hex == 0 {
			s.state = inText
		}
		return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
	case inLiteral:
		if s.rest[0] != c {
			return false
		}
		if s.rest = s.rest[1:]; s.rest == "" {
			s.state = wantNext
		}
		return true
	case afterMinus, afterZero, inInteger, afterPoint, inFraction, afterE, afterESign, inExponent:
		if to, ok := s.number(c); ok {
			s.state = to
			return true
		}
		switch s.state {
		case afterZero, inInteger, inFraction, inExponent: // the number may end here
			s.state = wantNext
		default:
			return false
		}
	case wantValue, wantFirst, wantFirstKey, wantKey, wantColon, wantNext:
	}
	if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
		return true
	}
	return s.structure(c)
}

// number gives the state after a byte of a number; false where it is none.
func (s *jsonScan) number(c byte) (scanState, bool) {
	e := c == 'e' || c == 'E'
	switch s.state {
	case afterMinus:
		if c == '0' {
			return afterZero, true
		}
		return inInteger, isDigit(c)
	case afterZero, inInteger:
		switch {
		case c == '.':
			return afterPoint, true
		case e:
			return afterE, true
		}
		return inInteger, s.state == inInteger && isDigit(c)
	case afterPoint:
		return inFraction, isDigit(c)
	case inFraction:
		if e {
			return afterE, true
		}
		return inFraction, isDigit(c)
	case afterE:
		if c == '+' || c == '-' {
			return afterESign, true
		}
		return inExponent, isDigit(c)
	default:
		return inExponent, isDigit(c)
	}
}

// structure takes a byte between strings, literals and numbers.
func (s *jsonScan) structure(c byte) bool {
	switch s.state {
	case wantFirst:
		return c == ']' && s.shut('[') || s.begin(c)
	case wantFirstKey:
		return c == '}' && s.shut('{') || s.beginKey(c)
	case wantKey:
		return s.beginKey(c)
	case wantColon:
		s.state = wantValue
		return c == ':'
	case wantNext:
		switch c {
		case ']':
			return s.shut('[')
		case '}':
			return s.shut('{')
		}
		if s.state = wantValue; s.open[len(s.open)-1] == '{' {
			s.state = wantKey
		}
		return c == ','
	default:
		return s.begin(c)
	}
}

func (s *jsonScan) shut(bracket byte) bool {
	last := len(s.open) - 1
	ok := s.open[last] == bracket
	s.open = s.open[:last]
	if s.state = wantNext; last == 0 {
		s.state = wantValue
	}
	return ok
}

func (s *jsonScan) beginKey(c byte) bool {
	s.state, s.key = inText, true
	return c == '"'
}

// begin takes the first byte of a value.
func (s *jsonScan) begin(c byte) bool {
	switch {
	case c == '{' || c == '[':
		s.open = append(s.open, c)
		if s.state = wantFirst; c == '{' {
			s.state = wantFirstKey
		}
		return len(s.open) <= maxDepth
	case c == '"':
		s.state, s.key = inText, false
	case c == '-':
		s.state = afterMinus
	case c == '0':
		s.state = afterZero
	case isDigit(c):
		s.state = inInteger
	case c == 't':
		s.state, s.rest = inLiteral, "true"[1:]
	case c == 'f':
		s.state, s.rest = inLiteral, "false"[1:]
	case c == 'n':
		s.state, s.rest = inLiteral, "null"[1:]
	default:
		return false
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
