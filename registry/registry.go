package registry

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/schemas"
)

// maxBytes is the largest registry that is read.
const maxBytes = 16 << 20

// A Plugin is one installed plugin.
type Plugin struct {
	Alias       string // what it is called by
	Name        string
	PackageName string // of npm; Name, where an older entry has none of its own
	Version     string
	BinPath     string // the program
	SourceType  string // how it was installed; "" in older entries
	InstalledAt string // as it stands in the file
	UpdatedAt   string
	LastRunAt   string
}

// A Registry is what was installed when it was read.
type Registry struct{ plugins []Plugin }

// Plugins gives the plugins, sorted by alias.
func (r *Registry) Plugins() []Plugin { return slices.Clone(r.plugins) }

// Lookup finds a plugin by its alias, which is written exactly so.
func (r *Registry) Lookup(alias string) (Plugin, bool) {
	i, ok := slices.BinarySearchFunc(r.plugins, alias, func(p Plugin, alias string) int { return cmp.Compare(p.Alias, alias) })
	if !ok {
		return Plugin{}, false
	}
	return r.plugins[i], true
}

// ByPackage finds the first plugin of an npm package.
func (r *Registry) ByPackage(name string) (Plugin, bool) {
	i := slices.IndexFunc(r.plugins, func(p Plugin) bool { return p.PackageName == name })
	if i < 0 {
		return Plugin{}, false
	}
	return r.plugins[i], true
}

// An Error is why a registry cannot be used.
type Error struct {
	Path       string
	Line       int   // from 1; 0 is unknown
	Byte       int64 // the offset from the start of the file
	Message    string
	Violations []schemas.Violation
	Err        error // the cause; may be nil
}

// Error gives the place, what is wrong, and what to do.
func (e *Error) Error() string {
	s := e.Path
	if e.Line > 0 {
		s += fmt.Sprintf(":%d (byte %d)", e.Line, e.Byte)
	}
	s += ": " + e.Message
	for _, v := range e.Violations {
		where := cmp.Or(v.Path, "the whole file")
		s += fmt.Sprintf("; %s: expected %s, got %s", where, v.Expected, v.Actual)
	}
	return s + "; `slothtool list` may tell more"
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Load reads a registry. One that is not there has no plugins; one that
// cannot be read or understood is an [*Error].
func Load(path string) (*Registry, error) {
	r, _, err := load(path)
	return r, err
}

// load also tells which file it read; nil where none is there.
func load(path string) (*Registry, fs.FileInfo, error) {
	text, info, err := read(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &Registry{}, nil, nil
	}
	if err != nil {
		return nil, nil, &Error{Path: path, Message: "the plugin registry cannot be read: " + err.Error(), Err: err}
	}
	r, err := parse(path, text)
	return r, info, err
}

func parse(path string, text []byte) (*Registry, error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, broken(path, text, err)
	}
	schema, err := schemas.Load("registry")
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	if found := schema.Check(value); len(found) > 0 {
		return nil, &Error{Path: path, Message: "the plugin registry has another form than SlothTool writes", Violations: found}
	}
	var file struct {
		Plugins map[string]struct {
			Name        string `json:"name"`
			PackageName string `json:"packageName"`
			Version     string `json:"version"`
			BinPath     string `json:"binPath"`
			SourceType  string `json:"sourceType"`
			InstalledAt string `json:"installedAt"`
			UpdatedAt   string `json:"updatedAt"`
			LastRunAt   string `json:"lastRunAt"`
		} `json:"plugins"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, broken(path, text, err)
	}
	r := new(Registry)
	for alias, p := range file.Plugins {
		r.plugins = append(r.plugins, Plugin{
			Alias: alias, Name: p.Name, PackageName: cmp.Or(p.PackageName, p.Name), Version: p.Version, BinPath: p.BinPath,
			SourceType: p.SourceType, InstalledAt: p.InstalledAt, UpdatedAt: p.UpdatedAt, LastRunAt: p.LastRunAt,
		})
	}
	slices.SortFunc(r.plugins, func(a, b Plugin) int { return cmp.Compare(a.Alias, b.Alias) })
	return r, nil
}

func broken(path string, text []byte, err error) *Error {
	e := &Error{Path: path, Message: "the plugin registry is not JSON: " + err.Error(), Err: err}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		e.Byte = syntax.ByteOffset
		e.Line = 1 + bytes.Count(text[:min(int(e.Byte), len(text))], []byte("\n"))
		e.Message = "the plugin registry is not JSON: " + syntax.Err.Error()
	}
	return e
}
