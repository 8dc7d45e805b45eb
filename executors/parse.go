package executors

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

const (
	maxRecord = 16 << 10 // bytes kept of a record; the rest of it is not looked at
	maxText   = 240      // bytes of an item's text
)

// A parser understands an output while it streams, in bounded memory.
type parser interface {
	feed(block []byte)
	// end gives what was understood; nil where the output did not fit.
	end(exitCode int) *protocol.Parsed
}

// newParser chooses the parser for a command by its program and arguments;
// nil where none is known.
func newParser(c Command, maxItems, maxBytes int) parser {
	if c.Plugin != "" {
		return newPluginParser(maxItems, maxBytes)
	}
	l := &items{max: maxItems, room: maxBytes}
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(c.Name)), ".exe")
	var p *records
	switch name {
	case "grep", "egrep", "fgrep":
		p = grepParser(c, l)
	case "rg":
		p = ripgrepParser(c, l)
	case "ls":
		p = lsParser(c.Args, l)
	case "find":
		p = findParser(c.Args, l)
	case "fd", "fdfind":
		p = fdParser(c.Args, l)
	case "git":
		p = gitParser(c, l)
	case "cat", "head", "tail", "sed":
		if s := newSnippet(name, c.Args, l); s != nil {
			return s
		}
	default:
		return &jsonParser{out: l}
	}
	if p == nil {
		return nil
	}
	p.out = l
	return p
}

// items are the items of a parsed output: the first ones, as many as the
// limits allow, and the count of all.
type items struct {
	max, room int
	full      bool
	total     int
	list      []jsontext.Value
}

// wants tells whether another item would be looked at; it is counted if not.
func (l *items) wants() bool {
	if l.full || len(l.list) >= l.max {
		l.total++
		return false
	}
	return true
}

// add takes an item that wants asked for.
func (l *items) add(item any) {
	l.total++
	value, err := json.Marshal(item)
	if err != nil || len(value) > l.room {
		l.full = true
		return
	}
	l.room -= len(value)
	l.list = append(l.list, value)
}

func (l *items) parsed(kind protocol.ParsedKind) *protocol.Parsed {
	list := l.list
	if list == nil {
		list = []jsontext.Value{}
	}
	return &protocol.Parsed{Kind: kind, Total: l.total, Items: list}
}

// records cuts an output into lines, or into what a separator ends, and hands
// each on.
type records struct {
	kind   protocol.ParsedKind
	sep    byte
	out    *items
	record func(rec []byte) bool // false: the output does not fit
	last   func() bool           // at the end; nil: it fits
	none   int                   // an exit code that means that nothing was found

	carry []byte // the beginning of a record that goes on in the next block
	bad   bool
}

func lines(kind protocol.ParsedKind, record func([]byte) bool) *records {
	return &records{kind: kind, sep: '\n', record: record}
}

func (p *records) feed(block []byte) {
	for len(block) > 0 && !p.bad {
		i := bytes.IndexByte(block, p.sep)
		rec := block
		if i >= 0 {
			rec = block[:i]
		}
		if len(p.carry) > 0 || i < 0 {
			p.carry = append(p.carry, rec[:min(len(rec), maxRecord-len(p.carry))]...)
			if i < 0 {
				return
			}
			rec = p.carry
		}
		p.take(rec[:min(len(rec), maxRecord)])
		p.carry = p.carry[:0]
		block = block[i+1:]
	}
}

func (p *records) take(rec []byte) {
	if p.sep == '\n' {
		rec = bytes.TrimSuffix(rec, []byte{'\r'})
		if bytes.IndexByte(rec, 0x1b) >= 0 {
			rec = []byte(render(rec))
		}
	}
	p.bad = p.bad || !p.record(rec)
}

func (p *records) end(exitCode int) *protocol.Parsed {
	if len(p.carry) > 0 && !p.bad {
		p.take(p.carry)
	}
	if p.bad || p.last != nil && !p.last() {
		return nil
	}
	if exitCode != 0 && exitCode != p.none && p.out.total == 0 {
		return nil // it says nothing about what there is
	}
	return p.out.parsed(p.kind)
}

// clean gives a name or text as valid UTF-8 without escapes.
func clean(b []byte) string {
	if plainPrefix(b) == len(b) {
		return string(b)
	}
	if bytes.ContainsAny(b, "\n\r") { // a name may have them
		return strings.ToValidUTF8(string(b), string(utf8.RuneError))
	}
	return render(b)
}

// short is clean for text that may be long.
func short(b []byte) string {
	if len(b) <= maxText {
		return clean(b)
	}
	b = b[:maxText]
	for len(b) > maxText-utf8.UTFMax && !utf8.FullRune(b[lastRune(b):]) {
		b = b[:lastRune(b)]
	}
	return clean(b) + "…"
}

// lastRune is where the last character of b begins.
func lastRune(b []byte) int {
	i := len(b) - 1
	for i > 0 && i > len(b)-utf8.UTFMax && !utf8.RuneStart(b[i]) {
		i--
	}
	return max(i, 0)
}

// arguments are a command line, read as most programs read theirs.
type arguments struct {
	options  map[string]string // "-n", "--name" and "-NUM" to the value, last one first
	operands []string
	dashed   int // the first operand after "--"; all of them where there is none
}

// readArguments reads args. short has the letters that take a value, long the
// words that take one in the next argument.
func readArguments(args []string, short string, long ...string) arguments {
	a := arguments{options: map[string]string{}, dashed: -1}
	for i := 0; i < len(args); i++ {
		next := func() string {
			if i+1 < len(args) {
				i++
				return args[i]
			}
			return ""
		}
		arg := args[i]
		switch {
		case arg == "--":
			a.dashed = len(a.operands)
			a.operands = append(a.operands, args[i+1:]...)
			i = len(args)
		case strings.HasPrefix(arg, "--"):
			name, value, given := strings.Cut(arg, "=")
			if !given && slices.Contains(long, name) {
				value = next()
			}
			a.options[name] = value
		case len(arg) > 1 && arg[0] == '-':
			if _, err := strconv.Atoi(arg[1:]); err == nil {
				a.options["-NUM"] = arg[1:]
				continue
			}
			for j := 1; j < len(arg); j++ {
				name, value := "-"+arg[j:j+1], ""
				if strings.IndexByte(short, arg[j]) >= 0 {
					if value = arg[j+1:]; value == "" {
						value = next()
					}
					j = len(arg)
				}
				a.options[name] = value
			}
		default:
			a.operands = append(a.operands, arg)
		}
	}
	if a.dashed < 0 {
		a.dashed = len(a.operands)
	}
	return a
}

// has tells whether one of the options was given.
func (a arguments) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		_, ok := a.options[n]
		return ok
	})
}

// value is the value of the first of the options that was given.
func (a arguments) value(names ...string) (string, bool) {
	for _, n := range names {
		if v, ok := a.options[n]; ok {
			return v, true
		}
	}
	return "", false
}
