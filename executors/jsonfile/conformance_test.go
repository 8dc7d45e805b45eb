package jsonfile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/protocol"
)

type conformance struct {
	Name      string         `json:"name"`
	Doc       jsontext.Value `json:"doc"`
	Patch     jsontext.Value `json:"patch"`
	PatchText string         `json:"patchText"` // where it is no valid JSON value
	Result    jsontext.Value `json:"result"`
	Fails     bool           `json:"fails"`
}

// operations reads a patch; members that must be there are missed.
func operations(text []byte) ([]protocol.Operation, error) {
	var members []struct {
		Op    *string        `json:"op"`
		Path  *string        `json:"path"`
		From  *string        `json:"from"`
		Value jsontext.Value `json:"value"`
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	var found []protocol.Operation
	for _, m := range members {
		if m.Op == nil || m.Path == nil || m.From == nil && (*m.Op == "move" || *m.Op == "copy") {
			return nil, errors.New("a member is missing")
		}
		op := protocol.Operation{Op: *m.Op, Path: *m.Path, Value: m.Value}
		if m.From != nil {
			op.From = *m.From
		}
		found = append(found, op)
	}
	return found, nil
}

func TestConformance(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Cases []conformance `json:"cases"`
	}
	if err := json.Unmarshal(text, &suite); err != nil {
		t.Fatal(err)
	}
	if len(suite.Cases) < 100 {
		t.Fatalf("there are only %d cases", len(suite.Cases))
	}
	for _, c := range suite.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			patch := []byte(c.PatchText)
			if c.PatchText == "" {
				patch = c.Patch
			}
			ops, err := operations(patch)
			var got []byte
			if err == nil {
				got, err = jsonfile.Apply(c.Doc, ops)
			}
			judge(t, c, got, err)
			if c.Doc.Kind() == '{' && len(ops) > 0 {
				throughFile(t, c, ops)
			}
		})
	}
}

func judge(t *testing.T, c conformance, got []byte, err error) {
	t.Helper()
	switch {
	case c.Fails && err == nil:
		t.Errorf("got %s, want an error", got)
	case !c.Fails && err != nil:
		t.Error(err)
	case !c.Fails && c.Result != nil && !jsonfile.Equal(got, c.Result):
		t.Errorf("got %s, want %s", got, c.Result)
	}
}

// throughFile does the same with a real file.
func throughFile(t *testing.T, c conformance, ops []protocol.Operation) {
	t.Helper()
	p := newPlace(t)
	path := p.write("plugin-configs/a.json", string(c.Doc))
	change, err := p.editor.Plan(path, "", jsonfile.Edit{Patch: ops})
	if err == nil && change.Same() != jsonfile.Equal(c.Doc, change.New) && !bytes.Equal(c.Doc, change.New) {
		t.Errorf("%q became %q", c.Doc, change.New)
	}
	if err == nil {
		if _, err := p.editor.Commit(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	if c.Result != nil && c.Result.Kind() != '{' { // it is no settings file any more
		c.Result, c.Fails = nil, true
	}
	judge(t, c, []byte(p.read("plugin-configs/a.json")), err)
}

// place is a home folder with an editor.
type place struct {
	t      testing.TB
	home   string
	sloth  string
	editor *jsonfile.Editor
}

func newPlace(t testing.TB, editable ...string) place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t: t, home: home, sloth: filepath.Join(home, ".slothtool")}
	p.editor = jsonfile.New(jsonfile.Config{Home: home, Sloth: p.sloth, Editable: editable})
	return p
}

// write makes a file below ~/.slothtool.
func (p place) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.sloth, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p place) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.sloth, filepath.FromSlash(name)))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// do plans and commits, and gives the backup.
func (p place) do(path string, edit jsonfile.Edit) (*jsonfile.Change, string) {
	p.t.Helper()
	change, err := p.editor.Plan(path, p.home, edit)
	if err != nil {
		p.t.Fatal(err)
	}
	id, err := p.editor.Commit(p.t.Context(), change)
	if err != nil {
		p.t.Fatal(err)
	}
	return change, id
}

func set(pairs ...string) jsonfile.Edit {
	var e jsonfile.Edit
	for i := 0; i < len(pairs); i += 2 {
		e.Set = append(e.Set, protocol.Assignment{Path: pairs[i], Value: jsontext.Value(pairs[i+1])})
	}
	return e
}

func kindOf(err error) jsonfile.Kind {
	if e, ok := errors.AsType[*jsonfile.Error](err); ok {
		return e.Kind
	}
	return ""
}
