package export

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// writeMarkdown writes a document. The answers that are Markdown stay what
// they are, below quote marks so that their headings are not the document's;
// everything else is fenced.
func writeMarkdown(b *bufio.Writer, t *transcript.Transcript, w words) {
	fmt.Fprintf(b, "# %s\n\n", inline(title(t, w)))
	for _, line := range head(t, w) {
		fmt.Fprintf(b, "- %s\n", inline(line))
	}
	if len(t.Problems) > 0 {
		fmt.Fprintf(b, "\n## %s\n\n", w.Problems)
		for _, p := range t.Problems {
			fmt.Fprintf(b, "- %s\n", inline(cleanLine(p)))
		}
	}
	for i := range t.Entries {
		e := &t.Entries[i]
		switch {
		case e.Observation != nil:
			o := e.Observation
			fmt.Fprintf(b, "\n%s — %s\n", codeSpan(command(o)), inline(became(o, w)))
			fence(b, o.StdoutTail)
			fence(b, o.StderrTail)
		case e.Role != "":
			heading := who(e.Role, w)
			if at := stamp(e.Time); at != "" {
				heading += " · " + at
			}
			fmt.Fprintf(b, "\n## %s\n", inline(heading))
			if e.Role == session.Assistant && e.Format == protocol.FormatMarkdown {
				fmt.Fprintf(b, "\n")
				quoted(b, e.Text)
			} else {
				fence(b, e.Text)
			}
			for _, line := range besides(e, w) {
				fmt.Fprintf(b, "\n%s\n", codeSpan(line))
			}
			if e.Context != "" {
				fmt.Fprintf(b, "\n%s:\n", w.Input)
				fence(b, e.Context)
			}
			if e.Partial != "" {
				fmt.Fprintf(b, "\n%s:\n", w.Partial)
				fence(b, e.Partial)
			}
		case e.Summary != nil:
			fmt.Fprintf(b, "\n## %s\n", w.Summary)
			fence(b, strings.Join(summaryLines(e, w), "\n"))
		case e.Type == session.TypeModel:
			fmt.Fprintf(b, "\n*%s*\n", inline(fmt.Sprintf(w.AskedModel, cleanLine(e.Model))))
		}
	}
}

// fence writes a text between fences longer than any in it.
func fence(b *bufio.Writer, text string) {
	if text = strings.TrimRight(clean(text), "\n"); text == "" {
		return
	}
	marks := strings.Repeat("`", max(3, longestRun(text)+1))
	fmt.Fprintf(b, "\n%s text\n%s\n%s\n", marks, text, marks)
}

// quoted writes Markdown below quote marks. HTML in it is not let through, nor
// are pictures that a reader would fetch.
func quoted(b *bufio.Writer, text string) {
	text = strings.NewReplacer("<", "\\<", "![", "\\!\\[").Replace(clean(text))
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		_, _ = b.WriteString(strings.TrimRight("> "+line, " ") + "\n") // Flush tells of errors
	}
}

func codeSpan(s string) string {
	marks := strings.Repeat("`", longestRun(s)+1)
	return marks + " " + s + " " + marks
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// inline lets a text do nothing where Markdown is read.
func inline(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]<>#|!&~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
