package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxLine is the length of the longest line, in bytes without its end.
const MaxLine = 32 << 20

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	Tool      = "tool"
)

// Types of lines that are no messages. Others are allowed, and kept.
const (
	TypeHeader     = "header"       // version, id, cwd, timestamp, parentSession; always the first line
	TypeName       = "session_name" // name
	TypeLabel      = "label"        // targetId, label; without label it is taken away
	TypeModel      = "model_change" // provider, modelId
	TypeCompaction = "compaction"   // summary, firstKeptEntryId, tokensBefore, details
)

// A Line is one line of a session file, as it was read. Its bytes are never
// changed.
type Line struct {
	Role      string         // "" is no message
	Type      string         // says what it is where there is no Role
	ID        string         // unique in its session; in a file without ids "line1", "line2" …
	ParentID  string         // "" is the beginning of a branch
	Timestamp string         // as it is written, ISO 8601; may be missing
	Content   jsontext.Value // of a message: a string, an object or an array, as it is spelled
	Number    int            // of the line in its file, from 1
	Offset    int64          // of its first byte in its file

	raw     []byte
	body    []byte // the object that has the fields; of a message of pi the inner one
	parent  parentage
	counted bool // the line has no id; ID is made of its number, and is never written
}

// parentage is how a line names its parent.
type parentage uint8

const (
	parentMissing parentage = iota // the line before it
	parentNull                     // none
	parentNamed
)

// Bytes gives the line as it stands in the file, without its end. It must not
// be changed.
func (l Line) Bytes() []byte { return l.raw }

// Field gives the value of a field as it is spelled; nil where there is none.
func (l Line) Field(name string) jsontext.Value {
	found, err := members(l.body)
	if err != nil {
		return nil
	}
	for _, m := range found {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// FieldText gives a field that is a string; "" where there is none.
func (l Line) FieldText(name string) string { return unquote(l.Field(name)) }

// Text gives the words of a message: its string, or its text blocks with
// line ends between them.
func (l Line) Text() string {
	switch l.Content.Kind() {
	case '"':
		return unquote(l.Content)
	case '{':
		return blockText(l.Content)
	case '[':
		var blocks []jsontext.Value
		if json.Unmarshal(l.Content, &blocks) != nil {
			return ""
		}
		var words []string
		for _, b := range blocks {
			if text := blockText(b); text != "" {
				words = append(words, text)
			}
		}
		return strings.Join(words, "\n")
	default:
		return ""
	}
}

func blockText(block jsontext.Value) string {
	if block.Kind() == '"' {
		return unquote(block)
	}
	var b struct {
		Type jsontext.Value `json:"type"`
		Text jsontext.Value `json:"text"`
	}
	if json.Unmarshal(block, &b) != nil || unquote(b.Type) != "text" {
		return ""
	}
	return unquote(b.Text)
}

// WithContent gives the line with another content; all else stays byte for
// byte.
func (l Line) WithContent(content jsontext.Value) (Line, error) {
	found, err := members(l.raw)
	if err != nil {
		return Line{}, err
	}
	for _, m := range found {
		if m.name == "content" {
			text, err := oneLine(content)
			if err != nil {
				return Line{}, err
			}
			return ParseLine(slices.Concat(l.raw[:m.start], text, l.raw[m.start+len(m.value):]))
		}
	}
	return Line{}, errors.New("the line has no content that could be replaced")
}

// ParseLine reads a line without its end. It is strict: one object, no field
// twice, UTF-8, and either a "role" with a "content" or a "type". The line
// keeps the bytes that it is given.
func ParseLine(raw []byte) (Line, error) {
	if len(raw) > MaxLine {
		return Line{}, fmt.Errorf("expected at most %d bytes, there are %d", MaxLine, len(raw))
	}
	if bytes.IndexByte(raw, '\n') >= 0 {
		return Line{}, errors.New("expected one line, there is a line end in it")
	}
	found, err := members(raw)
	if err != nil {
		return Line{}, err
	}
	l := Line{raw: raw, body: raw}
	for _, m := range found {
		if err := l.take(m); err != nil {
			return Line{}, err
		}
	}
	if l.Role == "" && l.Type == "" {
		return Line{}, errors.New(`expected a "role" or a "type", there is neither`)
	}
	if l.Role != "" {
		return l, checkContent(l.Content)
	}
	return l, nil
}

func checkContent(content jsontext.Value) error {
	switch content.Kind() {
	case '"', '{', '[':
		return nil
	case jsontext.KindInvalid:
		return errors.New(`expected a "content" beside the "role", there is none`)
	default:
		return fmt.Errorf(`expected a string, an object or an array as "content", there is %s`, shorten(string(content), 40))
	}
}

// take reads a field that is known, and checks it.
func (l *Line) take(m member) (err error) {
	switch m.name {
	case "role":
		l.Role, err = m.text()
		if err == nil && l.Role != System && l.Role != User && l.Role != Assistant && l.Role != Tool {
			return fmt.Errorf(`expected the role "system", "user", "assistant" or "tool", there is %q`, l.Role)
		}
	case "content":
		l.Content = m.value
	case "type":
		// In a message of pai it is an unknown field, and may be anything.
		l.Type = unquote(m.value)
	case "id":
		if l.ID, err = m.text(); err == nil && l.ID == "" {
			return errors.New(`expected an "id" that is not empty`)
		}
	case "timestamp":
		l.Timestamp, err = m.text()
	case "parentId":
		if l.parent = parentNull; m.value.Kind() != 'n' {
			l.parent = parentNamed
			l.ParentID, err = m.text()
		}
	}
	return err
}

// A member is a field of an object.
type member struct {
	name  string
	value jsontext.Value // a part of the object's bytes
	start int            // of the value in the object
}

func (m member) text() (string, error) {
	if m.value.Kind() != '"' {
		return "", fmt.Errorf("expected a string as %q, there is %s", m.name, shorten(string(m.value), 40))
	}
	return unquote(m.value), nil
}

// members gives the fields of an object in their order. It checks the whole.
func members(raw []byte) ([]member, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if k := d.PeekKind(); k != '{' {
		if _, err := d.ReadValue(); err != nil {
			return nil, lineError(err)
		}
		return nil, errors.New("expected one JSON object, there is another value")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, lineError(err)
	}
	found := make([]member, 0, 8)
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, lineError(err)
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil, lineError(err)
		}
		end := int(d.InputOffset())
		m.start = end - len(value)
		m.value = jsontext.Value(raw[m.start:end:end])
		found = append(found, m)
	}
	if _, err := d.ReadToken(); err != nil { // the closing brace
		return nil, lineError(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("expected one JSON object, there is more behind it, at its byte %d", d.InputOffset())
	}
	return found, nil
}

func unquote(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(v))
	if err != nil {
		return ""
	}
	return string(text)
}

// quote gives the JSON of a text; what is not UTF-8 in it becomes U+FFFD.
func quote(s string) jsontext.Value {
	v, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		panic(err) // all UTF-8 can be quoted
	}
	return v
}

// shorten cuts a text to at most n bytes, between runes.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
