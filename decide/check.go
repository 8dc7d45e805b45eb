package decide

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxProblems is how many problems are looked for: nobody reads more.
const maxProblems = 100

// maxID is the largest whole number that a page can tell from its neighbours.
const maxID = 1<<53 - 1

// An InvalidError is that an input breaks rules of the document.
type InvalidError struct {
	Problems []Problem // at least one, in the order of the document; at most 100
}

// Error names the first problem.
func (e *InvalidError) Error() string { return e.Problems[0].Message(English) }

// A Problem is one rule that an input breaks at one place.
type Problem struct {
	Path string // such as "items[0].options"; "" is the whole input
	Rule Rule
	Got  string // what stands there, as JSON, shortened; "" is nothing, or does not matter
	N    int    // how many there are, where the rule is about that
	Kind kind   // what it is, where the rule is about that
	Also string // fields that there are (RuleField)
}

// A Rule is one rule of the document, or one that makes it strict.
type Rule string

// The rules.
const (
	RuleObject     Rule = "object"
	RuleText       Rule = "text"        // a text that is not empty
	RuleString     Rule = "string"      // a text or null
	RuleItems      Rule = "items"       // an array
	RuleFewItems   Rule = "few items"   // of at least 1
	RuleOptions    Rule = "options"     // an array
	RuleFewOptions Rule = "few options" // of at least 2
	RuleID         Rule = "id"          // a positive whole number
	RuleLine       Rule = "line"        // a whole number that is not negative
	RuleUniqueID   Rule = "unique id"
	RuleUnique     Rule = "unique value"
	RuleRecommend  Rule = "recommend" // one of the values
	RuleScore      Rule = "score"     // from 0 to 100
	RuleStrings    Rule = "strings"   // an array of texts, or null
	RuleElement    Rule = "element"   // a text
	RuleField      Rule = "field"     // a field that there is
)

// kind is the kind of a value that is no scalar.
type kind string

const (
	kindNone   kind = ""
	kindArray  kind = "array"
	kindObject kind = "object"
)

// checker collects problems.
type checker struct{ problems []Problem }

func checkInput(tree any) []Problem {
	c := new(checker)
	if o, ok := c.object("", tree); ok {
		c.text("task", field(o, "task"))
		c.text("source", field(o, "source"))
		c.items(field(o, "items"))
		c.fields("", o, "task", "source", "items")
	}
	return c.problems
}

// absent is what stands in a field that is not there.
type absent struct{}

// field gives the value of a field that must be there.
func field(o map[string]any, name string) any {
	if value, ok := o[name]; ok {
		return value
	}
	return absent{}
}

func (c *checker) full() bool { return len(c.problems) >= maxProblems }

func (c *checker) add(rule Rule, path string, value any) {
	if !c.full() {
		got, k := shown(value)
		c.problems = append(c.problems, Problem{Path: path, Rule: rule, Got: got, Kind: k})
	}
}

// count adds a problem with a number of things.
func (c *checker) count(rule Rule, path string, n int) {
	if !c.full() {
		c.problems = append(c.problems, Problem{Path: path, Rule: rule, N: n})
	}
}

func (c *checker) object(path string, value any) (map[string]any, bool) {
	o, ok := value.(map[string]any)
	if !ok {
		c.add(RuleObject, path, value)
	}
	return o, ok
}

// text checks a text that must be there and say something.
func (c *checker) text(path string, value any) (string, bool) {
	s, ok := value.(string)
	if !ok || strings.TrimSpace(s) == "" {
		c.add(RuleText, path, value)
		return "", false
	}
	return s, true
}

func (c *checker) number(rule Rule, path string, value any, least float64) (float64, bool) {
	n, ok := value.(float64)
	if !ok || n != math.Trunc(n) || n < least || n > maxID {
		c.add(rule, path, value)
		return 0, false
	}
	return n, true
}

func (c *checker) items(value any) {
	items, ok := value.([]any)
	switch {
	case !ok:
		c.add(RuleItems, "items", value)
	case len(items) == 0:
		c.count(RuleFewItems, "items", 0)
	}
	seen := map[float64]bool{}
	for i, item := range items {
		if c.full() {
			return
		}
		path := fmt.Sprintf("items[%d]", i)
		o, ok := c.object(path, item)
		if !ok {
			continue
		}
		if id, ok := c.number(RuleID, path+".id", field(o, "id"), 1); ok {
			if seen[id] {
				c.add(RuleUniqueID, path+".id", id)
			}
			seen[id] = true
		}
		c.item(path, o)
	}
}

