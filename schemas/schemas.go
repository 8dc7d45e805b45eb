package schemas

import (
	"embed"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed *.schema.json
var files embed.FS

const suffix = ".schema.json"

// Names gives the names of the schemas, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the embedded folder is always there
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	slices.Sort(names)
	return names
}

// Source gives the text of a schema file as it is written. The error names
// the schemas that there are.
func Source(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("no schema is called %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}

// A Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	resolved *jsonschema.Resolved
	document *document
}

// document is one schema file, for references within it and out of it.
type document struct {
	root *jsonschema.Schema
	load func(name string) (*document, error)
}

// compiled keeps what was compiled: schemas are constants, and compiling one
// takes longer than a thousand checks.
var compiled sync.Map //nolint:gochecknoglobals // a cache of constants: name → func() (*Schema, error)

// Load compiles a schema on its first use. The error says that there is none
// of that name.
func Load(name string) (*Schema, error) {
	once, ok := compiled.Load(name)
	if !ok {
		once, _ = compiled.LoadOrStore(name, sync.OnceValues(func() (*Schema, error) {
			text, err := Source(name)
			if err != nil {
				return nil, err
			}
			return Compile(text)
		}))
	}
	return once.(func() (*Schema, error))()
}

// Compile compiles the text of a schema, which may refer to the embedded ones
// by their file names.
func Compile(text []byte) (*Schema, error) {
	doc, err := parse(text)
	if err != nil {
		return nil, err
	}
	resolved, err := doc.root.Resolve(&jsonschema.ResolveOptions{
		Loader: func(uri *url.URL) (*jsonschema.Schema, error) {
			other, err := doc.load(path.Base(uri.Path))
			if err != nil {
				return nil, err
			}
			return other.root, nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{resolved: resolved, document: doc}, nil
}

func parse(text []byte) (*document, error) {
	var root jsonschema.Schema
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	doc := &document{root: &root}
	loaded := map[string]*document{}
	doc.load = func(file string) (*document, error) {
		if other := loaded[file]; other != nil {
			return other, nil
		}
		text, err := Source(strings.TrimSuffix(file, suffix))
		if err != nil {
			return nil, err
		}
		other, err := parse(text)
		if err != nil {
			return nil, err
		}
		loaded[file] = other
		return other, nil
	}
	return doc, nil
}

// Check names everything that is wrong with a value: nothing where it follows
// the schema. The value is what JSON decodes to without types: map[string]any,
// []any, string, float64, bool and nil.
func (s *Schema) Check(value any) []Violation {
	// The library looks at every item of an array before it says that there
	// are too many; of a million that takes many seconds.
	if count(value, large) == large {
		if found := locate("", s.document, s.document.root, value); len(found) > 0 {
			return found
		}
	}
	err := s.resolved.Validate(value)
	if err == nil {
		return nil
	}
	// The library says that the value is wrong, and not where.
	if found := locate("", s.document, s.document.root, value); len(found) > 0 {
		return found
	}
	return []Violation{{Expected: "a value that follows the schema", Actual: err.Error()}}
}

// large is how many values make one that may be hostile.
const large = 10_000

// count gives the number of values in a value, itself included; most at most.
func count(value any, most int) int {
	n := 1
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if n >= most {
				return most
			}
			n += count(item, most-n)
		}
	case map[string]any:
		for _, item := range v {
			if n >= most {
				return most
			}
			n += count(item, most-n)
		}
	}
	return n
}
