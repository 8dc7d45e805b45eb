package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/config/jsonedit"
	"github.com/holic512/plugin-ai/schemas"
)

// maxSetDepth is how deep the dots of a key may nest.
const maxSetDepth = 16

// assignment is one key=value of --set.
type assignment struct {
	words []string // the key, parted at its dots
	text  string
}

// parseSet reads --set key=value. What does not look like that may be a key
// that was typed in the wrong place: it is not shown.
func parseSet(list []string) ([]assignment, error) {
	var out []assignment
	for i, s := range list {
		bad := func(expected, actual string) error {
			return &Error{Kind: ErrUsage, Message: fmt.Sprintf("--set, number %d: expected %s, got %s", i+1, expected, actual),
				Advice: "write it like --set defaultModel=ID or --set providerOptions.x=1"}
		}
		key, text, found := strings.Cut(s, "=")
		words := strings.Split(key, ".")
		switch {
		case !found:
			return nil, bad("key=value", "no =")
		case key == "":
			return nil, bad("key=value", "nothing before =")
		case slices.Contains(words, ""):
			return nil, bad("a key of words with one dot between two", "an empty word")
		case len(words) > maxSetDepth:
			return nil, bad(fmt.Sprintf("a key of at most %d words", maxSetDepth), fmt.Sprint(len(words)))
		case strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar }):
			return nil, bad("a key without white space", "another text")
		case strings.ToValidUTF8(text, "") != text:
			return nil, bad("a value in UTF-8", "other bytes")
		}
		switch words[0] {
		case "name", "provider":
			return nil, bad("another key", words[0]+", which has its own flag --"+words[0])
		}
		out = append(out, assignment{words, text})
	}
	return out, nil
}

// value is the value as JSON: what looks like an array, an object, true,
// false, null or a number is that, everything else is text.
func (a assignment) value() jsontext.Value {
	raw := jsontext.Value(strings.TrimSpace(a.text))
	var v any // a number that is too large is text as well
	if len(raw) > 0 && raw[0] != '"' && json.Unmarshal(raw, &v) == nil {
		return raw
	}
	return a.quoted()
}

func (a assignment) quoted() jsontext.Value {
	text, err := jsontext.AppendQuote(nil, a.text)
	if err != nil {
		return jsontext.Value(`""`) // parseSet let only UTF-8 pass
	}
	return text
}

func (a assignment) key() string { return strings.Join(a.words, ".") }

// assign puts values into the JSON text of an entry. It tells of keys that the
// entry's schema does not know, and fails at the first value that it does not
// allow.
func assign(entry jsontext.Value, list []assignment) (_ jsontext.Value, warnings []string, err error) {
	for _, a := range list {
		changed, err := a.set(entry, a.value())
		if err != nil {
			return nil, nil, err
		}
		found, err := checkEntry(changed)
		if err != nil {
			return nil, nil, err
		}
		if len(found) > 0 && a.value().Kind() == '0' {
			// A name or a key may consist of digits.
			asText, err := a.set(entry, a.quoted())
			if err != nil {
				return nil, nil, err
			}
			if again, err := checkEntry(asText); err == nil && len(again) == 0 {
				changed, found = asText, nil
			}
		}
		if len(found) > 0 {
			for i := range found {
				found[i].Path = "--set " + strings.ReplaceAll(strings.TrimPrefix(found[i].Path, "/"), "/", ".")
			}
			return nil, nil, &Error{Kind: ErrUsage, Violations: found}
		}
		entry = changed
		if w := unknownKey(a); w != "" && !slices.Contains(warnings, w) {
			warnings = append(warnings, w)
		}
	}
	return entry, warnings, nil
}

// set gives the text with the value at the key, whose objects are made.
func (a assignment) set(text, value jsontext.Value) (jsontext.Value, error) {
	for i := 1; i < len(a.words); i++ {
		at := pointer(a.words[:i]...)
		old, err := jsonedit.Get(text, at)
		switch {
		case err != nil:
			if text, err = jsonedit.Set(text, at, jsontext.Value("{}")); err != nil {
				return nil, err
			}
		case old.Kind() != '{':
			return nil, &Error{Kind: ErrUsage, Message: fmt.Sprintf("--set %s: expected an object at %s, got another value", a.key(), strings.Join(a.words[:i], "."))}
		}
	}
	return jsonedit.Set(text, pointer(a.words...), value)
}

// unknownKey is a warning about a key that no entry has; "" where there is
// none.
func unknownKey(a assignment) string {
	fields := entryFields()
	if slices.Contains(fields, a.words[0]) {
		return ""
	}
	w := fmt.Sprintf("--set %s: no entry has the key %s; it is kept as it is", a.key(), quote(a.words[0]))
	if near, ok := nearest(a.words[0], fields); ok {
		w += "; did you mean " + near + "?"
	}
	return w
}

// entryFields are the keys of an entry that --set knows.
func entryFields() []string {
	return []string{"apiKey", "models", "defaultModel", "baseUrl", "api", "temperature",
		"maxTokens", "reasoning", "input", "contextWindow", "providerOptions"}
}

// checkEntry holds an entry against its schema and the rest of what
// default.json asks of it. Of a key nothing is shown.
func checkEntry(entry jsontext.Value) ([]schemas.Violation, error) {
	var value any
	if err := json.Unmarshal(entry, &value); err != nil {
		return nil, fmt.Errorf("the new entry: %w", err)
	}
	schema, err := schemas.Load("providers")
	if err != nil {
		return nil, err
	}
	const first = "/providers/0"
	found := schema.Check(map[string]any{"schema_version": schemaVersion, "providers": []any{value}})
	hideKeys(found)
	if len(found) == 0 {
		e := new(Entry)
		if err := decode(ErrUsage, "", entry, e); err != nil {
			var own *Error
			if !errors.As(err, &own) || len(own.Violations) == 0 {
				return nil, err
			}
			found = own.Violations
			hideKeys(found)
		} else if e.BaseURL != "" && checkURL(e.BaseURL) != nil {
			found = []schemas.Violation{{Path: "/baseUrl", Expected: checkURL(e.BaseURL).Error(), Actual: "another one"}}
		} else if err := checkAPI(e.API); err != nil {
			found = []schemas.Violation{{Path: "/api", Expected: "one of " + strings.Join(apis(), ", "), Actual: quote(e.API)}}
		}
	}
	for i := range found {
		found[i].Path = strings.TrimPrefix(found[i].Path, first)
	}
	return found, nil
}

// hideKeys takes what stands in the place of a key out of violations.
func hideKeys(found []schemas.Violation) {
	for i, v := range found {
		if strings.Contains(v.Path, "/apiKey") || v.Path == "apiKey" {
			found[i].Actual = "another value"
		}
	}
}

// override gives an entry the values of --set for one call.
func override(e Entry, list []assignment) (Entry, []string, error) {
	if len(list) == 0 {
		return e, nil, nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		return e, nil, err
	}
	changed, warnings, err := assign(text, list)
	if err != nil {
		return e, nil, err
	}
	var out Entry
	if err := decode(ErrUsage, "", changed, &out); err != nil {
		return e, nil, err
	}
	return out, warnings, nil
}
