package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// fill makes a Reply of a text that follows the reply schema. The tree is the
// same text without types.
func fill(text []byte, tree map[string]any) (Answer, error) {
	var raw struct {
		Type    Kind           `json:"type"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return Answer{}, fmt.Errorf("reply schema and Go type disagree: %w", err)
	}
	answer := Answer{Reply: Reply{Type: raw.Type, Message: raw.Message}}
	data, _ := tree["data"].(map[string]any)
	var err error
	switch raw.Type {
	case KindChat:
		answer.Reply.Chat, err = fillChat(raw.Data)
		answer.Notes = ignored(data, "format", "suggestions")
	case KindCmd:
		answer.Reply.Cmd, err = fillCmd(raw.Data)
	case KindError:
		answer.Notes = ignored(data)
	}
	return answer, err
}

func fillChat(data jsontext.Value) (*Chat, error) {
	chat := struct {
		Format      Format   `json:"format"`
		Suggestions []string `json:"suggestions"`
	}{Format: FormatPlain}
	if data != nil {
		if err := json.Unmarshal(data, &chat); err != nil {
			return nil, fmt.Errorf("reply schema and Go type disagree: %w", err)
		}
	}
	return &Chat{Format: chat.Format, Suggestions: chat.Suggestions}, nil
}

func fillCmd(data jsontext.Value) (*Cmd, error) {
	var cmd struct {
		CWD            *string `json:"cwd"`
		Commands       []Step  `json:"commands"`
		ExpectedEffect string  `json:"expected_effect"`
	}
	if err := json.Unmarshal(data, &cmd); err != nil {
		return nil, fmt.Errorf("reply schema and Go type disagree: %w", err)
	}
	out := &Cmd{Steps: cmd.Commands, ExpectedEffect: cmd.ExpectedEffect}
	if cmd.CWD != nil {
		out.CWD = *cmd.CWD
	}
	return out, nil
}

// ignored notes the fields that the language does not know.
func ignored(data map[string]any, known ...string) []string {
	var names []string
	for name := range data {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []string{"unknown fields in data, ignored: " + strings.Join(names, ", ")}
}

// stepJSON is a step as the step schema has it.
type stepJSON struct {
	Tool        Tool           `json:"tool,omitzero"`
	Program     string         `json:"program,omitzero"`
	Plugin      string         `json:"plugin,omitzero"`
	Args        []string       `json:"args,omitempty"`
	Interactive bool           `json:"interactive,omitzero"`
	Path        string         `json:"path,omitzero"`
	Patch       []Operation    `json:"patch,omitempty"`
	Set         assignments    `json:"set,omitempty"`
	Unset       []string       `json:"unset,omitempty"`
	Command     string         `json:"command,omitzero"`
	CWD         *string        `json:"cwd,omitzero"`
	Timeout     *int           `json:"timeout_seconds,omitzero"`
	Task        string         `json:"task,omitzero"`
	Items       jsontext.Value `json:"items,omitzero"`
	Requires    *Requires      `json:"requires,omitzero"`
}

// UnmarshalJSONFrom reads a step that follows the step schema.
func (s *Step) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var raw stepJSON
	if err := json.UnmarshalDecode(dec, &raw); err != nil {
		return err
	}
	*s = Step{
		Tool: raw.Tool, Program: raw.Program, Plugin: raw.Plugin, Args: raw.Args,
		Interactive: raw.Interactive, Path: raw.Path, Patch: raw.Patch, Set: raw.Set, Unset: raw.Unset,
		Command: raw.Command, Task: raw.Task, Items: raw.Items.Clone(),
	}
	if raw.CWD != nil {
		s.CWD = *raw.CWD
	}
	if raw.Timeout != nil {
		s.TimeoutSeconds = *raw.Timeout
	}
	if raw.Tool == "" {
		s.Tool = ToolExec
	}
	if raw.Requires != nil {
		s.Requires = *raw.Requires
	}
	return nil
}

// MarshalJSONTo writes the step in canonical form: it reads back the same.
func (s Step) MarshalJSONTo(enc *jsontext.Encoder) error {
	raw := stepJSON{
		Tool: s.Tool, Program: s.Program, Plugin: s.Plugin, Args: s.Args,
		Interactive: s.Interactive, Path: s.Path, Patch: s.Patch, Set: s.Set, Unset: s.Unset,
		Command: s.Command, Task: s.Task, Items: s.Items,
	}
	if s.CWD != "" {
		raw.CWD = &s.CWD
	}
	if s.TimeoutSeconds != 0 {
		raw.Timeout = &s.TimeoutSeconds
	}
	if s.Requires != (Requires{}) {
		raw.Requires = &s.Requires
	}
	if s.Tool == ToolJSONPatch || s.Tool == ToolBashExec || s.Tool == ToolDecide || len(s.Args) > 0 {
		return json.MarshalEncode(enc, raw)
	}
	// A program or plugin without arguments says so.
	type withArgs struct {
		stepJSON `json:",inline"`
		NoArgs   []string `json:"args"`
	}
	return json.MarshalEncode(enc, withArgs{stepJSON: raw, NoArgs: []string{}})
}

// assignments is a JSON object whose order and spelling are kept.
type assignments []Assignment

// UnmarshalJSONFrom reads the object member by member.
func (a *assignments) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		path := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		*a = append(*a, Assignment{Path: path, Value: value.Clone()})
	}
	_, err := dec.ReadToken()
	return err
}

// MarshalJSONTo writes the object in its order.
func (a assignments) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, one := range a {
		if err := enc.WriteToken(jsontext.String(one.Path)); err != nil {
			return err
		}
		if err := enc.WriteValue(one.Value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}
