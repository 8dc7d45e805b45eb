package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

var (
	errInterrupted = errors.New("interrupted")
	errResized     = errors.New("the window was resized")
)

// An editor reads a text at a terminal that can move its cursor. The text
// may have several lines and be wider and higher than the window.
//
// It is our own because the libraries at hand do not do the job: peterh/liner
// knows no paste in brackets and no second line, and reeflective/readline
// writes to the standard output of the process, waits for the terminal to
// tell its cursor, and doubles the time that a small program takes to start.
type editor struct {
	*console
	prompt string   // before the first row; the others are indented by as much
	past   []string // what Up walks through
	search string   // the word for searching; "" searches nothing
	clear  bool     // Ctrl-L may clear the window

	buffer
	keys  keyParser
	at    int    // in past; len(past) is the new text
	draft string // the new text while at is elsewhere

	searching bool
	query     string

	top    int   // first row that is shown
	above  int   // rows shown above the cursor
	widths []int // of the rows shown, for a resize
	column int   // of the cursor
}

// edit reads a text, beginning with the given one. It gives errInterrupted
// for Ctrl-C and io.EOF for Ctrl-D in an empty text.
func (e *editor) edit(ctx context.Context, text string) (result string, err error) {
	if err := e.modes.raw(); err != nil {
		return "", err
	}
	e.out.print(pasteOn)
	defer func() {
		e.in.ahead = append(e.keys.rest(), e.in.ahead...)
		e.out.print(pasteOff)
		e.modes.restore()
	}()
	e.set(text)
	e.at, e.draft = len(e.past), ""
	e.top, e.above, e.widths, e.column = 0, 0, nil, 0
	e.keys = keyParser{early: true}
	resized := make(chan os.Signal, 1)
	if signals := resizeSignals(); signals != nil {
		signal.Notify(resized, signals...)
		defer signal.Stop(resized)
	}
	e.draw()
	for {
		for k, ok := e.keys.next(); ok; k, ok = e.keys.next() {
			done, err := e.key(k)
			if done || err != nil {
				e.leave(err)
				return e.text(), err
			}
		}
		e.draw()
		data, wasResized, err := e.read(ctx, resized)
		if wasResized {
			e.resize()
		}
		if err != nil {
			e.leave(err)
			return "", err
		}
		e.keys.feed(data)
	}
}

// read waits for keys, or for the window to change.
func (c *console) read(ctx context.Context, resized <-chan os.Signal) (data []byte, wasResized bool, err error) {
	reading, stop := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-resized:
			stop(errResized)
		case <-reading.Done():
		}
	}()
	data, err = c.in.read(reading)
	stop(nil)
	<-watched
	wasResized = errors.Is(context.Cause(reading), errResized)
	if wasResized && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = nil
	}
	return data, wasResized, err
}

