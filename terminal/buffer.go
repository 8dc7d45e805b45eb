package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A buffer is the text under an editor's cursor, as characters that a person
// sees as one.
type buffer struct {
	chars []string
	pos   int // the cursor stands before chars[pos]
	kill  string
}

func characters(s string) []string {
	var out []string
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		out = append(out, g.Value())
	}
	return out
}

func (b *buffer) text() string { return strings.Join(b.chars, "") }

func (b *buffer) set(s string) {
	b.chars = characters(s)
	b.pos = len(b.chars)
}

// insert puts text before the cursor. It may join with what stands there, as
// an accent does.
func (b *buffer) insert(s string) {
	left := characters(strings.Join(b.chars[:b.pos], "") + s)
	n := len(left)
	b.chars = append(left, b.chars[b.pos:]...)
	b.pos = n
}

// cut takes out what stands between two places and keeps it for yank.
func (b *buffer) cut(from, to int, keep bool) {
	if from >= to {
		return
	}
	if keep {
		b.kill = strings.Join(b.chars[from:to], "")
	}
	b.chars = append(b.chars[:from:from], b.chars[to:]...)
	b.pos = from
}

func (b *buffer) lineStart() int {
	i := b.pos
	for i > 0 && b.chars[i-1] != "\n" {
		i--
	}
	return i
}

func (b *buffer) lineEnd() int {
	i := b.pos
	for i < len(b.chars) && b.chars[i] != "\n" {
		i++
	}
	return i
}

func isWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

func (b *buffer) wordLeft() int {
	i := b.pos
	for i > 0 && !isWord(b.chars[i-1]) {
		i--
	}
	for i > 0 && isWord(b.chars[i-1]) {
		i--
	}
	return i
}

func (b *buffer) wordRight() int {
	i := b.pos
	for i < len(b.chars) && !isWord(b.chars[i]) {
		i++
	}
	for i < len(b.chars) && isWord(b.chars[i]) {
		i++
	}
	return i
}

// blankLeft is the start of the word before the cursor, parted by blanks.
func (b *buffer) blankLeft() int {
	i := b.pos
	for i > 0 && strings.TrimSpace(b.chars[i-1]) == "" {
		i--
	}
	for i > 0 && strings.TrimSpace(b.chars[i-1]) != "" {
		i--
	}
	return i
}

// do carries out a key that changes the text or moves in it; any other does
// nothing.
func (b *buffer) do(k key) {
	switch k.code {
	case keyText:
		b.insert(k.text)
	case keyNewline:
		b.insert("\n")
	case keyBackspace:
		b.cut(max(b.pos-1, 0), b.pos, false)
	case keyDelete, keyEOF:
		b.cut(b.pos, min(b.pos+1, len(b.chars)), false)
	case keyHome:
		b.pos = b.lineStart()
	case keyEnd:
		b.pos = b.lineEnd()
	case keyLeft:
		b.pos = max(b.pos-1, 0)
	case keyRight:
		b.pos = min(b.pos+1, len(b.chars))
	case keyWordLeft:
		b.pos = b.wordLeft()
	case keyWordRight:
		b.pos = b.wordRight()
	case keyKillEnd:
		end := b.lineEnd()
		if end == b.pos {
			end = min(end+1, len(b.chars))
		}
		b.cut(b.pos, end, true)
	case keyKillStart:
		b.cut(b.lineStart(), b.pos, true)
	case keyKillWord:
		b.cut(b.blankLeft(), b.pos, true)
	case keyKillWordRight:
		b.cut(b.pos, b.wordRight(), true)
	case keyYank:
		b.insert(b.kill)
	default:
	}
}
