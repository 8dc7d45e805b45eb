package transcript

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/session"
)

// A Call is how other programs write that the model called a tool.
type Call struct {
	ID        string `json:"id,omitzero"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // mostly JSON, as it is spelled
}

// block is a part of a content, in the forms of pai and of pi.
type block struct {
	Type      string         `json:"type"`
	Image     jsontext.Value `json:"image_url"` // {"url": …}, or the bare address
	Data      string         `json:"data"`      // of an image of pi, base64
	MIMEType  string         `json:"mimeType"`
	ID        string         `json:"id"` // of a call of pi
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// blocks reads the pictures and the calls of a message, as far as their forms
// are known.
func (e *Entry) blocks(l session.Line) {
	var parts []jsontext.Value
	switch l.Content.Kind() {
	case '{':
		parts = []jsontext.Value{l.Content}
	case '[':
		_ = json.Unmarshal(l.Content, &parts) // what is none stays out
	}
	for _, part := range parts {
		var b block
		if part.Kind() != '{' || json.Unmarshal(part, &b) != nil {
			continue
		}
		switch b.Type {
		case "image_url":
			e.Images = append(e.Images, pictureAt(b.Image))
		case "image":
			e.Images = append(e.Images, picture(b.MIMEType, len(b.Data)))
		case "toolCall":
			e.Calls = append(e.Calls, Call{b.ID, b.Name, words(b.Arguments)})
		}
	}
	var calls []jsontext.Value
	if v := l.Field("tool_calls"); v.Kind() != '[' || json.Unmarshal(v, &calls) != nil {
		return
	}
	for _, v := range calls {
		var c struct {
			ID       string `json:"id"`
			Function struct {
				Name      string         `json:"name"`
				Arguments jsontext.Value `json:"arguments"`
			} `json:"function"`
		}
		if json.Unmarshal(v, &c) != nil || c.Function.Name == "" {
			e.Calls = append(e.Calls, Call{Arguments: string(v)}) // of a form that is not known
			continue
		}
		e.Calls = append(e.Calls, Call{c.ID, c.Function.Name, words(c.Function.Arguments)})
	}
}

// words is a string without its quotes, and any other value as it is spelled.
func words(v jsontext.Value) string {
	var s string
	if v.Kind() == '"' && json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// pictureAt names a picture by its address; one that is its address itself by
// its kind and size.
func pictureAt(v jsontext.Value) string {
	var object struct {
		URL string `json:"url"`
	}
	address := words(v)
	if v.Kind() == '{' && json.Unmarshal(v, &object) == nil {
		address = object.URL
	}
	if len(address) < len("data:") || !strings.EqualFold(address[:len("data:")], "data:") {
		return address
	}
	head, data, _ := strings.Cut(address[len("data:"):], ",")
	kind, _, _ := strings.Cut(head, ";")
	return picture(kind, len(data))
}

// picture tells of a picture in base64.
func picture(kind string, encoded int) string {
	n := encoded / 4 * 3
	if n < 1000 {
		return fmt.Sprintf("%s, %d B", kind, n)
	}
	return fmt.Sprintf("%s, %d KB", kind, (n+500)/1000)
}
