package export

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
	"github.com/holic512/plugin-ai/session/transcript"
)

// clean gives a text in which nothing is obeyed or hidden: control characters,
// and those that turn the direction of text around, are shown by their number.
// Letters of every script stay.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool {
	switch r {
	case '\n', '\t', 0x200c, 0x200d: // scripts and emoji are joined with the last two
		return false
	case 0x2028, 0x2029:
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}

// cleanLine is clean for text that must stay on one line.
func cleanLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// stamp is a time of an entry for people.
func stamp(s string) string {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.Local().Format("2006-01-02 15:04:05")
	}
	return cleanLine(s)
}

// titleLength is how many characters of a question make a title.
const titleLength = 80

// title is what a transcript is called: its name, or the first words of the
// person.
func title(t *transcript.Transcript, w words) string {
	if t.Name != "" {
		return cleanLine(t.Name)
	}
	for i := range t.Entries {
		if e := &t.Entries[i]; e.Role == session.User && e.Text != "" {
			first := []rune(cleanLine(e.Text[:min(len(e.Text), 8*titleLength)]))
			if len(first) > titleLength {
				return string(first[:titleLength-1]) + "…"
			}
			return string(first)
		}
	}
	return w.Session + " " + cleanLine(t.ID)
}

// command is what a step ran, in one line.
func command(o *protocol.Observation) string {
	if o.Program == nil {
		return cleanLine(o.Tool + " " + protocol.FormatCommand("", o.Args))
	}
	return cleanLine(protocol.FormatCommand(*o.Program, o.Args))
}

// became says what became of a step.
func became(o *protocol.Observation, w words) string {
	var parts []string
	if o.ExitCode != nil {
		parts = append(parts, fmt.Sprintf(w.Ran, *o.ExitCode))
	} else {
		parts = append(parts, string(o.Outcome))
	}
	if o.Verdict != nil {
		parts = append(parts, o.Verdict.Level.String())
	}
	if o.DurationMs >= 1000 {
		parts = append(parts, fmt.Sprintf("%.1f s", float64(o.DurationMs)/1000))
	}
	if o.Truncated {
		parts = append(parts, w.Cut)
	}
	if o.Note != "" {
		parts = append(parts, cleanLine(o.Note))
	}
	return strings.Join(parts, ", ")
}

// head are the facts about a session, in lines.
func head(t *transcript.Transcript, w words) []string {
	var lines []string
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+cleanLine(value))
		}
	}
	add(w.Session, t.ID)
	add(w.Folder, t.CWD)
	if !t.Created.IsZero() {
		add(w.Created, t.Created.Local().Format("2006-01-02 15:04:05"))
	}
	if t.Others > 0 {
		lines = append(lines, fmt.Sprintf(w.Others, t.Others))
	}
	return lines
}

// who names the writer of a message.
func who(role string, w words) string {
	switch role {
	case "user":
		return w.You
	case "assistant":
		return w.Model
	case "system":
		return w.System
	}
	return cleanLine(role)
}
