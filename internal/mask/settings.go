package mask

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Marks around the number of a hidden value: of the private use area, so that
// no text has them by chance.
const (
	hiddenBegin = "\uf8f0"
	hiddenEnd   = "\uf8f1"
)

// Settings hides the secrets of JSON settings files by their place: all that
// stands under a member whose name tells of a secret, whatever it looks like,
// and the same value where else it stands in any of the texts. What is hidden
// is replaced by a mark of its own for each value, so that the texts can still
// be compared; show turns the marks in a text into stars. A text that is no
// JSON stays as it is.
func Settings(texts ...string) (hidden []string, show func(string) string) {
	s := settings{names: &builtIn().names, values: map[string]int{}}
	for _, text := range texts {
		if s.text = text; isJSON(strings.TrimPrefix(text, "\ufeff")) {
			s.walk(text, s.collect)
		}
	}
	for _, text := range texts {
		s.text = text
		s.out = make([]byte, 0, len(text))
		s.done = 0
		if isJSON(strings.TrimPrefix(text, "\ufeff")) && s.walk(text, s.replace) {
			text = string(append(s.out, text[s.done:]...))
		}
		hidden = append(hidden, text)
	}
	return hidden, showMarks
}

// showMarks puts stars in the place of marks.
func showMarks(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, hiddenBegin)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		number, after, ok := strings.Cut(rest, hiddenEnd)
		if _, err := strconv.Atoi(number); !ok || err != nil {
			b.WriteString(hiddenBegin)
			text = rest
			continue
		}
		b.WriteString(stars)
		text = after
	}
}

// settings are the secrets of some texts.
type settings struct {
	names  *nameTable
	values map[string]int // the number of each value

	text string // that is being written anew
	out  []byte
	done int // bytes of it
}

// longSecret is the length in bytes from which a value of a doubtful name is
// hidden, and commonSecret that from which it is hidden elsewhere too.
const (
	longSecret   = 16
	commonSecret = 5
)

// walk calls leaf for every value that is no object and no array, with where
// it stands and whether its place is secret. It is false where the text is no
// JSON.
func (s *settings) walk(text string, leaf func(start, end int, secret bool)) bool {
	text, cut := strings.CutPrefix(text, "\ufeff")
	shift := 0
	if cut {
		shift = len("\ufeff")
	}
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	type level struct{ secret, weak bool }
	levels := []level{{}}
	next := level{} // of the value that follows
	for {
		kind := d.PeekKind()
		name := false
		if k, n := d.StackIndex(d.StackDepth()); k == '{' && n%2 == 0 {
			name = true
		}
		switch kind {
		case '{', '[':
			if _, err := d.ReadToken(); err != nil {
				return false
			}
			levels = append(levels, next)
			next = levels[len(levels)-1]
			continue
		case '}', ']':
			if _, err := d.ReadToken(); err != nil {
				return false
			}
			levels = levels[:len(levels)-1]
			next = levels[len(levels)-1]
			continue
		case jsontext.KindInvalid:
			return strings.TrimSpace(text[d.InputOffset():]) == ""
		}
		if name {
			token, err := d.ReadToken()
			if err != nil {
				return false
			}
			next = levels[len(levels)-1]
			switch s.class(token.String()) {
			case "secret":
				next.secret = true
			case "weak":
				next.weak = true
			case "reference":
				next = level{}
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			return false
		}
		end := shift + int(d.InputOffset())
		start := end - len(value)
		secret := next.secret
		if kind == '"' && next.weak && !secret {
			plain := unquoted(value)
			secret = len(plain) >= longSecret && !strings.Contains(plain, " ")
		}
		leaf(start, end, secret && hides(kind, value))
		next = levels[len(levels)-1]
		if len(levels) == 1 {
			return strings.TrimSpace(text[d.InputOffset():]) == ""
		}
	}
}

// class says what a member's name tells of its value.
func (s *settings) class(name string) string {
	if len(name) > longestName {
		return ""
	}
	lower := strings.ToLower(name)
	switch lower {
	case "env", "keyring", "command":
		return "reference" // it names where the secret is
	case "session", "webhook", "sessionid", "webhook_url", "webhookurl", "dsn":
		return "weak"
	}
	as := s.names.classify(name)
	if singular, ok := strings.CutSuffix(name, "s"); ok && as == ordinary && !strings.HasPrefix(lower, "max") && !strings.HasPrefix(lower, "num") {
		if as = s.names.classify(singular); as == weak {
			as = ordinary
		}
	}
	switch as {
	case strong, password, header, cookies:
		return "secret"
	case weak:
		return "weak"
	default:
		return ""
	}
}

// hides tells whether a value at a secret place is one.
func hides(kind jsontext.Kind, value jsontext.Value) bool {
	switch kind {
	case '0':
		return true
	case '"':
		plain := unquoted(value)
		if plain == "" || isMasked(plain) || isTemplate(plain) {
			return false
		}
		for _, prefix := range []string{"env:", "keyring:", "cmd:"} {
			if strings.HasPrefix(plain, prefix) {
				return false
			}
		}
		return true
	}
	return false
}

func unquoted(value jsontext.Value) string {
	plain, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(plain)
}

// key is what makes two spellings of a value one.
func key(text string, start, end int) string {
	if text[start] == '"' {
		return `"` + unquoted(jsontext.Value(text[start:end]))
	}
	return text[start:end]
}

func (s *settings) collect(start, end int, secret bool) {
	if !secret {
		return
	}
	k := key(s.text, start, end)
	if _, known := s.values[k]; !known {
		s.values[k] = len(s.values)
	}
}

func (s *settings) replace(start, end int, secret bool) {
	k := key(s.text, start, end)
	number, known := s.values[k]
	if !known || !secret && (s.text[start] != '"' || len(k)-1 < commonSecret) {
		return
	}
	mark := `"` + hiddenBegin + strconv.Itoa(number) + hiddenEnd + `"`
	s.out = append(append(s.out, s.text[s.done:start]...), mark...)
	s.done = end
}

// Setting hides the secrets in a value that is given to the member that a JSON
// Pointer names. What is no JSON stays as it is.
func Setting(pointer string, value jsontext.Value) jsontext.Value {
	name, err := jsontext.AppendQuote(nil, jsontext.Pointer(pointer).LastToken())
	if err != nil {
		return value
	}
	hidden, show := Settings("{" + string(name) + ":" + string(value) + "}")
	masked := show(hidden[0])
	return jsontext.Value(masked[1+len(name)+1 : len(masked)-1])
}
