package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/schemas"
)

// Limits of an answer.
const (
	MaxReplyBytes = 16 << 20 // an answer's text
	MaxReplyDepth = 64       // objects and arrays within each other
)

// Finish says how the answer's text ended.
type Finish string

// The ways an answer ends. Only FinishStop is normal; from all others no
// command runs, however complete the text looks.
const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length"         // the output limit cut it
	FinishFilter Finish = "content_filter" // a filter ended it
	FinishClosed Finish = "closed"         // the stream ended without saying why
)

// Notes on what was peeled off or ignored.
const (
	NoteBOM   = "a byte order mark before the answer"
	NoteFence = "a code fence around the answer"
	NoteProse = "words around the object"
)

// Options tell a decoder what is known beside the text.
type Options struct {
	Finish Finish // "" is FinishStop
	// Damaged is true where the bytes were not valid UTF-8 on the wire, or
	// named a field twice, so that the text may not be what was said.
	Damaged bool
	// Dialect is the wire form that the model was asked for. Its deviations
	// from the canonical form (null for absent, values as JSON text) are
	// understood as well as the canonical form.
	Dialect schemas.Dialect
	// Shell is true where a step may be a shell script (the schema
	// shell_reply).
	Shell bool
}

// An Answer is a decoded reply, and what had to be peeled off to get it.
type Answer struct {
	Reply Reply
	Notes []string
}

// An InvalidError says why a text is not an answer in the language.
type InvalidError struct {
	Violations []Violation // one at least
}

// Error names all violations.
func (e *InvalidError) Error() string {
	parts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		parts[i] = v.String()
	}
	return "not a valid answer: " + strings.Join(parts, "; ")
}

func invalid(path, expected, actual string) error {
	return &InvalidError{[]Violation{{Path: path, Expected: expected, Actual: actual}}}
}

// Decode reads a whole answer. It accepts exactly one JSON object that follows
// the reply schema, with a byte order mark, white space or one code fence
// around it; a chat is also found between words. Everything else is an
// [*InvalidError]. A cmd is only accepted from an answer that ended normally
// and arrived undamaged.
func Decode(text []byte, o Options) (Answer, error) {
	if len(text) > MaxReplyBytes {
		return Answer{}, invalid("", fmt.Sprintf("an answer of at most %d bytes", MaxReplyBytes), fmt.Sprintf("one of %d bytes", len(text)))
	}
	inner, notes := peel(text)
	answer, err := decodeObject(inner, o)
	if err == nil {
		answer.Notes = append(notes, answer.Notes...)
		return answer, nil
	}
	if jsontext.Value(inner).IsValid() {
		return Answer{}, err // there are no words around it
	}
	if object, ok := onlyObject(inner); ok {
		found, proseErr := decodeObject(object, o)
		switch {
		case proseErr == nil && found.Reply.Type != KindCmd:
			found.Notes = append(append(notes, NoteProse), found.Notes...)
			return found, nil
		case proseErr == nil:
			return Answer{}, invalid("", "the object alone, with no words around it", "words around a cmd object")
		}
	}
	return Answer{}, err
}

// peel takes off what may stand around an object: a byte order mark, white
// space, one code fence.
func peel(text []byte) (inner []byte, notes []string) {
	inner = text
	if rest, ok := bytes.CutPrefix(inner, []byte("\ufeff")); ok {
		inner, notes = rest, append(notes, NoteBOM)
	}
	inner = bytes.Trim(inner, " \t\r\n")
	rest, ok := bytes.CutPrefix(inner, []byte("```"))
	if !ok {
		return inner, notes
	}
	language, rest, ok := bytes.Cut(rest, []byte("\n"))
	if !ok || !isFenceLanguage(string(language)) {
		return inner, notes
	}
	rest, ok = bytes.CutSuffix(rest, []byte("```"))
	if !ok {
		return inner, notes
	}
	return bytes.Trim(rest, " \t\r\n"), append(notes, NoteFence)
}

func isFenceLanguage(s string) bool {
	s = strings.Trim(s, " \t\r")
	return s == "" || strings.EqualFold(s, "json")
}

// maxCandidates bounds the search for an object between words.
const maxCandidates = 32