// item checks all of an item but its id.
func (c *checker) item(path string, o map[string]any) {
	c.text(path+".title", field(o, "title"))
	values, complete := c.options(path+".options", field(o, "options"))
	c.location(path+".location", o["location"])
	if _, ok := o["context"].(string); !ok && o["context"] != nil {
		c.add(RuleString, path+".context", o["context"])
	}
	switch recommend := o["recommend"].(type) {
	case nil:
	case string:
		// Where an option is broken, nobody knows what it would have been.
		if complete && !values[recommend] {
			c.add(RuleRecommend, path+".recommend", recommend)
		}
	default:
		c.add(RuleString, path+".recommend", recommend)
	}
	c.fields(path, o, "id", "title", "location", "context", "options", "recommend")
}

// options gives the values, and whether all options have one.
func (c *checker) options(path string, value any) (values map[string]bool, complete bool) {
	options, ok := value.([]any)
	switch {
	case !ok:
		c.add(RuleOptions, path, value)
		return nil, false
	case len(options) < 2:
		c.count(RuleFewOptions, path, len(options))
	}
	values, complete = map[string]bool{}, true
	for i, option := range options {
		if c.full() {
			return values, false
		}
		at := fmt.Sprintf("%s[%d]", path, i)
		o, ok := c.object(at, option)
		if !ok {
			complete = false
			continue
		}
		v, ok := c.text(at+".value", field(o, "value"))
		switch {
		case !ok:
			complete = false
		case values[v]:
			c.add(RuleUnique, at+".value", v)
		default:
			values[v] = true
		}
		c.option(at, o)
	}
	return values, complete
}

// option checks all of an option but its value.
func (c *checker) option(path string, o map[string]any) {
	c.text(path+".label", field(o, "label"))
	if score, ok := o["score"].(float64); o["score"] != nil && (!ok || score < 0 || score > 100) {
		c.add(RuleScore, path+".score", o["score"])
	}
	for _, name := range []string{"pros", "cons"} {
		list, ok := o[name].([]any)
		if !ok && o[name] != nil {
			c.add(RuleStrings, path+"."+name, o[name])
		}
		for i, element := range list {
			if _, ok := element.(string); !ok {
				c.add(RuleElement, fmt.Sprintf("%s.%s[%d]", path, name, i), element)
			}
		}
	}
	c.fields(path, o, "value", "label", "score", "pros", "cons")
}

func (c *checker) location(path string, value any) {
	if value == nil {
		return
	}
	if o, ok := c.object(path, value); ok {
		c.text(path+".file", field(o, "file"))
		c.number(RuleLine, path+".start", field(o, "start"), 0)
		c.number(RuleLine, path+".end", field(o, "end"), 0)
		c.fields(path, o, "file", "start", "end")
	}
}

// fields refuses fields that there are not: one that is written wrongly would
// be lost without a word.
func (c *checker) fields(path string, o map[string]any, known ...string) {
	if path != "" {
		path += "."
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if c.full() {
			return
		}
		if !slices.Contains(known, name) {
			c.problems = append(c.problems, Problem{Path: path + plainName(name), Rule: RuleField, Also: strings.Join(known, ", ")})
		}
	}
}

// plainName is a name from outside as it may stand in a path.
func plainName(name string) string {
	plain := strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
	if name != "" && plain && len(name) <= shownRunes {
		return name
	}
	return quoted(name)
}

// shownRunes is how much of a text is shown.
const shownRunes = 60

// shown gives a value as it is shown: a scalar as JSON, of others the kind.
func shown(value any) (string, kind) {
	switch v := value.(type) {
	case absent:
		return "", kindNone
	case nil:
		return "null", kindNone
	case bool:
		return strconv.FormatBool(v), kindNone
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e21 {
			return strconv.FormatFloat(v, 'f', -1, 64), kindNone
		}
		return strconv.FormatFloat(v, 'g', -1, 64), kindNone
	case string:
		return quoted(v), kindNone
	case []any:
		return "", kindArray
	}
	return "", kindObject
}

func quoted(s string) string {
	n := 0
	for i := range s {
		if n == shownRunes {
			s = s[:i] + "…"
			break
		}
		n++
	}
	text, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return `""`
	}
	return visible(string(text))
}

// visible takes signs out of a text that would act on a terminal or turn the
// direction of what follows.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '\ufffd'
		}
		return r
	}, s)
}
