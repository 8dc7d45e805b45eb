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

// mostOperations is how many operations of a patch are named on a line.
const mostOperations = 4

// stepLine writes a step as one line in which every byte can be seen. Of a
// patch it names the file and the places, not the values.
func stepLine(s *protocol.Step) string {
	switch s.Tool {
	case protocol.ToolPluginRun:
		return protocol.FormatCommand(s.Plugin, s.Args) + " (plugin)"
	case protocol.ToolJSONPatch:
		all := operations(s)
		if more := len(all) - mostOperations; more > 0 {
			all = append(all[:mostOperations:mostOperations], "… (+"+itoa(more)+")")
		}
		if len(all) == 0 { // a change that was planned before its step
			return "edit " + tildePath(s.Path)
		}
		return "edit " + tildePath(s.Path) + ": " + strings.Join(all, ", ")
	case protocol.ToolBashExec:
		return "bash: " + s.Command
	case protocol.ToolDecide:
		return "decide: " + s.Task
	default:
		return protocol.FormatCommand(s.Program, s.Args)
	}
}

// operations names what a patch does, place by place. What only sets a value
// is its place alone.
func operations(s *protocol.Step) []string {
	var all []string
	for _, op := range s.Patch {
		word := pointer(op.Path)
		if op.From != "" {
			word = pointer(op.From) + " → " + word
		}
		if op.Op != "replace" && op.Op != "add" {
			word = protocol.FormatCommand(op.Op, nil) + " " + word
		}
		all = append(all, word)
	}
	for _, set := range s.Set {
		all = append(all, pointer(set.Path))
	}
	for _, path := range s.Unset {
		all = append(all, "remove "+pointer(path))
	}
	return all
}

// pointer shows a JSON Pointer, without the middle of a very long one.
func pointer(path string) string {
	const most = 60
	if all := cells(path, 0); len(all) > most {
		path = cellsText(all[:most/2]) + "…" + cellsText(all[len(all)-most/2:])
	}
	return protocol.FormatCommand(path, nil)
}

// tildePath shows a path such that nothing in it hides. A ~ at its beginning
// stays bare: it is the home folder, as a shell has it.
func tildePath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if shown := protocol.FormatCommand(rest, nil); shown == rest {
			return path
		}
	}
	return protocol.FormatCommand(path, nil)
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
