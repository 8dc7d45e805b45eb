package export

import (
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/session/transcript"
)

// A Document is what the form JSON writes.
type Document struct {
	Version  int       `json:"version"` // 1
	ID       string    `json:"id"`
	Name     string    `json:"name,omitzero"`
	CWD      string    `json:"cwd,omitzero"`
	Created  time.Time `json:"created,omitzero"`
	Others   int       `json:"otherBranches,omitzero"` // messages on them
	Problems []string  `json:"problems,omitempty"`
	Entries  []Entry   `json:"entries"`
}

// An Entry is a message, or with a type and no role something else.
type Entry struct {
	ID          string                `json:"id"`
	ParentID    string                `json:"parentId,omitzero"`
	Timestamp   string                `json:"timestamp,omitzero"`
	Role        string                `json:"role,omitzero"`
	Type        string                `json:"type,omitzero"`
	Kind        protocol.Kind         `json:"kind,omitzero"`
	Format      protocol.Format       `json:"format,omitzero"`
	Text        string                `json:"text,omitzero"`
	Context     string                `json:"context,omitzero"`
	Commands    []string              `json:"commands,omitempty"`
	Images      []string              `json:"images,omitempty"` // addresses, or kind and size
	Calls       []transcript.Call     `json:"calls,omitempty"`  // that another program noted
	Suggestions []string              `json:"suggestions,omitempty"`
	End         string                `json:"end,omitzero"`
	Partial     string                `json:"partial,omitzero"`
	Observation *protocol.Observation `json:"observation,omitzero"`
	Summary     *protocol.Summary     `json:"summary,omitzero"`
	Model       string                `json:"model,omitzero"`
}

func writeJSON(w io.Writer, t *transcript.Transcript) error {
	d := Document{Version: 1, ID: t.ID, Name: t.Name, CWD: t.CWD, Created: t.Created, Others: t.Others, Problems: t.Problems, Entries: []Entry{}}
	for i := range t.Entries {
		e := &t.Entries[i]
		d.Entries = append(d.Entries, Entry{
			e.ID, e.ParentID, e.Time, e.Role, e.Type, e.Kind, e.Format, e.Text, e.Context, e.Commands, e.Images, e.Calls, e.Suggestions,
			e.End, e.Partial, e.Observation, e.Summary, e.Model,
		})
	}
	if err := json.MarshalWrite(w, d, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
