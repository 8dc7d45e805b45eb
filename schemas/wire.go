package schemas

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Dialect is the subset of JSON Schema that a provider enforces.
type Dialect string

// The dialects.
const (
	// Canonical is the schema as it is written here.
	Canonical Dialect = ""
	// OpenAIStrict is the subset of OpenAI's strict structured output, which
	// the other providers with such a mode accept too: the root is one closed
	// object, every field is required, and there are no free-form values.
	OpenAIStrict Dialect = "openai-strict"
)

// jsonSuffix marks a field that carries a free-form value as JSON text.
const jsonSuffix = "Json"

func newDecoder(raw []byte) *jsontext.Decoder { return jsontext.NewDecoder(bytes.NewBuffer(raw)) }

// shellTool is the tool that only the schema shell_reply has.
const shellTool = "bash_exec"

// Wire derives what is sent to a provider from the reply schema, or from
// shell_reply where its tool is named. Only the named tools are offered in it;
// with none named, all of reply are. The result is
// small: no descriptions, no limits; those are checked here.
func Wire(d Dialect, tools ...string) (jsontext.Value, error) {
	name := "reply"
	if slices.Contains(tools, shellTool) {
		name = "shell_reply"
	}
	source, err := Source(name)
	if err != nil {
		return nil, err
	}
	if d == Canonical {
		v := jsontext.Value(source)
		return v, v.Compact()
	}
	if d != OpenAIStrict {
		return nil, fmt.Errorf("no dialect is called %q", d)
	}
	root, err := parseNode(source)
	if err != nil {
		return nil, err
	}
	w := &wire{root: root.(*object), tools: tools}
	branches, err := w.alternatives(w.root)
	if err != nil {
		return nil, err
	}
	return appendNode(nil, merge(branches)), nil
}

// WireOf derives what is sent to a provider from a schema that is one object,
// such as "summary". An answer in the wire form follows the schema as well
// where all its fields are required and none is free-form.
func WireOf(d Dialect, name string) (jsontext.Value, error) {
	source, err := Source(name)
	if err != nil {
		return nil, err
	}
	if d == Canonical {
		v := jsontext.Value(source)
		return v, v.Compact()
	}
	if d != OpenAIStrict {
		return nil, fmt.Errorf("no dialect is called %q", d)
	}
	root, err := parseNode(source)
	if err != nil {
		return nil, err
	}
	w := &wire{root: root.(*object)}
	derived, err := w.derive(w.root)
	if err != nil {
		return nil, err
	}
	return appendNode(nil, derived), nil
}

// wire derives one schema.
type wire struct {
	root  *object // the file that references without a file name mean
	tools []string
}

// resolve follows a reference.
func (w *wire) resolve(s *object) (*wire, *object, error) {
	for {
		ref, ok := s.get("$ref")
		if !ok {
			return w, s, nil
		}
		target, _ := stringOf(ref)
		file, fragment, _ := strings.Cut(target, "#")
		if file != "" {
			source, err := Source(strings.TrimSuffix(file, suffix))
			if err != nil {
				return nil, nil, err
			}
			root, err := parseNode(source)
			if err != nil {
				return nil, nil, err
			}
			w = &wire{root: root.(*object), tools: w.tools}
		}
		s = w.root
		if name, ok := strings.CutPrefix(fragment, "/$defs/"); ok {
			defs, _ := w.root.get("$defs")
			def, ok := defs.(*object).get(name)
			if !ok {
				return nil, nil, fmt.Errorf("schema refers to %s, which is not there", target)
			}
			s = def.(*object)
		}
	}
}

// alternatives derives the objects of an anyOf, without the tools that are
// not offered.
func (w *wire) alternatives(s *object) ([]*object, error) {
	list, _ := s.get("anyOf")
	var out []*object
	for _, item := range list.([]node) {
		in, alternative, err := w.resolve(item.(*object))
		if err != nil {
			return nil, err
		}
		if !in.offered(alternative) {
			continue
		}
		derived, err := in.derive(alternative)
		if err != nil {
			return nil, err
		}
		out = append(out, derived)
	}
	return out, nil
}

