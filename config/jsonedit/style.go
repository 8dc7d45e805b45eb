package jsonedit

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// lineWidth is how long an array of plain values may be on one line.
const lineWidth = 80

// style is how a text is laid out.
type style struct {
	newline string // "\n" or "\r\n"
	unit    string // one step of indentation
	lines   bool   // the text has more than one line, or nothing in it
}

func styleOf(text []byte) style {
	s := style{newline: "\n", unit: "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	start, end := outer(text)
	s.lines = bytes.IndexByte(text[start:end], '\n') >= 0
	c, err := scan(text, start)
	if err != nil {
		return s
	}
	if len(c.items) == 0 {
		s.lines = true
	} else if indent, ok := c.indent(text); ok && indent != "" {
		s.unit = indent
	}
	return s
}

// indent is the white space before the first item of a container, where that
// starts a line.
func (c *container) indent(text []byte) (string, bool) {
	gap := text[c.open+1 : c.items[0].start]
	i := bytes.LastIndexByte(gap, '\n')
	return blanks(gap[i+1:]), i >= 0
}

// indentAt is the white space at the start of the line of an offset.
func indentAt(text []byte, offset int) string {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset]
	return blanks(line)
}

// render lays out a value that takes the place of an old one, or of none, on
// a line with the given indentation.
func (s style) render(value jsontext.Value, old []byte, indent string) []byte {
	kind := value.Kind()
	value = slices.Clone(value)
	if kind != '{' && kind != '[' {
		return bytes.TrimSpace(value)
	}
	oneLine := len(old) > 2 && (old[0] == '{' || old[0] == '[') && !bytes.Contains(old, []byte("\n"))
	if !s.lines {
		_ = value.Compact() // the value was checked
		return value
	}
	short := slices.Clone(value)
	_ = short.Format(jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true), jsontext.PreserveRawStrings(true))
	if oneLine || len(short) <= lineWidth && kind == '[' && plain(short) {
		return short
	}
	_ = value.Indent(jsontext.WithIndentPrefix(indent), jsontext.WithIndent(s.unit))
	return bytes.ReplaceAll(value, []byte("\n"), []byte(s.newline))
}

// plain tells that an array holds no objects and no arrays.
func plain(array []byte) bool {
	c, err := scan(array, 0)
	return err == nil && !slices.ContainsFunc(c.items, func(it item) bool { return array[it.value] == '{' || array[it.value] == '[' })
}

// insert puts a new item at the end of a container.
func (c *container) insert(text []byte, s style, name string, value jsontext.Value) ([]byte, error) {
	colon, comma := ": ", ","
	if !s.lines {
		colon = ":"
	}
	indent, lines := indentAt(text, c.open)+s.unit, s.lines
	if n := len(c.items); n > 0 {
		if c.kind == '{' {
			colon = string(text[c.items[0].colon:c.items[0].value])
		}
		var own string
		if own, lines = c.indent(text); lines {
			indent = own
		} else if n > 1 {
			comma = string(text[c.items[0].end:c.items[1].start])
		} else if s.lines {
			comma = ", "
		}
	}
	var added []byte
	if c.kind == '{' {
		var err error
		if added, err = jsontext.AppendQuote(nil, name); err != nil {
			return nil, err
		}
		added = append(added, colon...)
	}
	if !lines {
		s.lines = false
	}
	added = append(added, s.render(value, nil, indent)...)
	switch n := len(c.items); {
	case n == 0 && lines:
		added = slices.Concat([]byte(s.newline+indent), added, []byte(s.newline+indentAt(text, c.open)))
		return splice(text, c.open+1, c.end, added), nil
	case n == 0:
		return splice(text, c.open+1, c.end, added), nil
	case lines:
		added = slices.Concat([]byte(","+s.newline+indent), added)
	default:
		added = slices.Concat([]byte(comma), added)
	}
	last := c.items[len(c.items)-1].end
	return splice(text, last, last, added), nil
}
