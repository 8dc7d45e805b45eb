package terminal

import "strings"

// style is how a cell looks; the bits add up.
type style uint16

const (
	bold style = 1 << iota
	dim
	italic
	underline
	red
	green
	yellow
	blue
	magenta
	cyan
	reverse
)

// codes gives the SGR parameters of a style.
func (s style) codes() string {
	table := [...]string{"1", "2", "3", "4", "31", "32", "33", "34", "35", "36", "7"}
	var out []string
	for i, code := range table {
		if s&(1<<i) != 0 {
			out = append(out, code)
		}
	}
	return strings.Join(out, ";")
}

// paint writes a text in a style where colours are on.
func paint(s string, st style, color bool) string {
	if !color || st == 0 || s == "" {
		return s
	}
	return "\x1b[" + st.codes() + "m" + s + "\x1b[0m"
}

// paintCells writes cells in their styles where colours are on. Every row
// ends in the terminal's own style.
func paintCells(cs []cell, color bool) string {
	var b strings.Builder
	for i := 0; i < len(cs); {
		j := i
		for j < len(cs) && cs[j].style == cs[i].style {
			j++
		}
		b.WriteString(paint(cellsText(cs[i:j]), cs[i].style, color))
		i = j
	}
	return b.String()
}
