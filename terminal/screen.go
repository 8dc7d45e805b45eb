package terminal

import (
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

// maxOpen is how long a block may be, in bytes, to be drawn anew with each of
// its lines.
const maxOpen = 16 << 10

// A screen is a sheet on a terminal that can move its cursor. Text appears as
// it comes. Each time a line is complete the block that it belongs to is
// drawn anew as Markdown, if the answer looks like it; the format is told at
// the end only, and then what was taken for the wrong one is drawn again.
// Nothing is drawn again that may have left the window.
type screen struct {
	out   *output
	clean cleaner
	md    markdown
	buf   strings.Builder // what one call writes

	text    strings.Builder // of the answer, harmless
	rows    []string        // drawn, and known to stand above the cursor
	lost    bool            // rows are not all that was drawn of the answer
	started bool            // a row was drawn; the next one needs a line feed
	columns int             // that the rows were made for

	blocks splitter
	open   strings.Builder // whole lines of the block that goes on
	base   int             // in rows, where it starts
	frozen bool            // it is not drawn anew
	rich   bool            // the answer looks like Markdown

	line   strings.Builder // that is not complete
	first  int             // in rows, where it starts
	tail   []cell          // of it, what stands on its last row
	inLine bool            // it has a row
	cut    bool            // its beginning stands elsewhere
	blanks int             // empty lines before it that are not drawn yet
}

func newScreen(out *output) *screen { return &screen{out: out, md: newMarkdown(out.color)} }

// dirty tells whether the cursor stands behind text of the answer.
func (s *screen) dirty() bool { return s.started }

func (s *screen) write(text string) {
	s.fit()
	s.add(s.clean.add(text))
	s.flush()
}

func (s *screen) add(text string) {
	s.text.WriteString(text)
	for {
		part, rest, ended := strings.Cut(text, "\n")
		s.draw(part)
		if !ended {
			return
		}
		s.endLine()
		text = rest
	}
}

// fit looks at the window. After a change of its width nobody knows which
// row is where.
func (s *screen) fit() {
	columns, _ := s.out.size()
	columns-- // the last column stays free: terminals differ in what follows it
	if s.columns != 0 && s.columns != columns {
		s.interrupt()
	}
	s.columns = columns
}

// draw adds to the line that is not complete.
func (s *screen) draw(text string) {
	if text == "" {
		return
	}
	s.line.WriteString(text)
	if !s.inLine {
		if !s.cut {
			if text = s.line.String(); strings.Trim(text, " ") == "" {
				return
			}
		}
		if s.rich && s.blanks > 1 {
			s.blanks = 1
		}
		for ; s.blanks > 0; s.blanks-- {
			s.row("")
		}
		s.first, s.tail, s.inLine = len(s.rows), nil, true
		s.row("")
	}
	old := cellsText(trimCells(s.tail))
	rows := wrap(cells(cellsText(s.tail)+text, 0), s.columns)
	for i, row := range rows {
		now := cellsText(row)
		if i > 0 {
			s.row(now)
			continue
		}
		last := &s.rows[len(s.rows)-1]
		switch {
		case strings.HasPrefix(now, *last):
			s.buf.WriteString(now[len(*last):])
		case now != old:
			s.buf.WriteString("\r" + now + "\x1b[K")
		}
		*last = now
	}
	s.tail = rows[len(rows)-1]
}

// row draws a row below the others.
func (s *screen) row(text string) {
	if s.started {
		s.buf.WriteByte('\n')
	}
	s.started = true
	s.buf.WriteString(text)
	s.rows = append(s.rows, text)
}

// endLine ends the line and draws its block anew.
func (s *screen) endLine() {
	line := s.line.String()
	s.line.Reset()
	cut := s.cut
	s.cut = false
	if !s.inLine && !s.blocks.fenced() {
		s.blocks.blank()
		if s.started {
			s.blanks++
		}
		return
	}
	if !s.inLine { // an empty line of code
		s.first = len(s.rows)
		s.row("")
	}
	s.inLine, s.tail = false, nil
	if s.blocks.next(line) {
		s.open.Reset()
		s.base, s.frozen = s.first, cut
	} else {
		for range s.blocks.skipped {
			s.open.WriteByte('\n')
		}
	}
	s.open.WriteString(line + "\n")
	s.rich = s.rich || looksRich(line)
	if s.rich && !s.frozen && s.open.Len() <= maxOpen {
		s.replace(s.base, s.md.rows(s.open.String(), s.columns))
	}
}

// replace draws the rows from base on anew, as far as they differ. Where a
// row that differs may have left the window nothing is touched any more.
func (s *screen) replace(base int, with []string) {
	old := s.rows[base:]
	n := 0
	for n < len(with) && n < len(old) && with[n] == old[n] {
		n++
	}
	if n == len(with) && n == len(old) {
		return
	}
	at, todo := base+n, with[n:]
	if len(todo) == 0 && at > 0 { // the cursor must end on the last row
		at--
		todo = []string{s.rows[at]}
	}
	up := len(s.rows) - 1 - at
	if _, height := s.out.size(); up > height-2 {
		s.frozen = true
		return
	}
	if up > 0 {
		s.buf.WriteString("\x1b[" + strconv.Itoa(up) + "A")
	}
	if up >= 0 {
		s.buf.WriteString("\r\x1b[J")
		s.started = false
	}
	s.rows = s.rows[:at]
	for _, r := range todo {
		s.row(r)
	}
}

func (s *screen) finish(format protocol.Format) {
	s.fit()
	s.add(s.clean.rest())
	if s.inLine {
		s.endLine()
	}
	rich := format == protocol.FormatMarkdown
	if format != "" && rich != s.rich && !s.lost {
		text := strings.TrimRight(s.text.String(), "\n")
		if rich {
			s.replace(0, s.md.whole(text, s.columns))
		} else {
			s.replace(0, plainRows(text, s.columns))
		}
	}
	s.end()
}

func (s *screen) restart() {
	s.clean.rest()
	s.end()
}

// end leaves the answer and forgets it.
func (s *screen) end() {
	if s.started {
		s.buf.WriteByte('\n')
	}
	s.flush()
	*s = screen{out: s.out, md: s.md}
}

func (s *screen) interrupt() {
	if s.started {
		s.buf.WriteByte('\n')
	}
	s.flush()
	s.rows, s.tail = nil, nil
	s.base, s.first = 0, 0
	s.started, s.inLine = false, false
	s.frozen, s.lost = true, s.lost || s.text.Len() > 0
	s.blanks, s.cut = 0, s.line.Len() > 0
}

func (s *screen) flush() {
	if s.buf.Len() > 0 {
		s.out.print(s.buf.String())
		s.buf.Reset()
	}
}

// plainRows is a text as it comes.
func plainRows(text string, columns int) []string {
	var rows []string
	for _, r := range wrap(cells(text, 0), columns) {
		rows = append(rows, cellsText(trimCells(r)))
	}
	return rows
}