// onlyObject finds the one JSON object in a text, if there is exactly one.
func onlyObject(text []byte) (object []byte, ok bool) {
	for tries := 0; ; tries++ {
		i := bytes.IndexByte(text, '{')
		if i < 0 {
			return object, object != nil
		}
		if tries == maxCandidates {
			return nil, false
		}
		value, err := jsontext.NewDecoder(bytes.NewReader(text[i:])).ReadValue()
		if err != nil {
			text = text[i+1:]
			continue
		}
		if object != nil {
			return nil, false
		}
		object = text[i : i+len(value)]
		text = text[i+len(value):]
	}
}

// decodeObject reads a text that must be one object and nothing else.
func decodeObject(text []byte, o Options) (Answer, error) {
	canonical, tree, err := check(text, o)
	if err != nil {
		return Answer{}, err
	}
	answer, err := fill(canonical, tree)
	if err != nil {
		return Answer{}, err
	}
	if answer.Reply.Type != KindCmd {
		if o.Finish != "" && o.Finish != FinishStop {
			answer.Notes = append(answer.Notes, "the answer ended by "+string(o.Finish))
		}
		return answer, nil
	}
	switch {
	case o.Finish != "" && o.Finish != FinishStop:
		return Answer{}, invalid("", "a cmd that ended normally", "one that ended by "+string(o.Finish))
	case o.Damaged:
		return Answer{}, invalid("", "a cmd that arrived as it was said", "one with bytes that are not valid UTF-8, or with fields twice, on the wire")
	}
	if at, found := findReplacement("", tree); found {
		return Answer{}, invalid(at, "text as it was said", "U+FFFD, which stands for bytes that were lost")
	}
	return answer, nil
}

// check parses a text and checks it against the reply schema. It gives the
// text in canonical form and as a tree.
func check(text []byte, o Options) (canonical []byte, tree map[string]any, err error) {
	value, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	name := "reply"
	if o.Shell {
		name = "shell_reply"
	}
	schema, err := schemas.Load(name)
	if err != nil {
		return nil, nil, err
	}
	found := schema.Check(value)
	if len(found) > 0 && o.Dialect != schemas.Canonical {
		// The text may be in the wire form that was asked for.
		if text, err = schemas.FromWire(o.Dialect, text); err != nil {
			return nil, nil, &InvalidError{found}
		}
		if value, err = parse(text); err != nil {
			return nil, nil, err
		}
		found = schema.Check(value)
	}
	if len(found) > 0 {
		return nil, nil, &InvalidError{found}
	}
	return text, value.(map[string]any), nil // the schema asks for an object
}

// parse reads one JSON value strictly.
func parse(text []byte) (any, error) {
	if len(text) == 0 {
		return nil, invalid("", "one JSON object", "nothing")
	}
	if depth := depthOf(text); depth > MaxReplyDepth {
		return nil, invalid("", fmt.Sprintf("at most %d levels of objects and arrays", MaxReplyDepth), fmt.Sprintf("%d", depth))
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, syntaxViolation(text, err)
	}
	return value, nil
}

// depthOf gives the deepest nesting of a text that may not be JSON.
func depthOf(text []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// around is how much text a syntax violation shows on each side.
const around = 20

func syntaxViolation(text []byte, err error) error {
	path, offset := "", int64(len(text))
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		path, offset = string(syntactic.JSONPointer), min(syntactic.ByteOffset, int64(len(text)))
	}
	expected, actual := "one JSON object", ""
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		expected, actual = "each field once", "a second one of the same name"
	case !utf8.Valid(text):
		expected, actual = "valid UTF-8", "bytes that are not"
	case errors.Is(err, io.ErrUnexpectedEOF):
		expected, actual = "a complete JSON object", "one that breaks off"
	default:
		from, to := max(0, offset-around), min(int64(len(text)), offset+around)
		actual = fmt.Sprintf("%q at byte %d", bytes.ToValidUTF8(text[from:to], []byte("?")), offset)
		if syntactic != nil && syntactic.Err != nil {
			actual = syntactic.Err.Error() + ": " + actual
		}
	}
	return invalid(path, expected, actual)
}

// findReplacement finds a string that holds U+FFFD, and its path.
func findReplacement(at string, value any) (path string, found bool) {
	switch v := value.(type) {
	case string:
		return at, strings.ContainsRune(v, utf8.RuneError)
	case []any:
		for i, item := range v {
			if path, found = findReplacement(fmt.Sprintf("%s/%d", at, i), item); found {
				return path, true
			}
		}
	case map[string]any:
		for name, item := range v {
			if strings.ContainsRune(name, utf8.RuneError) {
				return at, true
			}
			if path, found = findReplacement(at+"/"+name, item); found {
				return path, true
			}
		}
	}
	return "", false
}