// offered tells whether an alternative may be sent: a step whose tool is on
// the list, and all else.
func (w *wire) offered(s *object) bool {
	if len(w.tools) == 0 {
		return true
	}
	properties, ok := s.get("properties")
	if !ok {
		return true
	}
	tool, ok := properties.(*object).get("tool")
	if !ok {
		return true
	}
	enum, _ := tool.(*object).get("enum")
	name, _ := stringOf(enum.([]node)[0])
	return slices.Contains(w.tools, name)
}

// derive gives the wire form of a schema.
func (w *wire) derive(s *object) (*object, error) {
	w, s, err := w.resolve(s)
	if err != nil {
		return nil, err
	}
	if properties, ok := s.get("properties"); ok {
		return w.deriveObject(s, properties.(*object))
	}
	if _, ok := s.get("anyOf"); ok {
		branches, err := w.alternatives(s)
		if err != nil {
			return nil, err
		}
		if len(branches) == 1 {
			return branches[0], nil
		}
		if !slices.ContainsFunc(branches, func(b *object) bool { return !has(must(b.get("properties")).(*object), "op") }) {
			return flatten(branches), nil
		}
		list := make([]node, len(branches))
		for i, b := range branches {
			list[i] = b
		}
		return newObject("anyOf", list), nil
	}
	out := &object{}
	for _, m := range s.members {
		switch m.name {
		case "type", "enum":
			out.set(m.name, m.value)
		case "items":
			items, err := w.derive(m.value.(*object))
			if err != nil {
				return nil, err
			}
			out.set("items", items)
		}
	}
	if kind, _ := stringOf(must(out.get("type"))); kind == "object" {
		return newObject("type", text("null")), nil // free-form and of no use here
	}
	return out, nil
}

func must(n node, _ bool) node { return n }

func (w *wire) deriveObject(s, properties *object) (*object, error) {
	var required []string
	if list, ok := s.get("required"); ok {
		for _, n := range list.([]node) {
			name, _ := stringOf(n)
			required = append(required, name)
		}
	}
	out := &object{}
	for _, p := range properties.members {
		in, property, err := w.resolve(p.value.(*object))
		if err != nil {
			return nil, err
		}
		switch _, isMap := property.get("additionalProperties"); {
		case len(property.members) == 0:
			// Any value at all: as JSON text.
			out.set(p.name+jsonSuffix, newObject("type", text("string")))
			continue
		case isMap && !has(property, "properties"):
			pair := newObject("path", newObject("type", text("string")), "value"+jsonSuffix, newObject("type", text("string")))
			out.set(p.name, newObject("type", []node{text("array"), text("null")}, "items", closed(pair)))
			continue
		}
		derived, err := in.derive(property)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(required, p.name) && !has(property, "default") && !isTag(property) {
			derived = nullable(derived)
		}
		out.set(p.name, derived)
	}
	return closed(out), nil
}

// closed makes an object schema whose fields are all required.
func closed(properties *object) *object {
	names := make([]string, len(properties.members))
	for i, m := range properties.members {
		names[i] = m.name
	}
	return newObject("type", text("object"), "properties", properties, "required", texts(names), "additionalProperties", literal("false"))
}

func has(o *object, name string) bool {
	_, ok := o.get(name)
	return ok
}

// isTag tells whether a property can have one value only.
func isTag(property *object) bool {
	enum, ok := property.get("enum")
	return ok && len(enum.([]node)) == 1
}

// nullable lets a schema also be null.
func nullable(s *object) *object {
	kind, ok := s.get("type")
	if name, isName := stringOf(kind); ok && isName && name != "object" {
		if name != "null" {
			s.set("type", []node{kind, text("null")})
		}
		return s
	}
	if list, ok := kind.([]node); ok {
		if !slices.ContainsFunc(list, func(n node) bool { name, _ := stringOf(n); return name == "null" }) {
			s.set("type", append(list, text("null")))
		}
		return s
	}
	return newObject("anyOf", []node{s, newObject("type", text("null"))})
}

