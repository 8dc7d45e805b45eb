package export

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// writeText writes what a person reads at a terminal or in a pipe.
func writeText(b *bufio.Writer, t *transcript.Transcript, w words) {
	fmt.Fprintf(b, "%s\n", title(t, w))
	for _, line := range head(t, w) {
		fmt.Fprintf(b, "%s\n", line)
	}
	for _, p := range t.Problems {
		fmt.Fprintf(b, "! %s\n", cleanLine(p))
	}
	for i := range t.Entries {
		e := &t.Entries[i]
		switch {
		case e.Observation != nil:
			o := e.Observation
			fmt.Fprintf(b, "\n  $ %s\n    (%s)\n", command(o), became(o, w))
			indent(b, o.StdoutTail, "    ")
			indent(b, o.StderrTail, "  ! ")
		case e.Role != "":
			fmt.Fprintf(b, "\n%s\n", strings.TrimRight(who(e.Role, w)+"  "+stamp(e.Time), " "))
			indent(b, e.Text, "  ")
			for _, line := range besides(e, w) {
				fmt.Fprintf(b, "  %s\n", line)
			}
			if e.Context != "" {
				fmt.Fprintf(b, "  -- %s\n", w.Input)
				indent(b, e.Context, "  | ")
			}
			if e.Partial != "" {
				fmt.Fprintf(b, "  -- %s\n", w.Partial)
				indent(b, e.Partial, "  | ")
			}
		case e.Summary != nil:
			fmt.Fprintf(b, "\n-- %s\n", w.Summary)
			for _, line := range summaryLines(e, w) {
				indent(b, line, "   ")
			}
		case e.Type == session.TypeModel:
			fmt.Fprintf(b, "\n-- %s\n", fmt.Sprintf(w.AskedModel, cleanLine(e.Model)))
		}
	}
}

// besides are the pictures and the calls of a message, a line each.
func besides(e *transcript.Entry, w words) []string {
	var lines []string
	for _, image := range e.Images {
		lines = append(lines, cleanLine(fmt.Sprintf(w.Image, image)))
	}
	for _, c := range e.Calls {
		lines = append(lines, cleanLine("-> "+c.Name+" "+c.Arguments))
	}
	return lines
}

func indent(b *bufio.Writer, text, by string) {
	if text = strings.TrimRight(clean(text), "\n"); text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		_, _ = b.WriteString(strings.TrimRight(by+line, " ") + "\n") // Flush tells of errors
	}
}

func summaryLines(e *transcript.Entry, w words) []string {
	lines := []string{e.Summary.Text}
	for _, part := range []struct {
		name  string
		items []string
	}{{w.Facts, e.Summary.KeyFacts}, {w.Tasks, e.Summary.OpenTasks}} {
		if len(part.items) > 0 {
			lines = append(lines, part.name+":")
			for _, item := range part.items {
				lines = append(lines, "- "+item)
			}
		}
	}
	return lines
}
