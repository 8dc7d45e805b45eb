package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What is here reads one table of a TOML file: strings, whole numbers, and
// other values as text. The rest of the file is read as well, because its
// syntax says where the table begins and ends, but nothing is kept of it.

// tomlKind is what a value is, as far as it matters.
type tomlKind int

const (
	tomlOther tomlKind = iota
	tomlString
	tomlInteger
)

type tomlValue struct {
	kind   tomlKind
	text   string // of a string
	number int64
	raw    string // as it stands in the file
}

// entry is a key of the table with its value.
type entry struct {
	key   string
	value tomlValue
	line  int // from 1
}

// tableError is why a file is no TOML, or not one that is read here.
type tableError struct {
	line int
	what string
}

func (e *tableError) Error() string { return e.what }

// tableName is the table that is read.
const tableName = "decide"

// readTable gives the keys of the table, in their order. The error is a
// *tableError.
func readTable(text []byte) (entries []entry, err error) {
	s := strings.TrimPrefix(string(text), "\ufeff")
	if !utf8.ValidString(s) {
		return nil, &tableError{1, "expected UTF-8"}
	}
	r := &tomlReader{s: strings.ReplaceAll(s, "\r\n", "\n")}
	defer func() {
		// The reader leaves at the first mistake, from however deep.
		if p := recover(); p != nil {
			e, ok := p.(*tableError)
			if !ok {
				panic(p)
			}
			entries, err = nil, e
		}
	}()
	r.file()
	return r.entries, nil
}

// maxNesting is how deep arrays may nest.
const maxNesting = 64

type tomlReader struct {
	s       string
	at      int
	table   []string // where keys are now
	within  bool     // in the table itself, not in an array of tables
	opened  bool     // its header was there
	entries []entry
}

func (r *tomlReader) fail(format string, args ...any) {
	panic(&tableError{r.line(), fmt.Sprintf(format, args...)})
}

func (r *tomlReader) line() int { return 1 + strings.Count(r.s[:min(r.at, len(r.s))], "\n") }

// peek gives the next byte, 0 at the end.
func (r *tomlReader) peek() byte {
	if r.at < len(r.s) {
		return r.s[r.at]
	}
	return 0
}

func (r *tomlReader) take(prefix string) bool {
	if strings.HasPrefix(r.s[r.at:], prefix) {
		r.at += len(prefix)
		return true
	}
	return false
}

func (r *tomlReader) blanks() {
	for r.peek() == ' ' || r.peek() == '\t' {
		r.at++
	}
}

// comment skips one up to the end of its line.
func (r *tomlReader) comment() {
	if r.peek() != '#' {
		return
	}
	for r.at < len(r.s) && r.s[r.at] != '\n' {
		if c := r.s[r.at]; c < ' ' && c != '\t' || c == 0x7f {
			r.fail("a control character in a comment")
		}
		r.at++
	}
}

// space skips blanks, ends of lines and comments.
func (r *tomlReader) space() {
	for {
		r.blanks()
		r.comment()
		if !r.take("\n") {
			return
		}
	}
}

func (r *tomlReader) lineEnd() {
	r.blanks()
	r.comment()
	if r.at < len(r.s) && !r.take("\n") {
		r.fail("expected the end of the line, got %q", rune(r.peek()))
	}
}

func (r *tomlReader) file() {
	for r.space(); r.at < len(r.s); r.space() {
		switch {
		case r.take("[["):
			r.table, r.within = r.key(), false
			if !r.take("]]") {
				r.fail("expected ]] after the name of a table")
			}
			if len(r.table) == 1 && r.table[0] == tableName {
				r.fail("expected [%s], got [[%s]]", tableName, tableName)
			}
		case r.take("["):
			r.table = r.key()
			if !r.take("]") {
				r.fail("expected ] after the name of a table")
			}
			r.within = len(r.table) == 1 && r.table[0] == tableName
			if r.within && r.opened {
				r.fail("the table [%s] is there a second time", tableName)
			}
			r.opened = r.opened || r.within
		default:
			r.pair()
		}
		r.lineEnd()
	}
}

// pair reads a key with its value.
func (r *tomlReader) pair() {
	line := r.line()
	key := slices.Concat(r.table, r.key())
	if !r.take("=") {
		r.fail("expected = after a key")
	}
	r.blanks()
	v := r.value(0)
	top := len(r.table) == 0 && key[0] == tableName
	switch {
	case top && len(key) == 1:
		r.fail("expected the table [%s], got a value", tableName)
	case (top || r.within) && len(key) == 2:
		if slices.ContainsFunc(r.entries, func(e entry) bool { return e.key == key[1] }) {
			r.fail("the key %s is there a second time", plainName(key[1]))
		}
		r.entries = append(r.entries, entry{key[1], v, line})
	case (top || r.within) && len(key) > 2:
		r.entries = append(r.entries, entry{strings.Join(key[1:], "."), tomlValue{raw: v.raw}, line})
	}
}

// key reads words with dots between them, and the blanks around.
func (r *tomlReader) key() []string {
	var words []string
	for {
		r.blanks()
		start := r.at
		switch r.peek() {
		case '"':
			r.at++
			words = append(words, r.basic(false))
		case '\'':
			r.at++
			words = append(words, r.literal("'"))
		default:
			for isBare(r.peek()) {
				r.at++
			}
			if r.at == start {
				r.fail("expected a key")
			}
			words = append(words, r.s[start:r.at])
		}
		r.blanks()
		if !r.take(".") {
			return words
		}
	}
}

