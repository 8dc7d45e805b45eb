package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A cleaner makes text harmless for a terminal, piece by piece: nothing in
// its output moves the cursor, changes a colour or hides. Line ends are \n.
// The zero value is ready.
type cleaner struct{ carry string }

// add gives the harmless form of the next piece.
func (c *cleaner) add(s string) string {
	s = c.carry + s
	c.carry = ""
	if isHarmless(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '\r' && i+1 == len(s) || !utf8.FullRuneInString(s[i:]) {
			c.carry = s[i:]
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\r' && s[i+1] == '\n' {
			i++
			continue
		}
		b.WriteString(visible(r))
		i += size
	}
	return b.String()
}

// rest gives what waited for a next piece that did not come.
func (c *cleaner) rest() string {
	s := c.carry
	c.carry = ""
	var b strings.Builder
	for _, r := range s {
		b.WriteString(visible(r))
	}
	return b.String()
}

// clean gives the harmless form of a whole text.
func clean(s string) string {
	var c cleaner
	return c.add(s) + c.rest()
}

// cleanLine is clean for text that must stay on one line.
func cleanLine(s string) string {
	return strings.Join(strings.Fields(clean(s)), " ")
}

func isHarmless(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' || c >= 0x7f {
			return false
		}
	}
	return true
}

// visible gives a character as it is, or a visible form of one that a
// terminal would obey or hide.
func visible(r rune) string {
	switch {
	case r == '\n':
		return "\n"
	case r == '\t':
		return "    "
	case r < ' ':
		return string('\u2400' + r) // the control pictures
	case r == 0x7f:
		return "\u2421"
	case r == 0x200c, r == 0x200d: // joiners: scripts and emoji need them
		return string(r)
	case r == 0x2028, r == 0x2029:
		return "\n"
	case r == 0xfe0e, r == 0xfe0f:
		return string(r)
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return fmt.Sprintf("\\u%04x", r)
	}
	return string(r)
}

// A cell is one character as a person sees it.
type cell struct {
	text  string
	width int
	style style
}

func (c cell) space() bool { return c.text == " " }

// cells parts clean text into cells; line feeds become cells of their own.
func cells(s string, st style) []cell {
	out := make([]cell, 0, len(s))
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		out = append(out, cell{g.Value(), max(g.Width(), 0), st})
	}
	return out
}

func textWidth(s string) int { return displaywidth.String(s) }

// wrap breaks cells into rows of at most width columns: at blanks and beside
// wide characters where it can, else anywhere. Blanks at a break are dropped.
// The last row keeps all its cells. There is always one row.
func wrap(cs []cell, width int) [][]cell {
	var rows [][]cell
	start, w, brk := 0, 0, -1
	for i := 0; i < len(cs); i++ {
		c := cs[i]
		if c.text == "\n" {
			rows = append(rows, trimCells(cs[start:i]))
			start, w, brk = i+1, 0, -1
			continue
		}
		if i > start && mayBreak(cs[i-1], c) {
			brk = i
		}
		if w+c.width > width && i > start {
			if c.space() {
				rows = append(rows, trimCells(cs[start:i]))
				for i+1 < len(cs) && cs[i+1].space() {
					i++
				}
				start, w, brk = i+1, 0, -1
				continue
			}
			at := i
			if brk > start {
				at = brk
			}
			rows = append(rows, trimCells(cs[start:at]))
			start, brk, w = at, -1, 0
			for _, d := range cs[at:i] {
				w += d.width
			}
		}
		w += c.width
	}
	return append(rows, cs[start:])
}

func trimCells(cs []cell) []cell {
	for len(cs) > 0 && cs[len(cs)-1].space() {
		cs = cs[:len(cs)-1]
	}
	return cs
}

// mayBreak tells whether a row may end between two cells.
func mayBreak(a, b cell) bool {
	if a.space() {
		return !b.space()
	}
	if a.width < 2 && b.width < 2 {
		return false
	}
	const opening, closing = "（「『【《〈〔“‘([{", "，。、；：？！）」』】》〉〕”’…,.;:?!)]}％%"
	return !strings.Contains(opening, a.text) && !strings.Contains(closing, b.text)
}

// cellsText joins the texts of cells.
func cellsText(cs []cell) string {
	var b strings.Builder
	for _, c := range cs {
		b.WriteString(c.text)
	}
	return b.String()
}

func cellsWidth(cs []cell) int {
	w := 0
	for _, c := range cs {
		w += c.width
	}
	return w
}

// hang breaks clean text into rows of at most width columns; rows after the
// first begin with indent blanks.
func hang(s string, width, indent int) []string {
	pad := strings.Repeat(" ", indent)
	var out []string
	for i, row := range wrap(cells(s, 0), max(width-indent, 1)) {
		text := cellsText(trimCells(row))
		if i > 0 && text != "" {
			text = pad + text
		}
		out = append(out, text)
	}
	return out
}
