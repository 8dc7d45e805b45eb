package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/holic512/plugin-ai/runner"
)

// ErrNothingPicked is what [Face.Pick] gives where the person chose nothing.
var ErrNothingPicked = errors.New("nothing was chosen")

const (
	pickRows = 12 // lines of a list that are shown at once
	// escapeWait is how long the rest of a key that begins with an escape may
	// take to come; an escape alone leaves the list.
	escapeWait = 60 * time.Millisecond
)

// Columns is how many columns the lines of [Face.Pick] are cut to.
func (f *Face) Columns() int {
	columns := fallbackColumns
	if c := f.console(); c != nil {
		columns, _ = c.out.size()
	}
	return columns - 1 - len("> ")
}

// Pick lets the person choose one of several lines and gives its index: with
// the arrow keys and Enter, and by typing words that must be in what is shown
// of the line. at is
// the line that is marked at first. Escape and Ctrl-C are [ErrNothingPicked].
// A terminal that cannot move its cursor shows numbers. Where nobody can be
// asked the error is [runner.ErrNobody].
func (f *Face) Pick(ctx context.Context, title string, lines []string, at int) (int, error) {
	c := f.console()
	if c == nil || f.cfg.JSON {
		return -1, runner.ErrNobody
	}
	if !c.out.control {
		n, err := (&asker{face: f, console: c}).Select(ctx, title, lines)
		if errors.Is(err, errNoAnswer) {
			err = ErrNothingPicked
		}
		return n, err
	}
	f.mu.Lock()
	if f.people != nil {
		f.people.spin.stop()
	}
	f.mu.Unlock()
	p := &picker{console: c, title: cleanLine(title), prompt: f.texts.Search, at: at}
	for i, line := range lines {
		p.all = append(p.all, pickLine{i, cleanLine(line)})
	}
	p.filter()
	return p.pick(ctx)
}

type pickLine struct {
	index int
	text  string
}

// A picker is a list under way.
type picker struct {
	*console
	title, prompt string
	all, found    []pickLine
	at, top       int // in found
	query         buffer
	keys          keyParser
	widths        []int // of the rows shown above the cursor
}

func (p *picker) pick(ctx context.Context) (int, error) {
	if err := p.modes.raw(); err != nil {
		return -1, err
	}
	defer func() {
		p.erase()
		p.out.print(pasteOff)
		p.in.ahead = append(p.keys.rest(), p.in.ahead...)
		p.modes.restore()
	}()
	p.out.print(pasteOn)
	resized := make(chan os.Signal, 1)
	if signals := resizeSignals(); signals != nil {
		signal.Notify(resized, signals...)
		defer signal.Stop(resized)
	}
	for {
		for k, ok := p.keys.next(); ok; k, ok = p.keys.next() {
			switch k.code {
			case keyEnter, keyNewline:
				if p.at < len(p.found) {
					return p.found[p.at].index, nil
				}
			case keyInterrupt, keyEscape, keyEOF:
				return -1, ErrNothingPicked
			default:
				p.key(k)
			}
		}
		p.draw()
		data, wasResized, err := p.readKey(ctx, resized)
		if wasResized {
			p.resize()
		}
		if errors.Is(err, io.EOF) {
			err = ErrNothingPicked
		}
		if err != nil {
			return -1, err
		}
		p.keys.feed(data)
	}
}

// readKey reads more. An escape after which nothing comes is the key itself,
// which is told as Ctrl-G, its other spelling.
func (p *picker) readKey(ctx context.Context, resized <-chan os.Signal) ([]byte, bool, error) {
	if string(p.keys.buf) != "\x1b" {
		return p.read(ctx, resized)
	}
	short, cancel := context.WithTimeout(ctx, escapeWait)
	defer cancel()
	data, wasResized, err := p.read(short, resized)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		p.keys.buf = nil
		return []byte{7}, wasResized, nil
	}
	return data, wasResized, err
}

func (p *picker) key(k key) {
	switch k.code {
	case keyUp:
		p.at = max(p.at-1, 0)
	case keyDown:
		p.at = max(min(p.at+1, len(p.found)-1), 0)
	case keyClear:
		p.out.print("\x1b[H\x1b[2J")
		p.widths = nil
	default:
		before := p.query.text()
		if k.code == keyText {
			k.text = strings.ReplaceAll(k.text, "\n", " ")
		}
		if p.query.do(k); p.query.text() != before {
			p.filter()
			p.at = 0
		}
	}
}

// filter finds the lines that have all words of the query in what is shown of
// them.
func (p *picker) filter() {
	columns, _ := p.out.size()
	words := strings.Fields(strings.ToLower(p.query.text()))
	p.found = p.found[:0:0]
next:
	for _, line := range p.all {
		shown := ""
		if len(words) > 0 {
			shown = strings.ToLower(cutWidth(line.text, columns-1-len("> ")))
		}
		for _, w := range words {
			if !strings.Contains(shown, w) {
				continue next
			}
		}
		p.found = append(p.found, line)
	}
}

// draw shows the list in place of what was shown before. The cursor stays on
// the last row, behind what was typed.
func (p *picker) draw() {
	columns, height := p.out.size()
	room := max(min(pickRows, height-3), 1)
	p.top = max(min(p.top, p.at), p.at-room+1)
	last := min(p.top+room, len(p.found))
	p.top = max(min(p.top, last-room), 0)
	p.erase()
	var rows []string
	add := func(row string, st style) {
		row = cutWidth(row, columns-1)
		p.widths = append(p.widths, textWidth(row))
		rows = append(rows, paint(row, st, p.out.color))
	}
	add(p.title, bold)
	for i := p.top; i < last; i++ {
		if i == p.at {
			add("> "+p.found[i].text, cyan)
		} else {
			add("  "+p.found[i].text, 0)
		}
	}
	label := fmt.Sprintf("%s (%s/%s): ", p.prompt, strconv.Itoa(min(p.at+1, len(p.found))), strconv.Itoa(len(p.found)))
	add(label+cleanLine(p.query.text()), 0)
	p.out.print(strings.Join(rows, "\r\n"))
}

// erase takes away what was shown.
func (p *picker) erase() {
	up := ""
	if n := len(p.widths) - 1; n > 0 {
		up = "\x1b[" + strconv.Itoa(n) + "A"
	}
	p.out.print("\r" + up + "\x1b[J")
	p.widths = nil
}

// resize finds how many rows there are after the terminal broke them anew.
func (p *picker) resize() {
	columns, _ := p.out.size()
	var rows []int
	for _, w := range p.widths {
		for range 1 + max(w-1, 0)/max(columns, 1) {
			rows = append(rows, 0)
		}
	}
	p.widths = rows
	p.filter()
	p.at = max(min(p.at, len(p.found)-1), 0)
}

// cutWidth cuts a text that is too wide for its row.
func cutWidth(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	var b strings.Builder
	left := width - 1
	for _, c := range cells(s, 0) {
		if left -= c.width; left < 0 {
			break
		}
		b.WriteString(c.text)
	}
	return b.String() + "…"
}
