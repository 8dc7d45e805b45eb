package jsonfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/config/jsonedit"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/schemas"
)

// Config says whose files are changed and where things are.
type Config struct {
	Home  string // absolute; what ~ means
	Sloth string // ~/.slothtool; may be a link, need not exist
	// Editable are further files that the person listed, absolute or with ~/.
	Editable []string
	// Own are folders of this program that are never changed, besides Backups.
	Own []string
	// Schema names the schema that a file must follow, by its real path; "" is
	// none. nil is none for all.
	Schema  func(path string) (name string)
	Backups string           // a folder; "" is <Sloth>/backups
	Keep    int              // backups of each file; 0 is 20
	Now     func() time.Time // nil is time.Now
}

// An Editor changes settings files. It is safe for concurrent use, and so are
// several in several processes.
type Editor struct {
	cfg  Config
	step func(string) // is told what was just done; nil but in tests
}

// keep is how many backups of each file are kept.
const keep = 20

// New makes an editor. It looks at no file.
func New(cfg Config) *Editor {
	if cfg.Backups == "" {
		cfg.Backups = filepath.Join(cfg.Sloth, "backups")
	}
	if cfg.Keep <= 0 {
		cfg.Keep = keep
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Editor{cfg: cfg}
}

// An Edit is what is to change: either Patch (RFC 6902), or Set and Unset. A
// value that is set takes the place of the one that is there, and makes the
// objects on the way to it; what is unset must be there.
type Edit struct {
	Patch []protocol.Operation
	Set   []protocol.Assignment
	Unset []string
}

// A Change is a planned change of one file. It must not be changed itself.
type Change struct {
	Path    string // the real path
	Existed bool   // there is a file already
	Old     []byte // what it has; nil where there is none
	New     []byte // what it will have; nil where it will be removed
	// Operations are what was asked as RFC 6902 operations; none for a
	// person's own text and for a way back.
	Operations []protocol.Operation
	// Members are the members of the file's object whose values differ, sorted.
	Members []string
	// Undoes is the id of the backup that this puts back; "" is none.
	Undoes string
	// ChangedSince tells that the file is not what the undone change made of
	// it: what was changed in it afterwards is lost.
	ChangedSince bool

	info fs.FileInfo             // of Old
	plan func() (*Change, error) // the same anew
}

// Same tells that there is nothing to do.
func (c *Change) Same() bool {
	return c.Existed == (c.New != nil) && bytes.Equal(c.Old, c.New)
}

// Plan says what an edit makes of a file. A relative path is relative to dir,
// and ~/ is the home folder. A file that is not there starts as {}. Nothing is
// written; the error is an [*Error].
func (e *Editor) Plan(path, dir string, edit Edit) (*Change, error) {
	c, err := e.planEdit(path, dir, edit)
	return c, e.named(err, path, dir)
}

func (e *Editor) planEdit(path, dir string, edit Edit) (*Change, error) {
	real, err := e.place(path, dir)
	if err != nil {
		return nil, err
	}
	now, err := readPath(real)
	if err != nil {
		return nil, err
	}
	text := now.text
	if now.info == nil {
		text = []byte("{}\n")
	}
	if err := checkText(real, text); err != nil {
		return nil, err
	}
	body := bytes.TrimPrefix(text, []byte(byteOrderMark))
	operations, err := operationsOf(body, edit)
	if err != nil {
		return nil, err
	}
	if at, found := maskMark(operations); found {
		return nil, maskError(at)
	}
	want, err := apply(body, operations)
	if err != nil {
		return nil, err
	}
	if want.Kind() != '{' {
		return nil, patchError("expected a JSON object as the result, got %s", kindName(want.Kind()))
	}
	merged, err := jsonedit.Merge(text, want)
	if err != nil {
		return nil, fileError(real, "it cannot be changed", err)
	}
	c := &Change{Path: real, New: merged, Operations: operations}
	c.plan = func() (*Change, error) { return e.Plan(real, "", edit) }
	return c, e.complete(c, now)
}

// operationsOf gives an edit as operations on a text.
func operationsOf(text []byte, edit Edit) ([]protocol.Operation, error) {
	if len(edit.Set)+len(edit.Unset) == 0 {
		return slices.Clone(edit.Patch), nil
	}
	if len(edit.Patch) > 0 {
		return nil, patchError("expected either patch, or set and unset, got both")
	}
	tree, err := treeOf(text)
	if err != nil {
		return nil, err
	}
	return expand(tree, edit)
}

// Replan plans a person's own text for the file of a change, with all checks
// and for the file as it is now.
func (e *Editor) Replan(c *Change, text []byte) (*Change, error) {
	replanned, err := e.planText(c.Path, slices.Clone(text))
	return replanned, e.named(err, c.Path, "")
}

func (e *Editor) planText(path string, text []byte) (*Change, error) {
	real, err := e.place(path, "")
	if err != nil {
		return nil, err
	}
	now, err := readPath(real)
	if err != nil {
		return nil, err
	}
	if err := checkText(real, text); err != nil {
		return nil, err
	}
	// A mark that the file has already is the file's.
	body := bytes.TrimPrefix(text, []byte(byteOrderMark))
	known := map[string]bool{}
	stringWith(bytes.TrimPrefix(now.text, []byte(byteOrderMark)), func(s string) bool { known[s] = hasMark(s); return false })
	if at, found := stringWith(body, func(s string) bool { return hasMark(s) && !known[s] }); found {
		return nil, maskError(at)
	}
	c := &Change{Path: real, New: text}
	c.plan = func() (*Change, error) { return e.Replan(c, text) }
	return c, e.complete(c, now)
}

// Refresh plans the same for the file as it is now.
func (e *Editor) Refresh(c *Change) (*Change, error) { return c.plan() }

// complete checks the result, and says what differs.
func (e *Editor) complete(c *Change, now state) error {
	c.Existed, c.Old, c.info = now.info != nil, now.text, now.info
	if len(c.New) > MaxBytes {
		return patchError("expected a result of at most %d bytes, got %d", MaxBytes, len(c.New))
	}
	if deepest := depth(c.New); deepest > MaxDepth {
		return patchError("expected a result of at most %d levels of objects and arrays, got %d", MaxDepth, deepest)
	}
	tree, err := treeOf(c.New)
	if err != nil {
		return fileError(c.Path, "its new text cannot be read", err)
	}
	if err := e.follows(c.Path, tree); err != nil {
		return err
	}
	c.Members = differing(membersOf(c.Old), tree.(object)) // it was checked
	return nil
}

// follows holds a result against the schema of its file.
func (e *Editor) follows(path string, tree any) error {
	if e.cfg.Schema == nil {
		return nil
	}
	name := e.cfg.Schema(path)
	if name == "" {
		return nil
	}
	schema, err := schemas.Load(name)
	if err != nil {
		return fmt.Errorf("jsonfile: %w", err)
	}
	if found := schema.Check(plain(tree)); len(found) > 0 {
		for i := range found {
			found[i].Actual = kindAt(tree, found[i].Path) // a value may be a secret
		}
		return &Error{Kind: KindSchema, Path: path, Message: "the result would not be what the file's schema asks for", Violations: found,
			Advice: "correct the patch"}
	}
	return nil
}

// kindAt says what sort of value stands at a JSON Pointer, and not which.
func kindAt(tree any, at string) string {
	for word := range jsontext.Pointer(at).Tokens() {
		switch node := tree.(type) {
		case object:
			value, ok := node[word]
			if !ok {
				return "nothing"
			}
			tree = value
		case *array:
			i, err := strconv.Atoi(word)
			if err != nil || i < 0 || i >= len(node.items) {
				return "nothing"
			}
			tree = node.items[i]
		default:
			return "nothing"
		}
	}
	return kindOf(tree)
}

// membersOf gives the members of a text; none where it is no object.
func membersOf(text []byte) object {
	if checkText("", text) != nil {
		return object{}
	}
	tree, err := treeOf(text)
	if err != nil {
		return object{}
	}
	return tree.(object) // it was checked
}

// differing names the members whose values differ.
func differing(old, fresh object) []string {
	names := []string{}
	for name, value := range old {
		if other, ok := fresh[name]; !ok || !equal(value, other) {
			names = append(names, name)
		}
	}
	for name := range fresh {
		if _, ok := old[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func maskError(at string) *Error {
	return &Error{Kind: KindValue, Message: fmt.Sprintf("%s: expected a value, got one with %s, which stands for a hidden secret", at, mark),
		Advice: "leave the value as it is, or have the person set it"}
}

// named gives an error the path that was meant, where it has none.
func (e *Editor) named(err error, path, dir string) error {
	own, ok := err.(*Error) //nolint:errorlint // our own, not wrapped
	if !ok || own.Path != "" {
		return err
	}
	if abs, err := e.absolute(path, dir); err == nil {
		path = abs
	}
	own.Path = path
	return own
}
