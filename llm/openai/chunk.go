package openai

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A chunk is one event of the stream, or the whole answer of a server that
// does not stream. Fields that are not named are ignored.
type chunk struct {
	Choices []choice       `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
	// An error in place of an answer, in one of two forms.
	Error   jsontext.Value `json:"error"`
	Object  jsontext.Value `json:"object"`
	Message jsontext.Value `json:"message"`
}

type choice struct {
	Index        int            `json:"index"`
	Delta        delta          `json:"delta"`
	Message      delta          `json:"message"` // in place of Delta where the answer is whole
	FinishReason *string        `json:"finish_reason"`
	Usage        jsontext.Value `json:"usage"` // some put it here
}

type delta struct {
	Role             jsontext.Value `json:"role"`
	Content          jsontext.Value `json:"content"`
	ReasoningContent jsontext.Value `json:"reasoning_content"`
	Reasoning        jsontext.Value `json:"reasoning"`
	Refusal          jsontext.Value `json:"refusal"`
	ToolCalls        []callDelta    `json:"tool_calls"`
	FunctionCall     *callFunction  `json:"function_call"` // the form before tool_calls
}

type callDelta struct {
	Index    *int         `json:"index"`
	ID       string       `json:"id"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// usage counts tokens; servers differ in what they give.
type usage struct {
	Prompt     int `json:"prompt_tokens"` // with the cached ones
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	CacheHit   int `json:"prompt_cache_hit_tokens"` // DeepSeek
	In         struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// lenient are the options for what a server says. Bytes that are no UTF-8 do
// not stop the reading; they were noticed before.
func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// readChunk reads one event. It tells whether a field of the answer is there
// twice, so that nobody can say which one was meant.
func readChunk(data []byte) (c chunk, twice bool, err error) {
	if err = json.Unmarshal(data, &c, jsontext.AllowInvalidUTF8(true)); !errors.Is(err, jsontext.ErrDuplicateName) {
		return c, false, err
	}
	if where, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		twice = strings.HasPrefix(string(where.JSONPointer), "/choices")
	}
	c = chunk{}
	err = json.Unmarshal(data, &c, lenient())
	return c, twice, err
}

// speaksForOthers tells whether a role is certainly not the model's. Servers
// write the model's own in many ways, or not at all.
func speaksForOthers(role string) bool {
	switch strings.ToLower(role) {
	case "user", "system", "developer", "tool", "function":
		return true
	}
	return false
}

func present(raw jsontext.Value) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != `""`
}

// A joiner reads JSON strings that belong together. Where a server cut a text
// between the two \u escapes of one character, the halves come in two strings.
type joiner struct {
	high    rune // the first half, or 0
	damaged bool // half a character came alone
}

var errNotText = errors.New("expected text")

// text reads one JSON string. null is "".
func (j *joiner) text(raw jsontext.Value) (string, error) {
	if len(raw) == 0 || raw[0] == 'n' {
		return "", nil
	}
	if raw[0] != '"' {
		return "", fmt.Errorf("%w, got JSON of kind %v", errNotText, raw.Kind())
	}
	if j.high == 0 {
		if s, err := jsontext.AppendUnquote(nil, raw); err == nil {
			return string(s), nil
		}
	}
	return j.join(raw[1 : len(raw)-1]), nil
}

// flush gives what is left when no more comes.
func (j *joiner) flush() string {
	if j.high == 0 {
		return ""
	}
	j.high, j.damaged = 0, true
	return string(utf8.RuneError)
}

// join reads the inside of a valid JSON string with surrogates in it.
func (j *joiner) join(in []byte) string {
	var b strings.Builder
	for len(in) > 0 {
		r, n := rune(0), 0
		if in[0] == '\\' {
			r, n = unescape(in)
		} else {
			r, n = utf8.DecodeRune(in)
		}
		in = in[n:]
		if j.high != 0 {
			if both := utf16.DecodeRune(j.high, r); both != utf8.RuneError {
				j.high = 0
				b.WriteRune(both)
				continue
			}
			b.WriteString(j.flush())
		}
		switch {
		case r >= 0xD800 && r < 0xDC00:
			j.high = r
		case utf16.IsSurrogate(r):
			j.damaged = true
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unescape reads the escape at the beginning of a valid JSON string's inside.
func unescape(in []byte) (r rune, size int) {
	switch in[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		for _, c := range in[2:6] {
			r <<= 4
			switch {
			case c >= 'a':
				r |= rune(c - 'a' + 10)
			case c >= 'A':
				r |= rune(c - 'A' + 10)
			default:
				r |= rune(c - '0')
			}
		}
		return r, 6
	}
	return rune(in[1]), 2
}