func isBare(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (r *tomlReader) value(depth int) tomlValue {
	if depth > maxNesting {
		r.fail("values nest deeper than %d", maxNesting)
	}
	start := r.at
	v := tomlValue{}
	switch {
	case r.take(`"""`):
		v.kind, v.text = tomlString, r.basic(true)
	case r.take(`"`):
		v.kind, v.text = tomlString, r.basic(false)
	case r.take(`'''`):
		v.kind, v.text = tomlString, r.literal(`'''`)
	case r.take(`'`):
		v.kind, v.text = tomlString, r.literal(`'`)
	case r.take("["):
		for r.space(); !r.take("]"); r.space() {
			r.value(depth + 1)
			if r.space(); !r.take(",") && r.peek() != ']' {
				r.fail("expected , or ] in an array")
			}
		}
	case r.take("{"):
		for r.space(); !r.take("}"); r.space() {
			r.key()
			if !r.take("=") {
				r.fail("expected = after a key")
			}
			r.blanks()
			r.value(depth + 1)
			if r.space(); !r.take(",") && r.peek() != '}' {
				r.fail("expected , or } in an inline table")
			}
		}
	default:
		v = r.bareValue()
	}
	v.raw = r.s[start:r.at]
	return v
}

// bareValue reads a number, a boolean or a time.
func (r *tomlReader) bareValue() tomlValue {
	start := r.at
	for c := r.peek(); isBare(c) || c == '+' || c == '.' || c == ':'; c = r.peek() {
		r.at++
	}
	word := r.s[start:r.at]
	// A date and a time may have a blank between them.
	if len(word) == len("2006-01-02") && strings.Count(word, "-") == 2 && len(r.s) > r.at+1 && r.s[r.at] == ' ' && '0' <= r.s[r.at+1] && r.s[r.at+1] <= '9' {
		r.at++
		r.bareValue()
		return tomlValue{}
	}
	digits := strings.TrimLeft(word, "+-")
	switch {
	case word == "true" || word == "false" || digits == "inf" || digits == "nan":
		return tomlValue{}
	case digits == "" || digits[0] < '0' || digits[0] > '9':
		r.fail("expected a value, got %s", quoted(word))
	}
	return wholeTOML(word, digits)
}

// wholeTOML gives a whole number, and another value where it is none.
func wholeTOML(word, digits string) tomlValue {
	if len(word)-len(digits) > 1 || len(digits) > 1 && digits[0] == '0' && strings.IndexByte("0123456789_", digits[1]) >= 0 {
		return tomlValue{}
	}
	// Base 0 knows the underscores and prefixes of TOML, and of others an
	// octal form that was refused above.
	n, err := strconv.ParseInt(strings.TrimPrefix(word, "+"), 0, 64)
	if err != nil || strings.ContainsAny(digits, "BOX") {
		return tomlValue{}
	}
	return tomlValue{kind: tomlInteger, number: n}
}

// literal reads a string without escapes up to its end.
func (r *tomlReader) literal(end string) string {
	if len(end) == 3 {
		r.take("\n")
	}
	n := strings.Index(r.s[r.at:], end)
	if n < 0 || len(end) == 1 && strings.Contains(r.s[r.at:r.at+n], "\n") {
		r.fail("a string without its end")
	}
	text := r.s[r.at : r.at+n]
	r.at += n + len(end)
	// Up to two quotes may stand before the three that end it.
	for range 2 {
		if len(end) == 3 && r.take("'") {
			text += "'"
		}
	}
	r.checkText(text)
	return text
}

func (r *tomlReader) checkText(text string) {
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' && c != '\n' || c == 0x7f }) {
		r.fail("a control character in a string")
	}
}

// basic reads a string with escapes up to its end.
func (r *tomlReader) basic(multi bool) string {
	end := `"`
	if multi {
		end = `"""`
		r.take("\n")
	}
	var b strings.Builder
	for {
		switch {
		case r.at >= len(r.s) || !multi && r.peek() == '\n':
			r.fail("a string without its end")
		case r.take(end):
			for range 2 {
				if multi && r.take(`"`) {
					b.WriteByte('"')
				}
			}
			return b.String()
		case r.take(`\`):
			r.escape(&b, multi)
		default:
			c := r.peek()
			if c < ' ' && c != '\t' && c != '\n' || c == 0x7f {
				r.fail("a control character in a string")
			}
			b.WriteByte(c)
			r.at++
		}
	}
}

// escape reads what stands behind a backslash.
func (r *tomlReader) escape(b *strings.Builder, multi bool) {
	c := r.peek()
	r.at++
	if i := strings.IndexByte(`btnfre"\`, c); i >= 0 && c != 0 {
		b.WriteByte("\b\t\n\f\r\x1b\"\\"[i])
		return
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]; digits > 0 {
		if len(r.s) >= r.at+digits {
			n, err := strconv.ParseUint(r.s[r.at:r.at+digits], 16, 32)
			if err == nil && n <= utf8.MaxRune && utf8.ValidRune(rune(n)) {
				b.WriteRune(rune(n))
				r.at += digits
				return
			}
		}
		r.fail("expected %d hexadecimal digits of a character", digits)
	}
	if multi && (c == ' ' || c == '\t' || c == '\n') {
		r.at--
		r.blanks()
		if !r.take("\n") {
			r.fail(`expected the end of the line after \`)
		}
		for r.blanks(); r.take("\n"); r.blanks() {
			continue
		}
		return
	}
	r.fail(`expected an escape after \`)
}
