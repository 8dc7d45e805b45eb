package terminal

import (
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func itoa(n int) string { return strconv.Itoa(n) }

func trimZero(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// stepLine writes a step as one line in which every byte can be seen.
func stepLine(s *protocol.Step) string {
	switch s.Tool {
	case protocol.ToolPluginRun:
		return string(s.Tool) + " " + protocol.FormatCommand(s.Plugin, s.Args)
	case protocol.ToolJSONPatch:
		words := []string{s.Path}
		for _, op := range s.Patch {
			word := op.Op + " " + op.Path
			if op.From != "" {
				word = op.Op + " " + op.From + " → " + op.Path
			}
			if len(op.Value) > 0 {
				word += " = " + string(op.Value)
			}
			words = append(words, word)
		}
		for _, set := range s.Set {
			words = append(words, set.Path+" = "+string(set.Value))
		}
		for _, path := range s.Unset {
			words = append(words, "remove "+path)
		}
		return protocol.FormatCommand(string(s.Tool), words)
	default:
		return protocol.FormatCommand(s.Program, s.Args)
	}
}

// chop breaks a command into rows without losing one of its cells: behind a
// blank where there is one in the second half of the row, else anywhere.
func chop(s string, width int) []string {
	width = max(width, 2)
	var rows []string
	cs := cells(s, 0)
	for len(cs) > 0 {
		w, n, brk := 0, 0, 0
		for n < len(cs) && w+cs[n].width <= width {
			w += cs[n].width
			n++
			if cs[n-1].space() && w > width/2 {
				brk = n
			}
		}
		if n < len(cs) && brk > 0 {
			n = brk
		}
		n = max(n, 1)
		rows = append(rows, cellsText(cs[:n]))
		cs = cs[n:]
	}
	return rows
}
