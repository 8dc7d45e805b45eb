package terminal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// emulator is as much of a terminal as this package relies on: it shows what
// a person would see.
type emulator struct {
	width, height int
	lines         [][]string // every row ever shown; a wide character is followed by ""
	row, col      int        // row counts from the first line
	strange       []string   // control sequences that are not expected
}

func (e *emulator) Write(p []byte) (int, error) {
	s := string(p)
	for s != "" {
		switch {
		case s[0] == '\n':
			e.row, e.col = e.row+1, 0
			s = s[1:]
		case s[0] == '\r':
			e.col = 0
			s = s[1:]
		case strings.HasPrefix(s, "\x1b["):
			end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= '@' && r <= '~' }) + 2
			e.csi(s[2:end], s[end])
			s = s[end+1:]
		default:
			g := displaywidth.StringGraphemes(s)
			g.Next()
			if v := g.Value(); v < " " && v != "\t" {
				e.strange = append(e.strange, v)
			}
			e.put(g.Value(), g.Width())
			s = s[len(g.Value()):]
		}
		e.at(e.row)
	}
	return len(p), nil
}

func (e *emulator) at(row int) {
	for len(e.lines) <= row {
		e.lines = append(e.lines, nil)
	}
}

func (e *emulator) put(g string, width int) {
	e.at(e.row)
	if width == 0 { // it joins with what stands before it
		if e.col > 0 && len(e.lines[e.row]) >= e.col {
			e.lines[e.row][e.col-1] += g
		}
		return
	}
	if e.col+width > e.width {
		e.row, e.col = e.row+1, 0
		e.at(e.row)
	}
	for len(e.lines[e.row]) < e.col+width {
		e.lines[e.row] = append(e.lines[e.row], " ")
	}
	e.lines[e.row][e.col] = g
	for i := 1; i < width; i++ {
		e.lines[e.row][e.col+i] = ""
	}
	e.col += width
}

func (e *emulator) csi(arg string, final byte) {
	n, _ := strconv.Atoi(arg)
	switch final {
	case 'm', 's', 'r', 'u': // scrolling parts and the saved cursor are not shown
	case 'A':
		top := max(len(e.lines)-e.height, 0)
		e.row = max(e.row-max(n, 1), top)
	case 'C':
		e.col += max(n, 1)
	case 'h', 'l':
		if !strings.Contains(sane, "\x1b["+arg+"h") && !strings.Contains(sane, "\x1b["+arg+"l") {
			e.strange = append(e.strange, arg+string(final))
		}
	case 'J':
		e.at(e.row)
		e.lines = e.lines[:e.row+1]
		e.lines[e.row] = e.lines[e.row][:min(e.col, len(e.lines[e.row]))]
	case 'K':
		e.at(e.row)
		e.lines[e.row] = e.lines[e.row][:min(e.col, len(e.lines[e.row]))]
	default:
		e.strange = append(e.strange, arg+string(final))
	}
}

// text is all that was ever shown, without blanks at the ends of rows.
func (e *emulator) text() string {
	var out []string
	for _, l := range e.lines {
		out = append(out, strings.TrimRight(strings.Join(l, ""), " "))
	}
	return strings.TrimRight(strings.Join(slices.Clip(out), "\n"), "\n")
}

func (e *emulator) output(color bool) *output {
	return &output{w: e, terminal: true, control: true, color: color, measure: func() (int, int, error) { return e.width, e.height, nil }}
}
