package transcript

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
)

// MaxContext is how many bytes are kept of what was piped in beside a
// question; of more, its beginning and its end are.
const MaxContext = 256 << 10

// TypeBranch is the line that is written when a person goes back to an earlier
// entry: the next opening goes on from there, also when nothing was said.
const TypeBranch = "branch"

// Question is the line of what a person asked, with what was piped in beside
// it ("" is nothing). Secrets must have been taken out, here and below.
func Question(text, context string) session.Draft {
	d := session.Message(session.User, strings.ToValidUTF8(text, "\ufffd"))
	if context != "" {
		d = d.With("context", cutMiddle(strings.ToValidUTF8(context, "\ufffd"), MaxContext))
	}
	return d
}

// Reply is the line of what the model replied.
func Reply(r protocol.Reply, mask func(string) string) session.Draft {
	d := session.Message(session.Assistant, mask(strings.ToValidUTF8(r.Message, "\ufffd"))).With("kind", string(r.Type))
	if c := r.Chat; c != nil {
		if c.Format != "" && c.Format != protocol.FormatPlain {
			d = d.With("format", string(c.Format))
		}
		if len(c.Suggestions) > 0 {
			d = d.With("suggestions", maskAll(c.Suggestions, mask))
		}
	}
	if c := r.Cmd; c != nil {
		commands := make([]string, len(c.Steps))
		for i := range c.Steps {
			commands[i] = short(&c.Steps[i])
		}
		d = d.With("commands", maskAll(commands, mask))
	}
	return d
}

// Unanswered is the line that closes a turn without an answer: why, and what
// had arrived of one. end is how it ended, in one word.
func Unanswered(end, why, partial string) session.Draft {
	d := session.Message(session.Assistant, why).With("kind", string(protocol.KindError)).With("end", end)
	if partial != "" {
		d = d.With("partial", strings.ToValidUTF8(partial, "\ufffd"))
	}
	return d
}

// Result is the line of what a step did.
func Result(o protocol.Observation) (session.Draft, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return session.Draft{}, fmt.Errorf("the result of %s cannot be written: %w", o.ID, err)
	}
	return session.Message(session.Tool, string(text)), nil
}

// Compaction is the line of a summary. What requests know beside it begins
// with an entry, which is the field firstKeptEntryId of the draft.
func Compaction(s protocol.Summary, tokensBefore int, mask func(string) string) session.Draft {
	type details struct {
		KeyFacts  []string `json:"keyFacts"`
		OpenTasks []string `json:"openTasks"`
	}
	return session.Mark(session.TypeCompaction).With("summary", mask(s.Text)).
		With("details", details{maskAll(s.KeyFacts, mask), maskAll(s.OpenTasks, mask)}).With("tokensBefore", tokensBefore)
}

// Model is the line of who is asked from here on.
func Model(provider, model string) session.Draft {
	return session.Mark(session.TypeModel).With("provider", provider).With("modelId", model)
}

func maskAll(texts []string, mask func(string) string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = mask(strings.ToValidUTF8(s, "\ufffd"))
	}
	return out
}

// short is a step in one line.
func short(s *protocol.Step) string {
	switch s.Tool {
	case protocol.ToolPluginRun:
		return string(s.Tool) + " " + protocol.FormatCommand(s.Plugin, s.Args)
	case protocol.ToolJSONPatch:
		return string(s.Tool) + " " + s.Path
	case protocol.ToolBashExec:
		return string(s.Tool) + " " + s.Command
	default:
		return protocol.FormatCommand(s.Program, s.Args)
	}
}

// cutMiddle keeps the beginning and the end of a text, and says what is gone.
func cutMiddle(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := s[:most/2], s[len(s)-most/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[… %d bytes left out …]\n", len(s)-len(head)-len(tail)) + strings.ToValidUTF8(tail, "")
}
