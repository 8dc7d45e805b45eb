package terminal

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// alignment says where a cell's text stands in its column.
type alignment int

const (
	alignLeft alignment = iota
	alignCenter
	alignRight
)

// paragraph draws a paragraph. One that holds a row of heads and a row of
// dashes is a table from there on.
func (d *drawing) paragraph(n ast.Node, width int) [][]cell {
	lines := strings.Split(strings.TrimRight(d.lines(n), "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		heads := splitRow(lines[i-1])
		align := alignments(lines[i])
		if len(align) == 0 || len(align) != len(heads) || !strings.Contains(lines[i-1], "|") {
			continue
		}
		grid := [][][]cell{d.tableCells(heads, bold)}
		for _, line := range lines[i+1:] {
			row := append(splitRow(line), make([]string, len(heads))...)[:len(heads)]
			grid = append(grid, d.tableCells(row, 0))
		}
		var out [][]cell
		if i > 1 {
			out = append(rowsOf(d.inlineText(strings.Join(lines[:i-1], "\n"), 0), width), nil)
		}
		return append(out, d.table(grid, align, width)...)
	}
	return rowsOf(d.inline(n, 0), width)
}

// splitRow parts a row of a table into its cells. A bar behind a backslash
// or inside code parts nothing.
func splitRow(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	var out []string
	var b strings.Builder
	code := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && line[i+1] == '|':
			b.WriteByte('|')
			i++
		case c == '|' && !code:
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			if c == '`' {
				code = !code && strings.IndexByte(line[i+1:], '`') >= 0
			}
			b.WriteByte(c)
		}
	}
	if last := strings.TrimSpace(b.String()); last != "" {
		out = append(out, last)
	}
	return out
}

// alignments reads a row of dashes; nil where it is none.
func alignments(line string) []alignment {
	if !strings.Contains(line, "|") || !strings.Contains(line, "-") {
		return nil
	}
	var out []alignment
	for _, c := range splitRow(line) {
		left, right := strings.HasPrefix(c, ":"), strings.HasSuffix(c, ":")
		if dashes := strings.Trim(c, ":"); dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		a := alignLeft
		if left && right {
			a = alignCenter
		} else if right {
			a = alignRight
		}
		out = append(out, a)
	}
	return out
}

func (d *drawing) tableCells(row []string, st style) [][]cell {
	var out [][]cell
	for _, c := range row {
		out = append(out, d.inlineText(c, st))
	}
	return out
}

// inlineText draws a text that stands in no block of its own.
func (d *drawing) inlineText(s string, st style) []cell {
	inner := &drawing{src: []byte(s), color: d.color, parser: d.parser}
	doc := d.parser.Parse(text.NewReader(inner.src))
	if p := doc.FirstChild(); p != nil && p.NextSibling() == nil && p.Kind() == ast.KindParagraph {
		return inner.inline(p, st)
	}
	return cells(s, st)
}

// table draws a table in columns; where the window is too narrow for that,
// row by row.
func (d *drawing) table(grid [][][]cell, align []alignment, width int) [][]cell {
	widths := make([]int, len(align))
	for _, row := range grid {
		for i, c := range row {
			widths[i] = max(widths[i], cellsWidth(c), 1)
		}
	}
	const gap = 3 // " │ "
	if !shrink(widths, width-gap*(len(align)-1)) {
		return d.records(grid, width)
	}
	var out [][]cell
	for r, row := range grid {
		out = append(out, d.tableRow(row, widths, align)...)
		if r == 0 {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			out = append(out, cells(strings.Join(rule, "─┼─"), dim))
		}
	}
	return out
}

// shrink takes from the widest columns until all fit; false where they
// cannot.
func shrink(widths []int, room int) bool {
	const least = 8
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for sum > room {
		i := slices.Index(widths, slices.Max(widths))
		next := least // the widest column goes down to the next one at once
		for j, w := range widths {
			if j != i && w < widths[i] {
				next = max(next, w)
			}
		}
		take := min(sum-room, max(widths[i]-next, 1))
		if widths[i]-take < least {
			return false
		}
		widths[i] -= take
		sum -= take
	}
	return true
}

// tableRow draws one row of a table, on as many rows as its highest cell.
func (d *drawing) tableRow(row [][]cell, widths []int, align []alignment) [][]cell {
	parts := make([][][]cell, len(row))
	height := 1
	for i, c := range row {
		parts[i] = wrap(c, widths[i])
		height = max(height, len(parts[i]))
	}
	out := make([][]cell, height)
	for y := range out {
		for i, part := range parts {
			var c []cell
			if y < len(part) {
				c = trimCells(part[y])
			}
			left, right := 0, max(widths[i]-cellsWidth(c), 0)
			switch align[i] {
			case alignLeft:
			case alignRight:
				left, right = right, 0
			case alignCenter:
				left, right = right/2, right-right/2
			}
			if i > 0 {
				out[y] = append(out[y], cells(" │ ", dim)...)
			}
			out[y] = append(out[y], cells(strings.Repeat(" ", left), 0)...)
			out[y] = append(out[y], c...)
			out[y] = append(out[y], cells(strings.Repeat(" ", right), 0)...)
		}
	}
	return out
}

// records draws each row of a table as lines of "head: cell".
func (d *drawing) records(grid [][][]cell, width int) [][]cell {
	var out [][]cell
	for r, row := range grid[1:] {
		if r > 0 {
			out = append(out, nil)
		}
		for i, c := range row {
			out = append(out, rowsOf(slices.Concat(grid[0][i], cells(": ", 0), c), width)...)
		}
	}
	if len(grid) == 1 {
		for _, c := range grid[0] {
			out = append(out, rowsOf(c, width)...)
		}
	}
	return out
}
