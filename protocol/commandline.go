package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FormatCommand writes a program and its arguments as one line for people:
// every argument's bounds can be seen, and nothing in it can move a cursor or
// hide. [ParseCommand] reads it back exactly, where the arguments are UTF-8.
func FormatCommand(program string, args []string) string {
	var b strings.Builder
	formatWord(&b, program)
	for _, a := range args {
		b.WriteByte(' ')
		formatWord(&b, a)
	}
	return b.String()
}

func formatWord(b *strings.Builder, word string) {
	plain, visible := word != "", true
	for i, r := range word {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(word[i:]); size == 1 {
				visible = false
				break
			}
		}
		if !unicode.IsGraphic(r) || (unicode.IsSpace(r) && r != ' ') {
			visible = false
			break
		}
		if !isPlain(r) {
			plain = false
		}
	}
	switch {
	case !visible:
		b.WriteByte('$')
		b.WriteString(escapeWord(word))
	case plain:
		b.WriteString(word)
	default:
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(word, "'", `'\''`))
		b.WriteByte('\'')
	}
}

// escapeWord writes a word in the form that follows a dollar sign: single
// quotes around Go's escapes, which are the ones that shells know too.
func escapeWord(word string) string {
	q := strconv.QuoteToGraphic(word)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	return "'" + strings.ReplaceAll(q, "'", `\'`) + "'"
}

func isPlain(r rune) bool {
	if r > unicode.MaxASCII {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("%+,-./:=@_^", r)
}

// ParseCommand reads a line that a person typed as a program and its
// arguments: white space parts words, single and double quotes and the
// backslash group as in a shell. Nothing is expanded. What a shell would do
// more than that for (pipes, redirections, variables, patterns) is refused,
// so that nobody believes that it happened.
func ParseCommand(line string) (program string, args []string, err error) {
	var words []string
	var word strings.Builder
	inWord := false
	flush := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			flush()
			i++
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return "", nil, errors.New("a ' is not closed")
			}
			word.WriteString(line[i+1 : i+1+end])
			inWord = true
			i += end + 2
		case c == '"':
			n, err := doubleQuoted(&word, line[i:])
			if err != nil {
				return "", nil, err
			}
			inWord = true
			i += n
		case c == '$' && strings.HasPrefix(line[i:], "$'"):
			n, err := escaped(&word, line[i:])
			if err != nil {
				return "", nil, err
			}
			inWord = true
			i += n
		case c == '\\':
			if i+1 == len(line) {
				return "", nil, errors.New(`the line ends with a \`)
			}
			_, size := utf8.DecodeRuneInString(line[i+1:])
			word.WriteString(line[i+1 : i+1+size])
			inWord = true
			i += 1 + size
		case strings.IndexByte("|&;<>()`$*?#~!{}[]", c) >= 0 && special(c, inWord):
			return "", nil, fmt.Errorf("%q means something to a shell, and no shell runs this line: quote it ('%c') if it is meant as it stands", c, c)
		default:
			word.WriteByte(c)
			inWord = true
			i++
		}
	}
	flush()
	if len(words) == 0 || words[0] == "" {
		return "", nil, errors.New("no program is named")
	}
	return words[0], words[1:], nil
}

// special tells whether an unquoted character would do something in a shell:
// # and ~ only at the start of a word.
func special(c byte, inWord bool) bool {
	switch c {
	case '#', '~':
		return !inWord
	case '!', '{', '}', ']':
		return false
	}
	return true
}

func doubleQuoted(word *strings.Builder, s string) (int, error) {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return i + 1, nil
		case '$', '`':
			return 0, fmt.Errorf("%q inside double quotes would be expanded by a shell, and no shell runs this line: use single quotes", c)
		case '\\':
			if i+1 < len(s) && strings.IndexByte("\\\"$`", s[i+1]) >= 0 {
				i++
			}
			word.WriteByte(s[i])
		default:
			word.WriteByte(c)
		}
	}
	return 0, errors.New(`a " is not closed`)
}

func escaped(word *strings.Builder, s string) (int, error) {
	for i := 2; i < len(s); {
		if s[i] == '\'' {
			return i + 1, nil
		}
		if s[i] == '"' {
			word.WriteByte('"')
			i++
			continue
		}
		if strings.HasPrefix(s[i:], `\'`) {
			word.WriteByte('\'')
			i += 2
			continue
		}
		r, multibyte, rest, err := strconv.UnquoteChar(s[i:], '"')
		if err != nil {
			return 0, fmt.Errorf("inside $'…': %q is not an escape", s[i:min(len(s), i+2)])
		}
		if multibyte {
			word.WriteRune(r)
		} else {
			word.WriteByte(byte(r))
		}
		i = len(s) - len(rest)
	}
	return 0, errors.New("a $' is not closed")
}
