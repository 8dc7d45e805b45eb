package mask

import (
	_ "embed"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/schemas"
)

//go:embed patterns.json
var builtInFile []byte

// patterns is a file that follows schemas/mask.schema.json, which says what
// each field means.
type patterns struct {
	Schema      string       `json:"$schema"`
	Tokens      []token      `json:"tokens"`
	Names       []names      `json:"names"`
	Expressions []expression `json:"expressions"`
}

// token is a secret that is known by how it begins.
type token struct {
	Kind     string   `json:"kind"`
	Prefixes []string `json:"prefixes"`
	Body     string   `json:"body"`
	Least    int      `json:"least"`
	Most     int      `json:"most"` // 0 is any number
	Before   before   `json:"before"`
	After    bool     `json:"after"`
	Fold     bool     `json:"fold"`
	Looks    string   `json:"looks"`
}

type before struct {
	Body  string `json:"body"`
	Least int    `json:"least"`
	Most  int    `json:"most"`
}

type names struct {
	As      string   `json:"as"`
	Words   []string `json:"words"`
	Endings []string `json:"endings"`
}

type expression struct {
	Kind       string `json:"kind"`
	Expression string `json:"expression"`
}

// MaxPatterns is how long a file of patterns may be, in bytes.
const MaxPatterns = 256 << 10

// Patterns are a person's own forms of secrets, read by [ParsePatterns].
type Patterns struct{ file patterns }

// A PatternError says what is wrong with a file of patterns. It shows field
// names and limits, and values only as far as [schemas.Violation] does.
type PatternError struct {
	Origin     string // the file
	Violations []schemas.Violation
	Err        error // where it is no JSON at all
}

func (e *PatternError) Error() string {
	if e.Err != nil {
		return e.Origin + ": " + e.Err.Error()
	}
	lines := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		lines[i] = v.String()
	}
	return e.Origin + ": " + strings.Join(lines, "; ")
}

func (e *PatternError) Unwrap() error { return e.Err }

