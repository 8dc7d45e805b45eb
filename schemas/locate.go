package schemas

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
)

// A Violation is one place where a value breaks a schema.
type Violation struct {
	Path     string `json:"path"`     // JSON Pointer; "" is the whole value
	Expected string `json:"expected"` // what may stand there
	Actual   string `json:"actual"`   // what stands there, shortened
}

// String gives the violation as a sentence.
func (v Violation) String() string {
	where := v.Path
	if where == "" {
		where = "the whole answer"
	}
	return fmt.Sprintf("%s: expected %s, got %s", where, v.Expected, v.Actual)
}

// enough is how many places within one array or object are named. Nobody
// reads more, and a hostile value may have millions.
const enough = 32

// locate finds the places where a value breaks a schema, by the keywords that
// our schema files use. It only looks where a check has failed; what it does
// not know it takes as fulfilled.
func locate(at string, doc *document, s *jsonschema.Schema, value any) []Violation {
	doc, s = doc.follow(s)
	if s == nil {
		return nil
	}
	if types := typesOf(s); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(value, t) }) {
		return []Violation{{at, typeWords(types), describe(value)}}
	}
	if s.Enum != nil && !slices.Contains(s.Enum, value) {
		return []Violation{{at, enumWords(s.Enum), describe(value)}}
	}
	var found []Violation
	switch v := value.(type) {
	case string:
		found = locateString(at, s, v)
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			found = append(found, Violation{at, fmt.Sprintf("a number of %v or more", *s.Minimum), describe(v)})
		}
		if s.Maximum != nil && v > *s.Maximum {
			found = append(found, Violation{at, fmt.Sprintf("a number of %v or less", *s.Maximum), describe(v)})
		}
	case []any:
		found = locateArray(at, doc, s, v)
	case map[string]any:
		found = locateObject(at, doc, s, v)
	}
	for _, sub := range s.AllOf {
		found = append(found, locate(at, doc, sub, value)...)
	}
	if len(found) == 0 && s.AnyOf != nil {
		found = locateAnyOf(at, doc, s.AnyOf, value)
	}
	if s.Not != nil && len(locate(at, doc, s.Not, value)) == 0 {
		found = append(found, Violation{at, "another combination of fields", describe(value)})
	}
	return found
}

// follow resolves a reference within our own files.
func (d *document) follow(s *jsonschema.Schema) (*document, *jsonschema.Schema) {
	for s != nil && s.Ref != "" {
		file, fragment, _ := strings.Cut(s.Ref, "#")
		if file != "" {
			other, err := d.load(file)
			if err != nil {
				return d, nil
			}
			d = other
		}
		s = d.root
		if name, ok := strings.CutPrefix(fragment, "/$defs/"); ok {
			s = d.root.Defs[name]
		}
	}
	return d, s
}

func locateString(at string, s *jsonschema.Schema, v string) []Violation {
	n := utf8.RuneCountInString(v)
	switch {
	case s.MinLength != nil && n < *s.MinLength:
		return []Violation{{at, fmt.Sprintf("a string of %d characters or more", *s.MinLength), describe(v)}}
	case s.MaxLength != nil && n > *s.MaxLength:
		return []Violation{{at, fmt.Sprintf("a string of at most %d characters", *s.MaxLength), fmt.Sprintf("one of %d", n)}}
	case s.Pattern != "":
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(v) {
			return []Violation{{at, "a string that matches " + s.Pattern, describe(v)}}
		}
	}
	return nil
}

func locateArray(at string, doc *document, s *jsonschema.Schema, v []any) []Violation {
	var found []Violation
	if s.MinItems != nil && len(v) < *s.MinItems {
		found = append(found, Violation{at, fmt.Sprintf("an array of %d or more", *s.MinItems), fmt.Sprintf("one of %d", len(v))})
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		// What is in it may be a million things, and says no more.
		return append(found, Violation{at, fmt.Sprintf("an array of at most %d", *s.MaxItems), fmt.Sprintf("one of %d", len(v))})
	}
	if s.Items == nil {
		return found
	}
	for i, item := range v {
		if len(found) >= enough {
			break
		}
		found = append(found, locate(fmt.Sprintf("%s/%d", at, i), doc, s.Items, item)...)
	}
	return found
}