// key carries out one key and tells whether the text is complete.
func (e *editor) key(k key) (done bool, err error) {
	if e.searching && !e.searchKey(k) {
		return false, nil
	}
	switch k.code {
	case keyEnter:
		if e.pos == len(e.chars) && e.pos > 0 && e.chars[e.pos-1] == `\` {
			e.do(key{keyBackspace, ""})
			e.insert("\n")
			return false, nil
		}
		return true, nil
	case keyInterrupt:
		return true, errInterrupted
	case keyEOF:
		if len(e.chars) == 0 {
			return true, io.EOF
		}
	case keySuspend:
		e.leave(nil)
		e.out.print(pasteOff)
		e.modes.restore()
		stopSelf()
		if err := e.modes.raw(); err != nil {
			return true, err
		}
		e.out.print(pasteOn)
		e.above, e.widths = 0, nil
	case keyClear:
		if e.clear {
			e.out.print("\x1b[H\x1b[2J")
			e.above, e.widths = 0, nil
		}
	case keySearch:
		if e.search != "" && len(e.past) > 0 {
			e.searching, e.query, e.at = true, "", len(e.past)
			e.draft = e.text()
		}
	case keyUp:
		e.vertical(-1)
	case keyDown:
		e.vertical(1)
	default:
	}
	e.do(k)
	return false, nil
}

// vertical moves by a row, and at the first or last one through the past.
func (e *editor) vertical(by int) {
	rows, row, column := e.layout()
	if to := row + by; to >= 0 && to < len(rows) {
		e.pos = rows[to].from
		for w := rows[to].indent; e.pos < rows[to].to; e.pos++ {
			if w += shownWidth(e.chars[e.pos]); w > column {
				break
			}
		}
		return
	}
	to := e.at + by
	if to < 0 || to > len(e.past) {
		return
	}
	if e.at == len(e.past) {
		e.draft = e.text()
	}
	e.at = to
	if to == len(e.past) {
		e.set(e.draft)
	} else {
		e.set(e.past[to])
	}
}

// searchKey carries out a key while the past is searched; true hands the key
// on and ends the search.
func (e *editor) searchKey(k key) bool {
	find := func(from int) {
		for i := from; i >= 0; i-- {
			if strings.Contains(e.past[i], e.query) {
				e.at = i
				e.set(e.past[i])
				return
			}
		}
	}
	switch k.code {
	case keyText:
		e.query += strings.ReplaceAll(k.text, "\n", " ")
		find(min(e.at, len(e.past)-1))
	case keyBackspace:
		if q := characters(e.query); len(q) > 0 {
			e.query = strings.Join(q[:len(q)-1], "")
			find(len(e.past) - 1)
		}
	case keySearch:
		find(e.at - 1)
	case keyEscape, keyInterrupt:
		e.searching, e.at = false, len(e.past)
		e.set(e.draft)
	default:
		e.searching = false
		return true
	}
	return false
}

// An editorRow is one row of the text as it is shown.
type editorRow struct {
	text     string
	from, to int // in chars
	indent   int
	width    int // with the indent
}

func shown(char string) string { return clean(char) }

func shownWidth(char string) int { return textWidth(shown(char)) }

// layout parts the text into rows and finds the cursor.
func (e *editor) layout() (rows []editorRow, row, column int) {
	columns, _ := e.out.size()
	indent := textWidth(e.label())
	cur := editorRow{indent: indent, width: indent}
	var b strings.Builder
	end := func(i int) {
		cur.text, cur.to = b.String(), i
		b.Reset()
		rows = append(rows, cur)
	}
	for i, c := range e.chars {
		w := 0
		if c != "\n" {
			w = shownWidth(c)
		}
		if cur.width+w > columns-1 && cur.width > indent {
			end(i)
			cur = editorRow{from: i, indent: indent, width: indent}
		}
		if i == e.pos {
			row, column = len(rows), cur.width
		}
		if c == "\n" {
			end(i)
			cur = editorRow{from: i + 1, indent: indent, width: indent}
			continue
		}
		b.WriteString(shown(c))
		cur.width += w
	}
	if e.pos == len(e.chars) {
		row, column = len(rows), cur.width
	}
	end(len(e.chars))
	return rows, row, column
}

func (e *editor) label() string {
	if !e.searching {
		return e.prompt
	}
	columns, _ := e.out.size()
	label := "(" + e.search + ") " + cleanLine(e.query) + ": "
	if textWidth(label) > columns/2 {
		label = "? "
	}
	return label
}

// draw shows the text and the cursor in place of what was shown before.
func (e *editor) draw() {
	rows, row, column := e.layout()
	_, height := e.out.size()
	visible := max(height-1, 1)
	e.top = max(min(e.top, row, max(len(rows)-visible, 0)), row-visible+1)
	last := min(e.top+visible, len(rows))
	var b strings.Builder
	b.WriteString("\r")
	if e.above > 0 {
		b.WriteString("\x1b[" + strconv.Itoa(e.above) + "A")
	}
	b.WriteString("\x1b[J")
	label := e.label()
	e.widths = e.widths[:0]
	for i := e.top; i < last; i++ {
		if i > e.top {
			b.WriteString("\r\n")
		}
		if i == 0 {
			b.WriteString(paint(label, cyan, e.out.color))
		} else {
			b.WriteString(strings.Repeat(" ", rows[i].indent))
		}
		b.WriteString(rows[i].text)
		e.widths = append(e.widths, rows[i].width)
	}
	if up := last - 1 - row; up > 0 {
		b.WriteString("\x1b[" + strconv.Itoa(up) + "A")
	}
	b.WriteString("\r")
	if column > 0 {
		b.WriteString("\x1b[" + strconv.Itoa(column) + "C")
	}
	e.above, e.column = row-e.top, column
	e.out.print(b.String())
}

// resize finds how many rows stand above the cursor after the terminal broke
// them anew.
func (e *editor) resize() {
	columns, _ := e.out.size()
	above := 0
	for i := 0; i < e.above && i < len(e.widths); i++ {
		above += 1 + max(e.widths[i]-1, 0)/columns
	}
	e.above = above + e.column/columns
}

// leave puts the cursor below the text.
func (e *editor) leave(err error) {
	e.searching = false
	e.pos = len(e.chars)
	e.draw()
	if errors.Is(err, errInterrupted) {
		e.out.print("^C")
	}
	e.out.print("\r\n")
}

// edit lets the person change a text; Ctrl-C and Ctrl-D leave the question.
func (a *asker) edit(ctx context.Context, text string) (string, error) {
	e := editor{console: a.console, prompt: "> "}
	line, err := e.edit(ctx, text)
	if errors.Is(err, errInterrupted) || errors.Is(err, io.EOF) {
		err = errNoAnswer
	}
	return line, err
}