// ParsePatterns reads a file that follows schemas/mask.schema.json, 256 KiB at
// most. Origin names the file in errors, which are all [*PatternError].
func ParsePatterns(data []byte, origin string) (*Patterns, error) {
	fail := func(at, expected, actual string) error {
		return &PatternError{Origin: origin, Violations: []schemas.Violation{{Path: at, Expected: expected, Actual: actual}}}
	}
	data = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	if len(data) > MaxPatterns {
		return nil, fail("/", fmt.Sprintf("a file of at most %d bytes", MaxPatterns), fmt.Sprintf("%d", len(data)))
	}
	schema, err := schemas.Load("mask")
	if err != nil {
		return nil, fmt.Errorf("patterns: %w", err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, &PatternError{Origin: origin, Err: fmt.Errorf("expected JSON: %w", err)}
	}
	if found := schema.Check(value); len(found) > 0 {
		for i := range found {
			if found[i].Path == "" {
				found[i].Path = "/"
			}
		}
		return nil, &PatternError{Origin: origin, Violations: found}
	}
	p := new(Patterns)
	if err := json.Unmarshal(data, &p.file); err != nil {
		return nil, &PatternError{Origin: origin, Err: err}
	}
	for i, t := range p.file.Tokens {
		if t.Most > 0 && t.Most < t.Least {
			return nil, fail(fmt.Sprintf("/tokens/%d/most", i), fmt.Sprintf("%d or more, as least is", t.Least), fmt.Sprint(t.Most))
		}
		if b := t.Before; b.Most < b.Least {
			return nil, fail(fmt.Sprintf("/tokens/%d/before/most", i), fmt.Sprintf("%d or more, as least is", b.Least), fmt.Sprint(b.Most))
		}
		for j, prefix := range t.Prefixes {
			at := fmt.Sprintf("/tokens/%d/prefixes/%d", i, j)
			switch {
			case t.Fold && strings.ToLower(prefix) != prefix:
				return nil, fail(at, "small letters, as fold is set", fmt.Sprintf("%q", prefix))
			case strings.TrimSpace(prefix) == "":
				return nil, fail(at, "more than blanks", fmt.Sprintf("%q", prefix))
			case !t.After && len(prefix)+t.Before.Least+t.Least < minKnown:
				return nil, fail(fmt.Sprintf("/tokens/%d/least", i), fmt.Sprintf("%d characters in all or more", minKnown), "fewer")
			case t.After && t.Least < minKnown:
				return nil, fail(fmt.Sprintf("/tokens/%d/least", i), fmt.Sprintf("%d or more", minKnown), fmt.Sprint(t.Least))
			}
		}
	}
	for i, n := range p.file.Names {
		for j, w := range n.Words {
			if hidesByName(n.As) && len(anchorOf(w)) < minAnchor {
				return nil, fail(fmt.Sprintf("/names/%d/words/%d", i, j), "a word of three letters or more among them", fmt.Sprintf("%q", w))
			}
		}
	}
	for i, e := range p.file.Expressions {
		re, err := regexp.Compile(e.Expression)
		size := 0
		if err == nil {
			size = programSize(e.Expression)
		}
		switch {
		case err != nil:
			return nil, fail(fmt.Sprintf("/expressions/%d/expression", i), "a regular expression of the Go language", err.Error())
		case size > maxProgram:
			return nil, fail(fmt.Sprintf("/expressions/%d/expression", i), fmt.Sprintf("one of at most %d steps", maxProgram), fmt.Sprintf("%d: repetitions within repetitions multiply", size))
		case re.MatchString(""):
			return nil, fail(fmt.Sprintf("/expressions/%d/expression", i), "one that does not match an empty text", fmt.Sprintf("%q", e.Expression))
		}
	}
	return p, nil
}

// maxProgram bounds the time that one expression takes for one character.
const maxProgram = 5000

// programSize gives the number of steps of an expression that compiles.
func programSize(expression string) int {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

// table is what patterns become: what is looked for, and where.
type table struct {
	rules []rule
	// slots finds rules by the first three bytes of their anchors. Each is one
	// more than an index of chains; 0 is none.
	slots       [1 << slotBits]uint16
	chains      [][]uint16 // of indices of rules
	names       nameTable
	expressions []matcher
}

const (
	minAnchor = 3
	slotBits  = 13
)

type matcher struct {
	kind string
	re   *regexp.Regexp
}

// builtIn is made on its first use: most runs of the program mask nothing.
var builtIn = sync.OnceValue(func() *table { return newTable(nil) }) //nolint:gochecknoglobals // a cache of a constant

func newTable(own *Patterns) *table {
	var file patterns
	if err := json.Unmarshal(builtInFile, &file); err != nil {
		panic(err) // the embedded file is a constant, and a test reads it
	}
	if own != nil {
		file.Tokens = append(file.Tokens, own.file.Tokens...)
		file.Names = append(file.Names, own.file.Names...)
		file.Expressions = append(file.Expressions, own.file.Expressions...)
	}
	t := &table{rules: make([]rule, 0, 512)}
	for i := range file.Tokens {
		t.rules = append(t.rules, file.Tokens[i].rules()...)
	}
	t.rules = append(t.rules,
		rule{anchor: "bearer ", fold: true, find: bearer, kind: "bearer token", rank: rankForm},
		rule{anchor: "://", find: urlPassword, kind: "password in a URL", rank: rankForm},
		rule{anchor: "curl ", find: curlUser, kind: "password of curl", rank: rankForm},
		rule{anchor: "-----BEGIN ", find: privateKey, kind: "private key", rank: rankForm},
		rule{anchor: "-----END ", find: privateKeyTail, kind: "private key", rank: rankForm},
	)
	t.names = newNameTable(file.Names)
	for _, a := range t.names.anchors {
		t.rules = append(t.rules, rule{anchor: a, fold: true, find: t.names.finder(a), kind: "named secret", rank: rankName})
	}
	for _, e := range file.Expressions {
		t.expressions = append(t.expressions, matcher{e.Kind, regexp.MustCompile(e.Expression)})
	}
	t.chains = make([][]uint16, 0, len(t.rules))
	for n := range t.rules {
		t.enter(n)
	}
	return t
}

// enter makes a rule found by its anchor, in each spelling.
func (t *table) enter(n int) {
	r := &t.rules[n]
	for spelling := range 1 << minAnchor {
		three, differs := uint32(0), 0
		for i := range minAnchor {
			c := r.anchor[i]
			if r.fold && isLower(c) && spelling>>i&1 == 1 {
				c -= 'a' - 'A'
				differs |= 1 << i
			}
			three = three<<8 | uint32(c)
		}
		if differs != spelling {
			continue // there is no such spelling
		}
		slot := &t.slots[slotOf(three)]
		if *slot == 0 {
			t.chains = append(t.chains, nil)
			*slot = uint16(len(t.chains))
		}
		chain := &t.chains[*slot-1]
		if k := len(*chain); k == 0 || (*chain)[k-1] != uint16(n) {
			*chain = append(*chain, uint16(n))
		}
	}
}

// slotOf spreads three bytes over the slots.
func slotOf(three uint32) uint32 { return three * 0x9e3779b1 >> (32 - slotBits) }

// match finds a person's own expressions, line by line, so that a text is
// masked the same in pieces.
func (t *table) match(s string, found []span) []span {
	if len(t.expressions) == 0 {
		return found
	}
	for start := 0; start < len(s); {
		end := len(s)
		if i := strings.IndexByte(s[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := strings.TrimSuffix(s[start:end], "\r")
		for _, e := range t.expressions {
			for _, at := range e.re.FindAllStringSubmatchIndex(line, -1) {
				from, to := at[0], at[1]
				if len(at) > 2 {
					from, to = at[2], at[3]
				}
				// What is masked stays, and stars are shorter than any secret.
				if from < 0 || to-from < minKnown || strings.Contains(line[from:to], stars) {
					continue
				}
				if utf8.ValidString(line) || utf8.ValidString(line[from:to]) {
					found = append(found, span{start: start + from, end: start + to, kind: e.kind, rank: rankOwn})
				}
			}
		}
		start = end + 1
	}
	return found
}
