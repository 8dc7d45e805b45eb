package terminal

import (
	"slices"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

// table draws a table in columns; where the window is too narrow for that,
// row by row.
func (d *drawing) table(n *extast.Table, width int) [][]cell {
	var grid [][][]cell // row, column
	columns := len(n.Alignments)
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		row := make([][]cell, columns)
		st := style(0)
		if _, head := r.(*extast.TableHeader); head {
			st = bold
		}
		i := 0
		for c := r.FirstChild(); c != nil && i < columns; c = c.NextSibling() {
			row[i] = d.inline(c, st)
			i++
		}
		grid = append(grid, row)
	}
	if columns == 0 || len(grid) == 0 {
		return nil
	}
	widths := make([]int, columns)
	for _, row := range grid {
		for i, c := range row {
			widths[i] = max(widths[i], cellsWidth(c), 1)
		}
	}
	const gap = 3 // " │ "
	if !shrink(widths, width-gap*(columns-1)) {
		return d.records(grid, width)
	}
	var out [][]cell
	for r, row := range grid {
		out = append(out, d.tableRow(row, widths, n.Alignments)...)
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
	const least = 4
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
func (d *drawing) tableRow(row [][]cell, widths []int, align []extast.Alignment) [][]cell {
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
			case extast.AlignRight:
				left, right = right, 0
			case extast.AlignCenter:
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
			line := slices.Concat(grid[0][i], cells(": ", 0), c)
			out = append(out, rowsOf(line, width)...)
		}
	}
	if len(grid) == 1 {
		for _, c := range grid[0] {
			out = append(out, rowsOf(c, width)...)
		}
	}
	return out
}
