package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotFound is that the text has no such place.
var ErrNotFound = errors.New("no such place")

// Set puts a value at a JSON Pointer: over the value that is there, or, where
// the last word of the pointer is new, at the end of its object. "-" as the
// last word is a new end of an array. What stands around the last word must
// be there ([ErrNotFound]). The text must be one JSON value in UTF-8 without
// doubled keys, and so is the result.
func Set(text []byte, at jsontext.Pointer, value jsontext.Value) ([]byte, error) {
	if err := valid(value); err != nil {
		return nil, fmt.Errorf("the new value: %w", err)
	}
	parent, word, err := find(text, at)
	if err != nil {
		return nil, err
	}
	s := styleOf(text)
	if parent == nil { // the whole text
		start, end := outer(text)
		return splice(text, start, end, s.render(value, text[start:end], "")), nil
	}
	i, known := parent.index(word)
	switch {
	case known:
		item := parent.items[i]
		return splice(text, item.value, item.end, s.render(value, text[item.value:item.end], indentAt(text, item.start))), nil
	case parent.kind == '[' && word != "-" && i != len(parent.items):
		return nil, fmt.Errorf("%w: %s: the array has %d values", ErrNotFound, at, len(parent.items))
	}
	return parent.insert(text, s, word, value)
}

// Remove takes the value at a JSON Pointer out of its object or array.
func Remove(text []byte, at jsontext.Pointer) ([]byte, error) {
	parent, word, err := find(text, at)
	if err != nil {
		return nil, err
	}
	if parent == nil {
		return nil, fmt.Errorf("%w: the whole text cannot be removed", ErrNotFound)
	}
	i, known := parent.index(word)
	switch {
	case !known:
		return nil, fmt.Errorf("%w: %s", ErrNotFound, at)
	case len(parent.items) == 1:
		return splice(text, parent.open+1, parent.end, nil), nil
	case i == 0:
		return splice(text, parent.items[0].start, parent.items[1].start, nil), nil
	}
	return splice(text, parent.items[i-1].end, parent.items[i].end, nil), nil
}

// Get gives the value at a JSON Pointer as it is written.
func Get(text []byte, at jsontext.Pointer) (jsontext.Value, error) {
	parent, word, err := find(text, at)
	if err != nil {
		return nil, err
	}
	if parent == nil {
		start, end := outer(text)
		return slices.Clone(text[start:end]), nil
	}
	i, known := parent.index(word)
	if !known {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, at)
	}
	return slices.Clone(text[parent.items[i].value:parent.items[i].end]), nil
}

// valid says what keeps a text from being one JSON value.
func valid(text []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	if err := d.SkipValue(); err != nil {
		return err
	}
	if rest := bytes.TrimLeft(text[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return errors.New("more than one JSON value")
	}
	return nil
}

// container is an object or array in a text; all numbers are byte offsets.
type container struct {
	kind  byte // '{' or '['
	open  int  // of the opening bracket
	end   int  // of the closing one
	items []item
}

type item struct {
	name  string // of a member
	start int    // of the name, or of the value in an array
	colon int    // the end of the name
	value int    // the start of the value
	end   int    // of the value
}

// index finds an item by the word of a pointer. In an array the index counts
// even where there is no such item.
func (c *container) index(word string) (int, bool) {
	if c.kind == '{' {
		i := slices.IndexFunc(c.items, func(it item) bool { return it.name == word })
		return i, i >= 0
	}
	i, err := strconv.Atoi(word)
	if err != nil || i < 0 || strconv.Itoa(i) != word {
		return -1, false
	}
	return i, i < len(c.items)
}

// find gives the container that a pointer's last word belongs to, or nil for
// the whole text.
func find(text []byte, at jsontext.Pointer) (*container, string, error) {
	if err := valid(text); err != nil {
		return nil, "", err
	}
	if !at.IsValid() {
		return nil, "", fmt.Errorf("%w: %q is no JSON Pointer", ErrNotFound, at)
	}
	if at == "" {
		return nil, "", nil
	}
	words := slices.Collect(at.Tokens())
	start, _ := outer(text)
	for n, word := range words {
		c, err := scan(text, start)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", at, err)
		}
		if n == len(words)-1 {
			return c, word, nil
		}
		i, known := c.index(word)
		if !known {
			return nil, "", fmt.Errorf("%w: %s", ErrNotFound, at)
		}
		start = c.items[i].value
	}
	return nil, "", nil
}

// outer is where a text's value starts and ends.
func outer(text []byte) (start, end int) {
	const space = " \t\r\n"
	return len(text) - len(bytes.TrimLeft(text, space)), len(bytes.TrimRight(text, space))
}

// scan reads the items of the container that opens at an offset.
func scan(text []byte, open int) (*container, error) {
	if text[open] != '{' && text[open] != '[' {
		return nil, fmt.Errorf("%w: neither an object nor an array is there", ErrNotFound)
	}
	c := &container{kind: text[open], open: open}
	d := jsontext.NewDecoder(bytes.NewBuffer(text[open:]))
	offset := func() int { return open + int(d.InputOffset()) }
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		var it item
		if c.kind == '{' {
			raw, err := d.ReadValue()
			if err != nil {
				return nil, err
			}
			it.start, it.colon = offset()-len(raw), offset()
			name, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return nil, err
			}
			it.name = string(name)
		}
		raw, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		it.value, it.end = offset()-len(raw), offset()
		if c.kind == '[' {
			it.start = it.value
		}
		c.items = append(c.items, it)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	c.end = offset() - 1
	return c, nil
}

func splice(text []byte, start, end int, with []byte) []byte {
	return slices.Concat(text[:start], with, text[end:])
}
