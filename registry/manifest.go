package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// maxManifest is the largest package.json that is read.
const maxManifest = 1 << 20

// A Manifest is what a plugin says of itself in its package.json.
type Manifest struct {
	Path        string // of the package.json; "" where there is none
	Name        string // of the package, as it stands in the file
	Version     string
	Description string
	UI          UI
	// Declared is what the plugin says that it does, sorted. It may make a run
	// more dangerous than it looks, never less.
	Declared []protocol.Fact
	// Problem is why the file could not be understood; nil where it could, or
	// where there is none. The plugin then counts as one without a screen.
	Problem error
}

// Manifest reads the plugin's package.json: in the folder above the program's,
// where SlothTool looks, or else beside the program. It never makes a plugin
// unusable: one without a manifest that can be read has plain commands only.
func (p Plugin) Manifest() Manifest {
	dir := filepath.Dir(p.BinPath)
	for _, path := range []string{filepath.Join(dir, "..", "package.json"), filepath.Join(dir, "package.json")} {
		text, _, err := read(path, maxManifest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		m := Manifest{UI: plainUI()}
		if err == nil {
			m, err = parseManifest(text)
		}
		m.Path = path
		if err != nil {
			m.Problem = fmt.Errorf("plugin %q: its %q cannot be understood: %w; it is taken for a plugin without a screen of its own", p.Alias, path, err)
		}
		return m
	}
	return Manifest{UI: plainUI()}
}

func parseManifest(text []byte) (Manifest, error) {
	m := Manifest{UI: plainUI()}
	// Equal names are an error, at every depth: which of two answers holds
	// differs from reader to reader.
	var file map[string]jsontext.Value
	if err := json.Unmarshal(text, &file); err != nil {
		return m, err
	}
	if file == nil {
		return m, errors.New("expected an object, got null")
	}
	m.Name, m.Version, m.Description = str(file["name"]), str(file["version"]), str(file["description"])
	own, _ := members(file["slothtool"])
	m.UI = uiOf(own)
	m.Declared = declared(own["permissions"])
	return m, nil
}

// declared reads a list of words or an object of booleans.
func declared(v jsontext.Value) []protocol.Fact {
	var facts []protocol.Fact
	add := func(word string) {
		if fact := protocol.Fact(word); fact == protocol.FactNetwork || fact == protocol.FactWrite || fact == protocol.FactElevated {
			facts = append(facts, fact)
		}
	}
	for _, element := range elements(v) {
		add(str(element))
	}
	if object, ok := members(v); ok {
		for word, value := range object {
			if truthy(value) {
				add(word)
			}
		}
	}
	slices.Sort(facts)
	return slices.Compact(facts)
}

// members gives the members of an object; false where the value is none.
func members(v jsontext.Value) (map[string]jsontext.Value, bool) {
	var object map[string]jsontext.Value
	if len(v) == 0 || v.Kind() != '{' || json.Unmarshal(v, &object) != nil {
		return nil, false
	}
	return object, true
}

// elements gives the elements of an array; none where the value is none.
func elements(v jsontext.Value) []jsontext.Value {
	var array []jsontext.Value
	if len(v) == 0 || v.Kind() != '[' || json.Unmarshal(v, &array) != nil {
		return nil
	}
	return array
}

// str gives a string; "" where the value is none.
func str(v jsontext.Value) string {
	var s string
	if len(v) == 0 || v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// truthy says whether JavaScript, in which SlothTool asks, takes a value for a
// yes.
func truthy(v jsontext.Value) bool {
	if len(v) == 0 {
		return false
	}
	switch v.Kind() {
	case 'n', 'f':
		return false
	case '"':
		return str(v) != ""
	case '0':
		var n float64
		return json.Unmarshal(v, &n) != nil || n != 0
	}
	return true
}
