package executors

import (
	"strconv"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// maxJump is how far right of a line's text a cursor movement may go.
const maxJump = 512

// A screen writes text as a terminal would show it when all is done, line by
// line: what was overwritten or erased within its line is gone. Movements
// between lines are left out, since the output is no full-screen picture.
type screen struct {
	out       []byte
	lineStart int // of the current line, in out

	// A line in which the cursor moved is kept as columns until its end. A
	// wide character takes its column and an empty one.
	moved  bool
	cols   []string
	cursor int
}

// render gives the text that a terminal would show for b.
func render(b []byte) string {
	s := screen{out: make([]byte, 0, len(b))}
	for len(b) > 0 {
		if n := plainPrefix(b); n > 0 && !s.moved {
			s.out = append(s.out, b[:n]...)
			b = b[n:]
			continue
		}
		t, r, size := scan(b, true)
		if t == tokenReturn && size < len(b) && b[size] == '\n' {
			t = tokenSkip // a Windows line end
		}
		s.put(t, r, b[:size])
		b = b[size:]
	}
	s.endLine()
	return string(s.out)
}

// plainPrefix is the length of the printable ASCII text that b begins with.
func plainPrefix(b []byte) int {
	for i, c := range b {
		if (c < 0x20 && c != '\t') || c >= 0x7f {
			return i
		}
	}
	return len(b)
}

func (s *screen) put(t token, r rune, raw []byte) {
	switch t {
	case tokenNewline:
		s.endLine()
		s.out = append(s.out, '\n')
		s.lineStart = len(s.out)
	case tokenReturn:
		s.move()
		s.cursor = 0
	case tokenBackspace:
		s.move()
		s.cursor = max(0, s.cursor-1)
		for s.cursor > 0 && s.cursor < len(s.cols) && s.cols[s.cursor] == "" {
			s.cursor--
		}
	case tokenCSI:
		s.control(raw)
	case tokenRune, tokenBad:
		if s.moved {
			s.write(r)
		} else {
			s.out = utf8.AppendRune(s.out, r)
		}
	case tokenSkip, tokenMore:
	}
}

// move turns the current line into columns.
func (s *screen) move() {
	if s.moved {
		return
	}
	line := string(s.out[s.lineStart:])
	s.out = s.out[:s.lineStart]
	s.moved, s.cols, s.cursor = true, s.cols[:0], 0
	for _, r := range line {
		s.write(r)
	}
}

// write puts a character at the cursor.
func (s *screen) write(r rune) {
	width := 1
	if r != '\t' && r >= utf8.RuneSelf {
		width = displaywidth.Rune(r)
	}
	if width == 0 { // it joins the character before it
		if s.cursor > 0 && s.cursor <= len(s.cols) && len(s.cols[s.cursor-1]) < 32 {
			at := s.cursor - 1
			for at > 0 && s.cols[at] == "" {
				at--
			}
			s.cols[at] += string(r)
		}
		return
	}
	for len(s.cols) < s.cursor+width {
		s.cols = append(s.cols, " ")
	}
	s.split(s.cursor)
	s.split(s.cursor + width)
	s.cols[s.cursor] = string(r)
	for i := 1; i < width; i++ {
		s.cols[s.cursor+i] = ""
	}
	s.cursor += width
}

// split makes sure that no wide character stands across column at.
func (s *screen) split(at int) {
	if at >= len(s.cols) || s.cols[at] != "" {
		return
	}
	from := at
	for from > 0 && s.cols[from] == "" {
		from--
	}
	for i := from; i < len(s.cols) && (i == from || s.cols[i] == ""); i++ {
		s.cols[i] = " "
	}
}

// control obeys the sequences that act within a line.
func (s *screen) control(raw []byte) {
	final := raw[len(raw)-1]
	switch final {
	case 'C', 'D', 'G', 'K':
	default:
		return
	}
	i := len(raw) - 1
	for i > 0 && raw[i-1] >= '0' && raw[i-1] <= '9' {
		i--
	}
	n, err := strconv.Atoi(string(raw[i : len(raw)-1]))
	given := err == nil
	count := min(max(n, 1), 1<<16)
	if final == 'K' && !s.moved && (!given || n == 0) {
		return // nothing stands right of the end
	}
	s.move()
	limit := max(len(s.cols), maxJump)
	switch final {
	case 'C':
		s.cursor = min(s.cursor+count, limit)
	case 'D':
		s.cursor = max(s.cursor-count, 0)
	case 'G':
		s.cursor = min(count-1, limit)
	case 'K': // erasing up to the cursor (1) is rare and left out
		if n != 1 {
			s.erase(n == 2)
		}
	}
}

// erase takes away what is right of the cursor, or all of the line.
func (s *screen) erase(all bool) {
	if all {
		s.cols = s.cols[:0]
		s.cursor = min(s.cursor, maxJump) // what comes next is padded up to it
		return
	}
	s.split(s.cursor)
	s.cols = s.cols[:min(s.cursor, len(s.cols))]
}

// endLine puts the columns back as text, without the blanks that erasing left.
func (s *screen) endLine() {
	if !s.moved {
		return
	}
	end := len(s.cols)
	for end > 0 && s.cols[end-1] == " " {
		end--
	}
	for _, c := range s.cols[:end] {
		s.out = append(s.out, c...)
	}
	s.moved = false
}