// merge makes one object of alternatives that have the same fields: a field
// may be what it may be in any of them.
func merge(branches []*object) *object {
	properties := &object{}
	for _, b := range branches {
		own, _ := b.get("properties")
		for _, p := range own.(*object).members {
			have, ok := properties.get(p.name)
			if !ok {
				properties.set(p.name, p.value)
				continue
			}
			properties.set(p.name, union(have.(*object), p.value.(*object)))
		}
	}
	return closed(properties)
}

// flatten makes one object of alternatives that differ in a field or two, as
// the operations of RFC 6902 do: what one of them lacks may be null.
func flatten(branches []*object) *object {
	merged := merge(branches)
	properties := must(merged.get("properties")).(*object)
	for i, p := range properties.members {
		lacks := func(b *object) bool { return !has(must(b.get("properties")).(*object), p.name) }
		if slices.ContainsFunc(branches, lacks) {
			properties.members[i].value = nullable(p.value.(*object))
		}
	}
	return merged
}

func union(a, b *object) *object {
	if bytes.Equal(appendNode(nil, a), appendNode(nil, b)) {
		return a
	}
	if enumA, ok := a.get("enum"); ok {
		if enumB, ok := b.get("enum"); ok {
			a.set("enum", append(enumA.([]node), enumB.([]node)...))
			return a
		}
	}
	var list []node
	for _, s := range []*object{a, b} {
		if inner, ok := s.get("anyOf"); ok {
			list = append(list, inner.([]node)...)
		} else {
			list = append(list, s)
		}
	}
	// Many alternatives may each allow null.
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(n node) bool {
		spelled := string(appendNode(nil, n))
		double := seen[spelled]
		seen[spelled] = true
		return double
	})
	return newObject("anyOf", list)
}

// FromWire turns an answer in the wire form of a dialect into the canonical
// form. What is canonical already stays as it is; what fits neither is left
// for the check to refuse.
func FromWire(d Dialect, answer []byte) (jsontext.Value, error) {
	if d == Canonical {
		return answer, nil
	}
	root, err := parseNode(bytes.TrimSpace(answer))
	if err != nil {
		return nil, err
	}
	o, ok := root.(*object)
	if !ok {
		return answer, nil
	}
	if data, ok := o.get("data"); ok {
		switch data := data.(type) {
		case *object:
			dropNulls(data, "suggestions", "expected_effect", "format")
			if list, ok := must(data.get("commands")).([]node); ok {
				for _, step := range list {
					if step, ok := step.(*object); ok {
						stepFromWire(step)
					}
				}
			}
		case jsontext.Value:
			kind, _ := stringOf(must(o.get("type")))
			if isNull(data) && kind != "cmd" {
				o.remove("data")
			}
		}
	}
	return appendNode(nil, o), nil
}

func dropNulls(o *object, names ...string) {
	for _, name := range names {
		if v, ok := o.get(name); ok && isNull(v) {
			o.remove(name)
		}
	}
}

func stepFromWire(step *object) {
	dropNulls(step, "tool", "requires", "interactive", "patch", "set", "unset", "cwd", "timeout_seconds")
	if requires, ok := must(step.get("requires")).(*object); ok {
		dropNulls(requires, "confirm", "elevated", "network", "write")
	}
	if list, ok := must(step.get("patch")).([]node); ok {
		for _, operation := range list {
			if operation, ok := operation.(*object); ok {
				dropNulls(operation, "from", "value"+jsonSuffix)
				valueFromText(operation, "value")
			}
		}
	}
	valueFromText(step, "items")
	if pairs, ok := must(step.get("set")).([]node); ok {
		if set, ok := setFromPairs(pairs); ok {
			step.set("set", set)
		}
	}
}

// valueFromText puts the value of a field back that is carried as JSON text.
func valueFromText(o *object, name string) bool {
	carried, ok := o.get(name + jsonSuffix)
	if !ok {
		return false
	}
	spelled, ok := stringOf(carried)
	if !ok {
		return false
	}
	value, err := parseNode(bytes.TrimSpace([]byte(spelled)))
	if err != nil || value == nil {
		return false
	}
	for i := range o.members {
		if o.members[i].name == name+jsonSuffix {
			o.members[i] = member{name, value}
		}
	}
	return true
}

