package jsonfile

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// A translation puts documents and patches into a form in which the library
// and RFC 6902 agree. The library
//
//   - takes the empty name for the value around it, and the names +1 and 01
//     for indices, so that such names are marked;
//   - treats the whole document in its own way, so that it is a member of
//     another one;
//   - when it tests, compares numbers as text, cannot tell null from nothing,
//     fails on null in arrays, and writes what it looked at with other
//     escapes: tests run on a copy in which numbers have one spelling and null
//     is a string (exact), and changes run without tests.
type translation struct{ exact bool }

const (
	root     = "/r"
	nameMark = "\x01" // at the end of a name
	nullMark = "\x00" // at the start of a string
)

// wrap translates a document.
func (t translation) wrap(doc []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(doc) + 16)
	out.WriteString(`{"r":`)
	if err := t.copy(&out, doc, markName); err != nil {
		return nil, err
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// unwrap translates a document back.
func (t translation) unwrap(doc []byte) (jsontext.Value, error) {
	inner, ok := bytes.CutPrefix(doc, []byte(`{"r":`))
	inner, closed := bytes.CutSuffix(inner, []byte(`}`))
	if !ok || !closed {
		return nil, errors.New("the patch took the whole away")
	}
	if t.exact {
		return nil, nil // it was only tested
	}
	var out bytes.Buffer
	out.Grow(len(inner))
	if err := t.copy(&out, inner, unmarkName); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (t translation) operation(op protocol.Operation) (protocol.Operation, error) {
	op.Path = pointer(op.Path)
	if op.Op == "move" || op.Op == "copy" {
		op.From = pointer(op.From)
	}
	if op.Value == nil {
		return op, nil
	}
	var out bytes.Buffer
	err := t.copy(&out, op.Value, markName)
	op.Value = out.Bytes()
	return op, err
}

func pointer(p string) string {
	translated := jsontext.Pointer(root)
	for word := range jsontext.Pointer(p).Tokens() {
		translated = translated.AppendToken(markName(word))
	}
	return string(translated)
}

// markName changes the names that the library understands in another way,
// and those that look as if they had been changed.
func markName(name string) string {
	n, err := strconv.Atoi(name)
	if name == "" || strings.HasSuffix(name, nameMark) || err == nil && strconv.Itoa(n) != name {
		return name + nameMark
	}
	return name
}

func unmarkName(name string) string { return strings.TrimSuffix(name, nameMark) }

// copy writes a JSON value in one line, with other names.
func (t translation) copy(out *bytes.Buffer, text []byte, rename func(string) string) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	for {
		kind, length := d.StackIndex(d.StackDepth())
		next := d.PeekKind()
		closes := next == '}' || next == ']'
		switch {
		case kind == '{' && length%2 == 1:
			out.WriteByte(':')
		case length > 0 && kind != 0 && !closes && next != jsontext.KindInvalid:
			out.WriteByte(',')
		}
		switch {
		case closes || next == '{' || next == '[':
			if _, err := d.ReadToken(); err != nil {
				return err
			}
			out.WriteByte(byte(next))
			continue
		case kind == '{' && length%2 == 0:
			token, err := d.ReadToken()
			if err != nil {
				return err
			}
			quoted, err := jsontext.AppendQuote(nil, rename(token.String()))
			if err != nil {
				return err
			}
			out.Write(quoted)
			continue
		}
		raw, err := d.ReadValue()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if t.exact {
			raw = exactValue(raw)
		}
		out.Write(raw)
	}
}

// exactValue spells a value so that equal ones are equal as text.
func exactValue(raw jsontext.Value) jsontext.Value {
	switch raw.Kind() {
	case '0':
		return jsontext.Value(number(string(raw)))
	case 'n':
		return jsontext.Value(`"\u0000"`)
	case '"':
		if text := unquote(raw); strings.HasPrefix(text, nullMark) {
			quoted, _ := jsontext.AppendQuote(nil, nullMark+text) // it was checked
			return quoted
		}
	}
	return raw
}
