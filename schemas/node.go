package schemas

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A node is a JSON value whose order of members and spelling of numbers are
// kept: a *object, a []node, or a jsontext.Value for all else.
type node any

type object struct{ members []member }

type member struct {
	name  string
	value node
}

func (o *object) get(name string) (node, bool) {
	for _, m := range o.members {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

func (o *object) set(name string, value node) {
	for i := range o.members {
		if o.members[i].name == name {
			o.members[i].value = value
			return
		}
	}
	o.members = append(o.members, member{name, value})
}

func (o *object) remove(name string) {
	for i, m := range o.members {
		if m.name == name {
			o.members = append(o.members[:i:i], o.members[i+1:]...)
			return
		}
	}
}

// newObject makes an object of name, value, name, value …
func newObject(pairs ...any) *object {
	o := &object{}
	for i := 0; i < len(pairs); i += 2 {
		o.set(pairs[i].(string), pairs[i+1])
	}
	return o
}

func text(s string) node {
	v, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		v = []byte(`""`) // only schema words come here, and they are UTF-8
	}
	return jsontext.Value(v)
}

func literal(s string) node { return jsontext.Value(s) }

func texts(names []string) []node {
	out := make([]node, len(names))
	for i, n := range names {
		out[i] = text(n)
	}
	return out
}

// parseNode reads one JSON value.
func parseNode(raw []byte) (node, error) {
	dec := newDecoder(raw)
	n, err := readNode(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one JSON value: %.20q", raw)
	}
	return n, nil
}

func readNode(dec *jsontext.Decoder) (node, error) {
	switch dec.PeekKind() {
	case '{':
		if _, err := dec.ReadToken(); err != nil {
			return nil, err
		}
		o := &object{}
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			value, err := readNode(dec)
			if err != nil {
				return nil, err
			}
			o.members = append(o.members, member{key, value})
		}
		_, err := dec.ReadToken()
		return o, err
	case '[':
		if _, err := dec.ReadToken(); err != nil {
			return nil, err
		}
		list := []node{}
		for dec.PeekKind() != ']' {
			value, err := readNode(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := dec.ReadToken()
		return list, err
	}
	raw, err := dec.ReadValue()
	return raw.Clone(), err
}

func appendNode(b []byte, n node) []byte {
	switch n := n.(type) {
	case *object:
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, text(m.name).(jsontext.Value)...)
			b = append(b, ':')
			b = appendNode(b, m.value)
		}
		return append(b, '}')
	case []node:
		b = append(b, '[')
		for i, item := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNode(b, item)
		}
		return append(b, ']')
	case jsontext.Value:
		return append(b, n...)
	}
	return append(b, "null"...)
}

// stringOf gives the string that a node is.
func stringOf(n node) (string, bool) {
	raw, ok := n.(jsontext.Value)
	if !ok || raw.Kind() != '"' {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func isNull(n node) bool {
	raw, ok := n.(jsontext.Value)
	return ok && raw.Kind() == 'n'
}