func setFromPairs(pairs []node) (*object, bool) {
	set := &object{}
	for _, p := range pairs {
		pair, ok := p.(*object)
		if !ok || !valueFromText(pair, "value") || len(pair.members) != 2 {
			return nil, false
		}
		path, ok := stringOf(must(pair.get("path")))
		if !ok || has(set, path) {
			return nil, false
		}
		set.set(path, must(pair.get("value")))
	}
	return set, true
}

// ToWire turns a canonical answer into the wire form of a dialect, as a model
// would have to write it. It is the reverse of [FromWire].
func ToWire(d Dialect, answer []byte) (jsontext.Value, error) {
	if d == Canonical {
		return answer, nil
	}
	root, err := parseNode(bytes.TrimSpace(answer))
	if err != nil {
		return nil, err
	}
	o, ok := root.(*object)
	if !ok {
		return nil, fmt.Errorf("an answer is an object")
	}
	null := literal("null")
	kind, _ := stringOf(must(o.get("type")))
	data, _ := must(o.get("data")).(*object)
	switch {
	case kind == "error" || kind == "chat" && data == nil:
		o.set("data", null)
	case kind == "chat":
		full := newObject("format", text("plain"), "suggestions", null)
		for _, m := range data.members {
			if has(full, m.name) {
				full.set(m.name, m.value)
			}
		}
		o.set("data", full)
	case kind == "cmd" && data != nil:
		full := newObject("cwd", null, "commands", null, "expected_effect", null)
		for _, m := range data.members {
			full.set(m.name, m.value)
		}
		o.set("data", full)
		if list, ok := must(full.get("commands")).([]node); ok {
			for i, step := range list {
				if step, ok := step.(*object); ok {
					list[i] = stepToWire(step)
				}
			}
		}
	}
	return appendNode(nil, o), nil
}

func stepToWire(step *object) *object {
	null, no := literal("null"), literal("false")
	requires := newObject("confirm", no, "elevated", no, "network", no, "write", no)
	if given, ok := must(step.get("requires")).(*object); ok {
		for _, m := range given.members {
			requires.set(m.name, m.value)
		}
	}
	tool, _ := stringOf(must(step.get("tool")))
	var full *object
	switch tool {
	case "plugin.run":
		full = newObject("tool", null, "plugin", null, "args", null, "interactive", no, "requires", null)
	case "config.json_patch":
		full = newObject("tool", null, "path", null, "patch", null, "set", null, "unset", null, "requires", null)
	case "decide.ask":
		full = newObject("tool", null, "task", null, "items", null)
	case shellTool:
		full = newObject("tool", null, "command", null, "cwd", null, "timeout_seconds", null, "requires", null)
	default:
		full = newObject("tool", text("exec"), "program", null, "args", null, "requires", null)
	}
	for _, m := range step.members {
		full.set(m.name, m.value)
	}
	if tool == "decide.ask" {
		valueToText(full, "items")
	} else {
		full.set("requires", requires)
	}
	if list, ok := must(full.get("patch")).([]node); ok {
		for _, operation := range list {
			if operation, ok := operation.(*object); ok {
				valueToText(operation, "value")
				for _, name := range []string{"value" + jsonSuffix, "from"} {
					if !has(operation, name) {
						operation.set(name, null)
					}
				}
			}
		}
	}
	if set, ok := must(full.get("set")).(*object); ok {
		pairs := []node{}
		for _, m := range set.members {
			pair := newObject("path", text(m.name), "value", m.value)
			valueToText(pair, "value")
			pairs = append(pairs, pair)
		}
		full.set("set", pairs)
	}
	return full
}

func valueToText(o *object, name string) {
	for i, m := range o.members {
		if m.name == name {
			o.members[i] = member{name + jsonSuffix, text(string(appendNode(nil, m.value)))}
		}
	}
}
