package offline

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// What is shown of a plugin's JSON: larger values are shown as they came.
const (
	maxValueRows    = 20
	maxValueColumns = 6
)

// A member is one of a JSON object, with a value that fits into a line.
type member struct{ name, value string }

// values writes a plugin's JSON for people where it is small and flat: a
// table of objects that are alike, a list of an object's members, a list of
// plain values. "" is anything else.
func (l lang) values(p *protocol.Parsed) string {
	if p == nil || p.Kind != protocol.ParsedPluginOutput || len(p.Items) == 0 || p.Total != len(p.Items) || len(p.Items) > maxValueRows {
		return ""
	}
	var rows [][]member
	var plain []string
	for _, item := range p.Items {
		if row, ok := members(item); ok {
			rows = append(rows, row)
		} else if s, ok := scalar(item); ok {
			plain = append(plain, code(s))
		} else {
			return ""
		}
	}
	switch {
	case len(rows) == 0:
		return l.bullets(plain, maxValueRows)
	case len(plain) > 0:
		return ""
	case len(rows) == 1:
		var items []string
		for _, m := range rows[0] {
			items = append(items, code(m.name)+l.f(": ", "：")+cell(m.value))
		}
		return l.bullets(items, maxValueRows)
	}
	return table(rows)
}

func table(rows [][]member) string {
	if len(rows[0]) > maxValueColumns {
		return ""
	}
	same := func(a, b member) bool { return a.name == b.name }
	var b strings.Builder
	for i, row := range rows {
		if !slices.EqualFunc(row, rows[0], same) {
			return ""
		}
		if i == 0 {
			for _, m := range row {
				b.WriteString("| " + cell(m.name) + " ")
			}
			b.WriteString("|\n" + strings.Repeat("| --- ", len(row)) + "|\n")
		}
		for _, m := range row {
			b.WriteString("| " + cell(m.value) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// cell makes a value fit for a table, with no markdown of its own.
func cell(s string) string {
	if s == "" {
		return " "
	}
	return strings.ReplaceAll(code(s), "|", "\\|")
}

// members gives the members of an object, in their order; it is not ok where
// a value is no plain one, or there are too many.
func members(v jsontext.Value) (out []member, ok bool) {
	if v.Kind() != '{' {
		return nil, false
	}
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		s, plain := scalar(value)
		if !plain || len(out) == maxValueRows {
			return nil, false
		}
		out = append(out, member{key, s})
	}
	return out, len(out) > 0
}

// scalar gives the text of a string, a number, true, false or null.
func scalar(v jsontext.Value) (string, bool) {
	switch v.Kind() {
	case '"':
		s, err := jsontext.AppendUnquote(nil, v)
		return string(s), err == nil && len(s) <= 200
	case '{', '[', jsontext.KindInvalid:
		return "", false
	default:
		return strings.TrimSpace(string(v)), true
	}
}

// indented gives JSON that was written in one line as lines.
func indented(text string) []string {
	v := jsontext.Value(text)
	if v.Indent(jsontext.WithIndent("  ")) != nil {
		return []string{text}
	}
	return strings.Split(string(v), "\n")
}
