package executors

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

const (
	maxJSON      = 1 << 20 // a longer output is not looked at
	maxJSONValue = 2 << 10 // a longer value is only described
	maxJSONKeys  = 40
)

// A JSONValue is the item of [protocol.ParsedJSON].
type JSONValue struct {
	Type   string         `json:"type"` // object, array, string, number, boolean, null
	Length int            `json:"length,omitzero"`
	Keys   []string       `json:"keys,omitzero"`  // of an object, the first ones
	Value  jsontext.Value `json:"value,omitzero"` // the value itself, where it is small
}

// jsonParser understands an output that is one JSON value. Only what begins
// like an object or an array is looked at: a lone word or number is no news.
type jsonParser struct {
	out    *items
	buf    []byte
	begun  bool
	failed bool
}

func (p *jsonParser) feed(block []byte) {
	if p.failed {
		return
	}
	if !p.begun {
		block = bytes.TrimLeft(block, " \t\r\n")
		if len(block) == 0 {
			return
		}
		p.begun = true
		p.failed = block[0] != '{' && block[0] != '['
	}
	if p.failed || len(p.buf)+len(block) > maxJSON {
		p.failed, p.buf = true, nil
		return
	}
	p.buf = append(p.buf, block...)
}

func (p *jsonParser) end(int) *protocol.Parsed {
	if p.failed || !p.begun {
		return nil
	}
	value := jsontext.Value(p.buf)
	if !value.IsValid() {
		return nil
	}
	item := JSONValue{Type: "object"}
	d := jsontext.NewDecoder(bytes.NewReader(p.buf))
	open, err := d.ReadToken()
	if err != nil {
		return nil
	}
	object := open.Kind() == '{'
	if !object {
		item.Type = "array"
	}
	for keyBytes := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; item.Length++ {
		if object {
			key, err := d.ReadToken()
			if err != nil {
				return nil
			}
			if name := key.String(); len(item.Keys) < maxJSONKeys && keyBytes+len(name) <= 1<<10 {
				item.Keys = append(item.Keys, name)
				keyBytes += len(name)
			}
		}
		if d.SkipValue() != nil {
			return nil
		}
	}
	if value.Compact() == nil && len(value) <= maxJSONValue {
		item.Value = value
	}
	if p.out.wants() {
		p.out.add(item)
	}
	return p.out.parsed(protocol.ParsedJSON)
}
