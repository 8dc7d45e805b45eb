package transcript

import (
	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session"
)

// An Entry is one line of a session as it is meant. Which fields are set
// depends on Role, and where there is none on Type.
type Entry struct {
	ID       string
	ParentID string
	Time     string // as it is written, ISO 8601; may be missing
	Role     string // of a message
	Type     string // of any other line

	Text        string                // of a message; of a compaction the summary, of a name the name
	Context     string                // user: what was piped in beside it
	Kind        protocol.Kind         // assistant; chat where it does not say
	Format      protocol.Format       // assistant
	Suggestions []string              // assistant
	Commands    []string              // assistant: what it wants to run, in short
	Images      []string              // their addresses, or kind and size where they are in the message
	Calls       []Call                // assistant: the calls of tools that another program noted
	End         string                // assistant: how a turn without an answer ended
	Partial     string                // assistant: what had arrived of the answer then
	Observation *protocol.Observation // tool; nil where the text is none
	Summary     *protocol.Summary     // compaction
	FirstKept   string                // compaction: the entry that requests begin with
	Model       string                // model_change: provider/model
}

// Answers tells whether the entry ends a turn.
func (e *Entry) Answers() bool { return e.Role == session.Assistant && e.Kind != protocol.KindCmd }

// Reply gives the reply of an assistant entry. Its steps are not kept; their
// results are.
func (e *Entry) Reply() protocol.Reply {
	r := protocol.Reply{Type: e.Kind, Message: e.Text}
	if e.Kind == protocol.KindChat {
		r.Chat = &protocol.Chat{Format: e.Format, Suggestions: e.Suggestions}
	}
	return r
}

// Parse reads a line. It never fails: what a line of another program does not
// say is not set.
func Parse(l session.Line) Entry {
	e := Entry{ID: l.ID, ParentID: l.ParentID, Time: l.Timestamp, Role: l.Role, Type: l.Type}
	switch e.Role {
	case session.User:
		e.Text, e.Context = l.Text(), l.FieldText("context")
	case session.Assistant:
		e.Text, e.Kind, e.Format = l.Text(), protocol.Kind(l.FieldText("kind")), protocol.Format(l.FieldText("format"))
		if e.Kind != protocol.KindCmd && e.Kind != protocol.KindError {
			e.Kind = protocol.KindChat
		}
		e.Suggestions, e.Commands = texts(l, "suggestions"), texts(l, "commands")
		e.End, e.Partial = l.FieldText("end"), l.FieldText("partial")
	case session.Tool:
		e.Text = l.Text()
		var o protocol.Observation
		if json.Unmarshal([]byte(e.Text), &o) == nil && o.ID != "" {
			e.Observation = &o
		}
	case "":
		e.parseMark(l)
	default:
		e.Text = l.Text()
	}
	if e.Role != "" && e.Observation == nil {
		e.blocks(l)
	}
	return e
}

func (e *Entry) parseMark(l session.Line) {
	switch e.Type {
	case session.TypeName:
		e.Text = l.FieldText("name")
	case session.TypeModel:
		e.Model = l.FieldText("provider") + "/" + l.FieldText("modelId")
	case session.TypeCompaction:
		e.Text, e.FirstKept = l.FieldText("summary"), l.FieldText("firstKeptEntryId")
		s := protocol.Summary{Text: e.Text}
		if v := l.Field("details"); v != nil {
			// Details of another program may be anything.
			_ = json.Unmarshal(v, &s)
			s.Text = e.Text
		}
		e.Summary = &s
	}
}

// texts gives a field that is a list of strings.
func texts(l session.Line, field string) []string {
	var list []string
	if v := l.Field(field); v == nil || json.Unmarshal(v, &list) != nil {
		return nil
	}
	return list
}
