package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/runner"
	"github.com/holic512/plugin-ai/schemas"
)

// command is what a client asks for: the fields of all commands. Which count
// is said by the schema "rpc_command".
type command struct {
	ID   jsontext.Value `json:"id"`
	Type string         `json:"type"`

	Message            string           `json:"message"`
	Images             []imageBlock     `json:"images"`
	StreamingBehavior  string           `json:"streamingBehavior"`
	ParentSession      string           `json:"parentSession"`
	Provider           string           `json:"provider"`
	ModelID            string           `json:"modelId"`
	Level              string           `json:"level"`
	Mode               runner.QueueMode `json:"mode"`
	CustomInstructions string           `json:"customInstructions"`
	Enabled            bool             `json:"enabled"`
	Command            string           `json:"command"`
	ExcludeFromContext bool             `json:"excludeFromContext"`
	OutputPath         string           `json:"outputPath"`
	SessionPath        string           `json:"sessionPath"`
	EntryID            string           `json:"entryId"`
	Name               string           `json:"name"`
	Since              string           `json:"since"`
	MaxBytes           int              `json:"maxBytes"`

	raw jsontext.Value // extension_ui_response
}

// commandError is why a line is no command.
type commandError struct {
	id      jsontext.Value // nil is none
	command string         // "parse" where the line says none
	text    string
}

func (e *commandError) Error() string { return e.text }

// commands knows what each command may say. Schemas are compiled on first use.
type commands struct {
	mu     sync.Mutex
	checks map[string]*schemas.Schema
	known  map[string]bool
}

func newCommands(names []string) *commands {
	c := &commands{checks: map[string]*schemas.Schema{}, known: map[string]bool{}}
	for _, n := range names {
		c.known[n] = true
	}
	return c
}

// parse reads a line. What is wrong with it is a *commandError.
func (c *commands) parse(line []byte) (*command, error) {
	v := jsontext.Value(line)
	if err := valid(v); err != nil {
		return nil, &commandError{idOf(line), "parse", "Failed to parse command: " + err.Error()}
	}
	if v.Kind() != '{' {
		return nil, &commandError{nil, "parse", "Failed to parse command: expected an object, got " + kindName(v.Kind())}
	}
	var head struct {
		ID   jsontext.Value `json:"id"`
		Type jsontext.Value `json:"type"`
	}
	if err := json.Unmarshal(v, &head); err != nil {
		return nil, &commandError{idOf(line), "parse", "Failed to parse command: " + plain(err)}
	}
	var name string
	if head.Type.Kind() != '"' || json.Unmarshal(head.Type, &name) != nil {
		got := "nothing"
		if head.Type != nil {
			got = kindName(head.Type.Kind())
		}
		return nil, &commandError{head.ID, "parse", "Failed to parse command: type: expected a string, got " + got}
	}
	if name == "extension_ui_response" {
		cmd := &command{Type: name, raw: v}
		var id string
		_ = json.Unmarshal(head.ID, &id) // an id that is no string is of no dialog
		cmd.Name = id
		return cmd, nil
	}
	if !c.known[name] {
		return nil, &commandError{head.ID, name, "Unknown command: " + name}
	}
	fail := func(text string) error { return &commandError{head.ID, name, text} }
	check, err := c.check(name)
	if err != nil {
		return nil, fail(err.Error())
	}
	var value any
	if err := json.Unmarshal(v, &value); err != nil {
		return nil, fail(plain(err))
	}
	if found := check.Check(value); len(found) > 0 {
		return nil, fail(found[0].String())
	}
	cmd := &command{}
	if err := json.Unmarshal(v, cmd); err != nil {
		return nil, fail(plain(err))
	}
	cmd.ID = head.ID.Clone()
	return cmd, nil
}

// check gives the schema of a command.
func (c *commands) check(name string) (*schemas.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.checks[name]; s != nil {
		return s, nil
	}
	all, err := schemas.Source("rpc_command")
	if err != nil {
		return nil, err
	}
	var document struct {
		Defs map[string]jsontext.Value `json:"$defs"`
	}
	if err := json.Unmarshal(all, &document); err != nil {
		return nil, err
	}
	s, err := schemas.Compile(document.Defs[name])
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", name, err)
	}
	c.checks[name] = s
	return s, nil
}

// valid tells what is wrong with a line as JSON: it is one value, in UTF-8, and
// no member is there twice.
func valid(line jsontext.Value) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return errors.New("the line is empty")
	}
	d := jsontext.NewDecoder(bytes.NewReader(line))
	if err := d.SkipValue(); err != nil {
		return errors.New(plain(err))
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the value")
	}
	return nil
}

// plain is an error of the JSON package without its name.
func plain(err error) string {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return fmt.Sprintf("%v at byte %d", syntactic.Err, syntactic.ByteOffset)
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		if semantic.Err != nil {
			return fmt.Sprintf("%s: %v", semantic.JSONPointer, semantic.Err)
		}
		return fmt.Sprintf("%s: a %s is not expected here", semantic.JSONPointer, kindName(semantic.JSONKind))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "unexpected end of JSON input"
	}
	return err.Error()
}

// idOf finds the id of a line that is no command, as far as it can be read.
func idOf(line []byte) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(line))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		isID := name.String() == "id"
		v, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if isID {
			return v.Clone()
		}
	}
	return nil
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "nothing"
}
