package session

import (
	"bytes"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Files of pi (versions 1 to 3) are read as trees of the same kind: an entry
// of the type "message" has the message within. What else is in them stays as
// it is. They are never written.

const (
	typePiHeader  = "session"
	typePiMessage = "message"
	typePiInfo    = "session_info" // name
)

// piHeader reads the first line of a file of pi.
func piHeader(raw []byte) (h Header, ok bool) {
	l, err := parsePi(raw)
	if err != nil || l.Type != typePiHeader || l.ID == "" {
		return h, false
	}
	h = Header{ID: l.ID, CWD: l.FieldText("cwd"), Parent: l.FieldText("parentSession")}
	h.Created, _ = time.Parse(time.RFC3339, l.Timestamp) // zero where it says nothing
	return h, true
}

// parsePi reads a line of pi's.
func parsePi(raw []byte) (Line, error) {
	found, err := members(raw)
	if err != nil {
		return Line{}, err
	}
	l := Line{raw: raw, body: raw}
	for _, m := range found {
		switch m.name {
		case "type", "id", "timestamp", "parentId":
			if err := l.take(m); err != nil {
				return Line{}, err
			}
		}
	}
	i := slices.IndexFunc(found, func(m member) bool { return m.name == "message" })
	if l.Type != typePiMessage || i < 0 || found[i].value.Kind() != '{' {
		return l, nil
	}
	inner, err := members(found[i].value)
	if err != nil {
		return Line{}, err
	}
	var role string
	var content jsontext.Value
	for _, m := range inner {
		switch m.name {
		case "content":
			content = m.value
		case "role":
			role = piRole(unquote(m.value))
		}
	}
	if role != "" && checkContent(content) == nil { // others are kinds of pi's own
		l.Role, l.Content, l.body = role, content, found[i].value
	}
	return l, nil
}

func piRole(role string) string {
	switch role {
	case User, Assistant, System:
		return role
	case "toolResult":
		return Tool
	default:
		return ""
	}
}

// ours gives a line as our own files have it, with its place in a tree. What
// the line says stays as it is spelled, and a line of ours that names its
// place stays byte for byte.
func (l Line) ours(from form) (Line, error) {
	at := position{id: l.ID, parent: l.ParentID}
	if from == formPi {
		d := Draft{Role: l.Role, Type: l.Type, Content: l.Content, stamp: &l.Timestamp}
		found, err := members(l.body)
		if err != nil {
			return Line{}, err
		}
		for _, m := range found {
			if !slices.Contains([]string{"role", "content", "type", "timestamp", "id", "parentId"}, m.name) {
				d.fields = append(d.fields, field{m.name, m.value})
			}
		}
		return d.line(time.Time{}, nil, &at)
	}
	raw, err := l.withParent()
	if err != nil {
		return Line{}, err
	}
	body := bytes.TrimRight(raw, " \t\r")
	size := len(body)
	body = slices.Clone(body[:size-len("}")])
	if l.Field("id") == nil {
		body = append(append(body, `,"id":`...), quote(at.id)...)
	}
	if l.parent == parentMissing {
		body = append(append(body, `,"parentId":`...), at.parentValue()...)
	}
	if len(body) == size-len("}") && bytes.Equal(raw, l.raw) {
		return l, nil
	}
	return ParseLine(append(body, '}'))
}

// withParent gives the bytes of a line with the parent that it was found to
// have, where it names another.
func (l Line) withParent() ([]byte, error) {
	if l.parent != parentNamed || l.FieldText("parentId") == l.ParentID {
		return l.raw, nil
	}
	found, err := members(l.raw)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found, func(m member) bool { return m.name == "parentId" })
	parent := position{parent: l.ParentID}.parentValue()
	return slices.Concat(l.raw[:found[i].start], parent, l.raw[found[i].start+len(found[i].value):]), nil
}
