package session

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// timeForm is ISO 8601 in UTC, as pai writes it.
const timeForm = "2006-01-02T15:04:05.000Z07:00"

// A Draft is a line that is to be written. [Session.Append] gives it its id,
// its parent and its time.
type Draft struct {
	Role    string         // of a message
	Type    string         // of any other line
	Content jsontext.Value // of a message
	Time    time.Time      // zero is now

	fields []field
	stamp  *string // the time as it is to be spelled; "" is none at all
	err    error
}

type field struct {
	name  string
	value jsontext.Value
}

// Message is a message that is a text.
func Message(role, text string) Draft { return Draft{Role: role, Content: quote(text)} }

// Blocks is a message of content blocks, spelled as they are to be written.
func Blocks(role string, content jsontext.Value) Draft { return Draft{Role: role, Content: content} }

// Mark is a line that is no message.
func Mark(typ string) Draft { return Draft{Type: typ} }

// With gives the draft with one more field. A value that is no JSON, or a
// field that is there already, is an error of what the draft is used for.
func (d Draft) With(name string, value any) Draft {
	v, err := json.Marshal(value, json.Deterministic(true))
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("the field %q cannot be written: %w", name, err)
	}
	d.fields = append(d.fields[:len(d.fields):len(d.fields)], field{name, v})
	return d
}

// NewLine makes a line of pai's: it has no id and no parent.
func NewLine(d Draft, now time.Time) (Line, error) { return d.line(now, nil, nil) }

// position is where a line stands in a tree.
type position struct {
	id, parent string
	follows    bool // the parent is the line before, and is not named
}

func (p position) parentValue() jsontext.Value {
	if p.parent == "" {
		return jsontext.Value("null")
	}
	return quote(p.parent)
}

// line writes the draft out. at is nil outside of a tree.
func (d Draft) line(now time.Time, mask func(string) string, at *position) (Line, error) {
	if d.err != nil {
		return Line{}, d.err
	}
	if !d.Time.IsZero() {
		now = d.Time
	}
	var b []byte
	put := func(name string, value jsontext.Value) {
		b = append(append(append(b, ','), quote(name)...), ':')
		b = append(b, value...)
	}
	if d.Role != "" {
		content, err := masked(d.Content, mask)
		if err != nil {
			return Line{}, fmt.Errorf("the content of a message must be JSON: %w", err)
		}
		put("role", quote(d.Role))
		put("content", content)
	} else {
		put("type", quote(d.Type))
	}
	stamp := now.UTC().Format(timeForm)
	if d.stamp != nil {
		stamp = *d.stamp
	}
	if stamp != "" {
		put("timestamp", quote(stamp))
	}
	if at != nil {
		put("id", quote(at.id))
		if !at.follows {
			put("parentId", at.parentValue())
		}
	}
	for _, f := range d.fields {
		value, err := oneLine(f.value)
		if err != nil {
			return Line{}, fmt.Errorf("the field %q cannot be written: %w", f.name, err)
		}
		put(f.name, value)
	}
	b[0] = '{'
	return ParseLine(append(b, '}'))
}

// oneLine takes the line ends out of a value; otherwise it stays as spelled.
func oneLine(v jsontext.Value) (jsontext.Value, error) {
	if bytes.ContainsAny(v, "\n\r") {
		v = v.Clone()
		if err := v.Compact(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// masked gives a content whose texts went through mask: a string, and the
// "text" of blocks. What mask does not change stays as it is spelled.
func masked(content jsontext.Value, mask func(string) string) (jsontext.Value, error) {
	content, err := oneLine(content)
	if err != nil || mask == nil {
		return content, err
	}
	switch content.Kind() {
	case '"':
		return maskedText(content, mask), nil
	case '[':
		var blocks []jsontext.Value
		if err := json.Unmarshal(content, &blocks); err != nil {
			return nil, err
		}
		out := []byte{'['}
		for i, block := range blocks {
			if i > 0 {
				out = append(out, ',')
			}
			inner := block
			if k := block.Kind(); k == '"' || k == '{' {
				if inner, err = masked(block, mask); err != nil {
					return nil, err
				}
			}
			out = append(out, inner...)
		}
		return append(out, ']'), nil
	case '{':
		found, err := members(content)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if m.name == "text" && m.value.Kind() == '"' {
				text := maskedText(m.value, mask)
				return append(append(content[:m.start:m.start], text...), content[m.start+len(m.value):]...), nil
			}
		}
	}
	return content, nil
}

func maskedText(v jsontext.Value, mask func(string) string) jsontext.Value {
	before := unquote(v)
	if after := mask(before); after != before {
		return quote(after)
	}
	return v
}