func locateObject(at string, doc *document, s *jsonschema.Schema, v map[string]any) []Violation {
	var found []Violation
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			expected := "a value"
			if _, sub := doc.follow(s.Properties[name]); sub != nil {
				expected = words(sub)
			}
			found = append(found, Violation{child(at, name), expected, "nothing"})
		}
	}
	if s.MinProperties != nil && len(v) < *s.MinProperties {
		found = append(found, Violation{at, fmt.Sprintf("an object with %d or more fields", *s.MinProperties), fmt.Sprintf("one with %d", len(v))})
	}
	if s.MaxProperties != nil && len(v) > *s.MaxProperties {
		return append(found, Violation{at, fmt.Sprintf("an object with at most %d fields", *s.MaxProperties), fmt.Sprintf("one with %d", len(v))})
	}
	for _, name := range sortedKeys(v) {
		if len(found) >= enough {
			break
		}
		if s.PropertyNames != nil {
			found = append(found, locate(child(at, name), doc, s.PropertyNames, name)...)
		}
		if sub := s.Properties[name]; sub != nil {
			found = append(found, locate(child(at, name), doc, sub, v[name])...)
			continue
		}
		switch extra := s.AdditionalProperties; {
		case extra == nil:
		case isFalse(extra):
			known := strings.Join(sortedKeys(s.Properties), ", ")
			found = append(found, Violation{child(at, name), "no such field; known are: " + known, describe(v[name])})
		default:
			found = append(found, locate(child(at, name), doc, extra, v[name])...)
		}
	}
	return found
}

// locateAnyOf looks into the alternative that the value means: the one whose
// enumerated fields it has, or else the one that it breaks least.
func locateAnyOf(at string, doc *document, alternatives []*jsonschema.Schema, value any) []Violation {
	var best []Violation
	var bestMatches int
	tags := map[string][]any{}
	tagged := true // every alternative refuses a tag of the value
	for i, alternative := range alternatives {
		altDoc, alt := doc.follow(alternative)
		found := locate(at, altDoc, alt, value)
		if len(found) == 0 {
			return nil
		}
		matches, refused := 0, false
		if object, ok := value.(map[string]any); ok && alt != nil {
			for name, sub := range alt.Properties {
				if _, sub = altDoc.follow(sub); sub == nil || sub.Enum == nil {
					continue
				}
				tags[name] = append(tags[name], sub.Enum...)
				if have, ok := object[name]; ok && slices.Contains(sub.Enum, have) {
					matches++
				} else if ok || slices.Contains(alt.Required, name) {
					refused = true
				}
			}
		}
		tagged = tagged && refused
		if i == 0 || matches > bestMatches || matches == bestMatches && len(found) < len(best) {
			best, bestMatches = found, matches
		}
	}
	if tagged && len(tags) == 1 {
		for name, allowed := range tags {
			object, _ := value.(map[string]any)
			have, ok := object[name]
			actual := "nothing"
			if ok {
				actual = describe(have)
			}
			return []Violation{{child(at, name), enumWords(allowed), actual}}
		}
	}
	return best
}

func child(at, name string) string {
	return at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func isFalse(s *jsonschema.Schema) bool {
	return s.Not != nil && reflect.DeepEqual(s.Not, &jsonschema.Schema{})
}

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func isType(value any, name string) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

// words says what a schema wants, in short.
func words(s *jsonschema.Schema) string {
	if s.Enum != nil {
		return enumWords(s.Enum)
	}
	if types := typesOf(s); len(types) > 0 {
		return typeWords(types)
	}
	return "a value"
}

func typeWords(types []string) string {
	out := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "null":
			out[i] = t
		case "array", "object", "integer":
			out[i] = "an " + t
		default:
			out[i] = "a " + t
		}
	}
	return strings.Join(out, " or ")
}

func enumWords(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = describe(v)
	}
	if len(out) == 1 {
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}

// shown is how many characters of a value a violation shows.
const shown = 60

// describe shows a value, shortened.
func describe(value any) string {
	switch v := value.(type) {
	case []any:
		return fmt.Sprintf("an array of %d", len(v))
	case map[string]any:
		if len(v) == 0 {
			return "an empty object"
		}
		names := strings.Join(sortedKeys(v), ", ")
		return "an object with " + shorten(names)
	case string:
		text, err := json.Marshal(shorten(v))
		if err != nil {
			return "a string"
		}
		return string(text)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("a %T", value)
	}
	return shorten(string(text))
}

func shorten(s string) string {
	n := 0
	for i := range s {
		if n == shown {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
