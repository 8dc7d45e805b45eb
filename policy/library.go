package policy

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

//go:embed rules/*.json
var builtIn embed.FS

// pathsFile holds the lists of places and no programs.
const pathsFile = "rules/paths.json"

// A family is a rule file of which only the head was read so far.
type family struct {
	file   string // "" for a person's own
	data   []byte // of a person's own
	origin string // of a person's own
	head   ruleFile
	loaded func() (*ruleFile, error)
}

// A library finds the rules of a program and decodes no more than those.
type library struct {
	families []*family
	programs sync.Map // name → []*command
}

func newLibrary(own []RuleFile) (*library, error) {
	l := &library{}
	entries, err := builtIn.ReadDir("rules")
	if err != nil {
		return nil, fmt.Errorf("built-in rules: %w", err)
	}
	for _, entry := range entries {
		f := &family{file: "rules/" + entry.Name()}
		if err := l.add(f); err != nil {
			return nil, err
		}
	}
	for _, file := range own {
		if err := l.add(&family{data: file.Data, origin: file.Origin}); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *library) add(f *family) error {
	r, err := f.open()
	if err != nil {
		return err
	}
	if f.head, err = readHead(r); err != nil {
		return fmt.Errorf("rule file %s: %w", f.label(), err)
	}
	f.loaded = sync.OnceValues(f.load)
	l.families = append(l.families, f)
	return nil
}

func (f *family) label() string {
	if f.file == "" {
		return f.head.Family
	}
	return f.file
}

func (f *family) open() (io.Reader, error) {
	if f.file == "" {
		return bytes.NewReader(f.data), nil
	}
	file, err := builtIn.Open(f.file)
	if err != nil {
		return nil, fmt.Errorf("built-in rules: %w", err)
	}
	return file, nil
}

func (f *family) read() ([]byte, error) {
	if f.file == "" {
		return bytes.Clone(f.data), nil
	}
	return builtIn.ReadFile(f.file)
}

// load decodes the whole file.
func (f *family) load() (*ruleFile, error) {
	data, err := f.read()
	if err != nil {
		return nil, fmt.Errorf("rule file %s: %w", f.label(), err)
	}
	file := new(ruleFile)
	if err := decode(data, file); err != nil {
		return nil, fmt.Errorf("rule file %s: %w", f.label(), err)
	}
	return file, nil
}

// readHead reads family, listed and for, which stand before the programs, and
// stops there: judging one command must not read every file.
func readHead(r io.Reader) (ruleFile, error) {
	var head ruleFile
	d := jsontext.NewDecoder(r)
	switch t, err := d.ReadToken(); {
	case err != nil:
		return head, err
	case t.Kind() != '{':
		return head, fmt.Errorf("expected a JSON object, found %s", t)
	}
	for {
		name, err := d.ReadToken()
		if err != nil {
			return head, err
		}
		if name.Kind() == '}' {
			return head, fmt.Errorf(`expected the member "for" before the end`)
		}
		member := name.String()
		val, err := d.ReadToken()
		if err != nil {
			return head, err
		}
		switch {
		case member == "family" && val.Kind() == '"':
			head.Family = val.String()
		case member == "listed" && (val.Kind() == 't' || val.Kind() == 'f'):
			head.Listed = val.Bool()
		case member == "for" && val.Kind() == '"':
			head.For = nameList(val.String())
			return head, nil
		case member == "$schema" || member == "about":
		default:
			return head, fmt.Errorf(`expected "family", "listed" and "for" first, found %q`, member)
		}
	}
}

// listed says whether a family that is allowed by default speaks of the
// program.
func (l *library) listed(name string) bool {
	for _, f := range l.families {
		if f.head.Listed && f.head.For.names(name) {
			return true
		}
	}
	return false
}

// program gives the rules of a program: none where it is unknown, more than
// one where a person's own file speaks of a built-in one.
func (l *library) program(name string) ([]*command, error) {
	if known, ok := l.programs.Load(name); ok {
		return known.([]*command), nil
	}
	var list []*command
	for _, f := range l.families {
		if !f.head.For.names(name) {
			continue
		}
		c, err := f.program(name)
		if err != nil {
			return nil, fmt.Errorf("rule file %s: %w", f.label(), err)
		}
		c.origin = f.origin
		list = append(list, c)
	}
	if list == nil {
		return nil, nil // not kept: names come from outside and are endless
	}
	kept, _ := l.programs.LoadOrStore(name, list)
	return kept.([]*command), nil
}

// program decodes one program of the file and skips those before it.
func (f *family) program(name string) (*command, error) {
	data, err := f.read()
	if err != nil {
		return nil, err
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for {
		member, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		switch {
		case member.Kind() == '}':
			return nil, fmt.Errorf("%s stands in \"for\" and has no rules", name)
		case d.StackDepth() == 1 && member.String() == "programs":
			if _, err := d.ReadToken(); err != nil {
				return nil, err
			}
			continue
		case d.StackDepth() == 2 && hasWord(member.String(), name):
			return decodeCommand(d, nil, name)
		}
		if err := d.SkipValue(); err != nil {
			return nil, err
		}
	}
}
