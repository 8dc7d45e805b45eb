package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/internal/diff"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/runner"
)

// The limits of a diff in a question, until all of it is asked for.
const (
	mostRows   = 200 // or twice the window
	leastRows  = 10  // of a diff that is cut, however small the window is
	nearChange = 40  // characters of a long line, on each side of a change
	mostChange = 800 // characters of a changed stretch
)

// change shows what would become of a file. It tells whether there is more
// than it shows.
func (a *asker) change(c *runner.FileChange) (more bool) {
	t := a.face.texts
	if c.Again {
		a.say("", t.DiffAgain)
	}
	path := a.face.homePath(c.Path)
	if c.Created {
		path += " (" + t.WillCreate + ")"
	}
	if c.Removed {
		path += " (" + t.WillRemove + ")"
	}
	a.say(t.File, path)
	columns, window := a.out.size()
	rows, cut := diffRows(c.Diff, columns-1, nearChange, mostChange)
	left := 0
	if most := min(2*window, mostRows); len(rows) > most {
		shown := max(window-leastRows, leastRows)
		rows, left = rows[:shown], len(rows)-shown
	}
	a.rows(rows)
	if left > 0 {
		a.say("", fmt.Sprintf(t.DiffMore, left))
	}
	if p := a.face.people; p != nil {
		a.face.mu.Lock()
		p.diff = diffBody(c.Unified())
		a.face.mu.Unlock()
	}
	return left > 0 || cut
}

// wholeChange shows all of what would become of a file: nothing that changes
// is left out.
func (a *asker) wholeChange(c *runner.FileChange) {
	columns, _ := a.out.size()
	rows, _ := diffRows(c.Diff, columns-1, 10*nearChange, 0)
	a.rows(rows)
}

func (a *asker) rows(rows [][]cell) {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(paintCells(row, a.out.color) + "\n")
	}
	a.print(b.String())
}

// diffBody is a diff as text without the names of its sides.
func diffBody(text string) string {
	_, text, _ = strings.Cut(text, "\n")
	_, text, _ = strings.Cut(text, "\n")
	return text
}

// homePath shows a path, with ~ for the home folder where that is plain.
func (f *Face) homePath(path string) string {
	home := strings.TrimRight(f.cfg.Getenv("HOME"), "/")
	if rest, ok := strings.CutPrefix(path, home+"/"); ok && home != "" {
		if short := tildePath("~/" + rest); strings.HasPrefix(short, "~") {
			return short
		}
	}
	return visibleLine(path)
}

// diffRows draws a diff in rows of at most columns. Of unchanged text that is
// far from a change, and of a change that is long, it leaves out what Cut
// does, and tells whether it did.
func diffRows(d diff.Diff, columns, near, most int) (rows [][]cell, cut bool) {
	for _, h := range d.Hunks {
		rows = append(rows, wrapDiff(nil, cells(h.Header(), dim), columns)...)
		for _, whole := range h.Lines {
			line := whole.Cut(near, most)
			cut = cut || line.Text() != whole.Text()
			st := style(0)
			switch line.Kind {
			case diff.Removed:
				st = red
			case diff.Added:
				st = green
			case diff.Same:
			}
			var body []cell
			for _, p := range line.Parts {
				emphasis := st
				if p.Changed {
					emphasis |= bold | reverse
				}
				body = append(body, cells(visibleDiff(p.Text), emphasis)...)
			}
			rows = append(rows, wrapDiff([]cell{{string(rune(line.Kind)), 1, st}}, body, columns)...)
			if line.Unended {
				rows = append(rows, wrapDiff(nil, cells(`\ No newline at end of file`, dim), columns)...)
			}
		}
	}
	return rows, cut
}

// wrapDiff breaks a line into rows without losing a cell; ↳ begins those that
// go on.
func wrapDiff(sign, body []cell, columns int) [][]cell {
	columns = max(columns, 4)
	var rows [][]cell
	row, width := slices.Clone(sign), len(sign)
	for _, c := range body {
		if width+c.width > columns {
			rows = append(rows, row)
			row, width = []cell{{"↳", 1, dim}}, 1
		}
		row = append(row, c)
		width += c.width
	}
	return append(rows, row)
}

// visibleDiff is text of a file in which nothing hides and nothing breaks the
// line, joiners in plain text included.
func visibleDiff(s string) string {
	if isHarmless(s) {
		return s
	}
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		switch {
		case r == 0x2028, r == 0x2029,
			last < 0x80 && (r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteString(visible(r))
		}
		last = r
	}
	return b.String()
}

// changeOf is what a step did to a file; nil where it did nothing of the kind.
func changeOf(o *protocol.Observation) *protocol.ConfigDiff {
	if o.Parsed == nil || o.Parsed.Kind != protocol.ParsedConfigDiff || len(o.Parsed.Items) != 1 {
		return nil
	}
	var c protocol.ConfigDiff
	if err := json.Unmarshal(o.Parsed.Items[0], &c); err != nil {
		return nil
	}
	return &c
}

// changed says what a step did to a file.
func (p *people) changed(c *protocol.ConfigDiff) string {
	if c.Created {
		return p.t.Created
	}
	return p.t.Changed
}

// byTool chooses between the words for a command and those for a change.
func (p *people) byTool(a announced, command, change string) string {
	if a.tool == protocol.ToolJSONPatch {
		return change
	}
	return command
}

// writtenDiff shows a diff that comes as text.
func (p *people) writtenDiff(text string) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		line = visibleDiff(line)
		st := style(0)
		switch {
		case i < 2, strings.HasPrefix(line, "@@"), strings.HasPrefix(line, `\`):
			st = dim
		case strings.HasPrefix(line, "-"):
			st = red
		case strings.HasPrefix(line, "+"):
			st = green
		}
		rows := [][]cell{cells(line, st)}
		if p.out.terminal {
			columns, _ := p.out.size()
			rows = wrapDiff(nil, rows[0], columns-6)
		}
		for _, row := range rows {
			p.out.print("     " + paintCells(row, p.out.color) + "\n")
		}
	}
}
