package llm

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// messageJSON is the JSON form of a [Message]: the one of the pi-ai documents,
// and what this package adds to it.
type messageJSON struct {
	Role       Role        `json:"role"`
	Content    []blockJSON `json:"content"`
	ToolCallID string      `json:"toolCallId,omitzero"`
	ToolName   string      `json:"toolName,omitzero"`
	IsError    bool        `json:"isError,omitzero"`
	API        string      `json:"api,omitzero"`
	Provider   string      `json:"provider,omitzero"`
	Model      string      `json:"model,omitzero"`
	Usage      *Usage      `json:"usage,omitzero"`
	StopReason StopReason  `json:"stopReason,omitzero"`
	Error      *errorJSON  `json:"error,omitzero"`
	ErrorText  string      `json:"errorMessage,omitzero"`
	Enforced   Enforcement `json:"enforced,omitzero"`
	Damaged    bool        `json:"damaged,omitzero"`
	Timestamp  int64       `json:"timestamp"`
}

type errorJSON struct {
	Kind         ErrorKind `json:"kind"`
	Status       int       `json:"status,omitzero"`
	RetryAfterMS int64     `json:"retryAfterMs,omitzero"`
}

type blockJSON struct {
	Type      string         `json:"type"`
	Text      *string        `json:"text,omitzero"`
	Thinking  *string        `json:"thinking,omitzero"`
	Signature string         `json:"thinkingSignature,omitzero"`
	Redacted  bool           `json:"redacted,omitzero"`
	Data      []byte         `json:"data,omitzero"`
	MIMEType  string         `json:"mimeType,omitzero"`
	URL       string         `json:"url,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
	Thought   string         `json:"thoughtSignature,omitzero"` // of a toolCall
}

// MarshalJSONTo writes the message as one JSON object with the roles and block
// types of the pi-ai documents: text, thinking, image, toolCall.
func (m Message) MarshalJSONTo(enc *jsontext.Encoder) error {
	j := messageJSON{
		Role: m.Role, Content: make([]blockJSON, len(m.Content)), ToolCallID: m.ToolCallID, ToolName: m.ToolName, IsError: m.IsError,
		API: m.API, Provider: m.Provider, Model: m.Model, StopReason: m.StopReason, Enforced: m.Enforced, Damaged: m.Damaged, Timestamp: m.Timestamp,
	}
	if m.Role == RoleAssistant {
		j.Usage = &m.Usage
	}
	if e := m.Err; e != nil {
		j.Error = &errorJSON{e.Kind, e.Status, e.RetryAfter.Milliseconds()}
		j.ErrorText = e.Message
	}
	for i, b := range m.Content {
		switch b := b.(type) {
		case Text:
			j.Content[i] = blockJSON{Type: "text", Text: &b.Text}
		case Thinking:
			j.Content[i] = blockJSON{Type: "thinking", Thinking: &b.Thinking, Signature: b.Signature, Redacted: b.Redacted}
		case Image:
			j.Content[i] = blockJSON{Type: "image", Data: b.Data, MIMEType: b.MIMEType, URL: b.URL}
		case ToolCall:
			j.Content[i] = blockJSON{Type: "toolCall", ID: b.ID, Name: b.Name, Arguments: b.Arguments, Thought: b.Signature}
		default:
			return fmt.Errorf("content block %d: %T has no JSON form", i, b)
		}
	}
	return json.MarshalEncode(enc, j, jsontext.AllowInvalidUTF8(true))
}

// UnmarshalJSONFrom reads what [Message.MarshalJSONTo] writes.
func (m *Message) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var j messageJSON
	if err := json.UnmarshalDecode(dec, &j); err != nil {
		return err
	}
	switch j.Role {
	case RoleUser, RoleAssistant, RoleToolResult:
	default:
		return fmt.Errorf("message role %q is not user, assistant or toolResult", j.Role)
	}
	*m = Message{
		Role: j.Role, ToolCallID: j.ToolCallID, ToolName: j.ToolName, IsError: j.IsError,
		API: j.API, Provider: j.Provider, Model: j.Model, StopReason: j.StopReason, Enforced: j.Enforced, Damaged: j.Damaged, Timestamp: j.Timestamp,
	}
	if j.Usage != nil {
		m.Usage = *j.Usage
	}
	if e := j.Error; e != nil {
		m.Err = &Error{Kind: e.Kind, Status: e.Status, Message: j.ErrorText, RetryAfter: time.Duration(e.RetryAfterMS) * time.Millisecond}
	}
	for i, b := range j.Content {
		switch {
		case b.Type == "text" && b.Text != nil:
			m.Content = append(m.Content, Text{Text: *b.Text})
		case b.Type == "thinking" && b.Thinking != nil:
			m.Content = append(m.Content, Thinking{Thinking: *b.Thinking, Signature: b.Signature, Redacted: b.Redacted})
		case b.Type == "image":
			m.Content = append(m.Content, Image{Data: b.Data, MIMEType: b.MIMEType, URL: b.URL})
		case b.Type == "toolCall":
			m.Content = append(m.Content, ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Arguments, Signature: b.Thought})
		default:
			return fmt.Errorf("content block %d of type %q is not text, thinking, image or toolCall with its value", i, b.Type)
		}
	}
	return nil
}
